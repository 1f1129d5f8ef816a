-- Title:   Rules that select the hits of an analysis
-- Formula: 'all' hits, in every window and population; and, in those of the primary endpoint,
--          hits by a kind of match or a stronger one, for each of shown_match_kind but the weakest;
--          hits by the end of a month with new ones; hits by a setting of studies that can change
--          one; hits of a class of nearness; hits 'with a date', dated by more than a release of
--          ChEMBL; all by their information; failures in their place; and, in place of hits,
--          'unlabeled' pairs that evidence learned later shows to have been public by the freeze
-- Units:   rule_name tells apart the rules of a kind; population is 'all', 'novel' or 'unlabeled',
--          what neither the labels nor the evidence of the time knew; nearness, strength of the
--          weakest match, and the last day are NULL where any counts; study_setting is 'plan' where
--          the plan says which studies count
-- Grain:   slate_id, rule_number
-- Stored:  evidence
with endpoint as (
    select
        *,
        'plan' as study_setting
    from primary_endpoint
),

rule as (
    select
        slate.slate_id,
        'all' as rule_kind,
        cast(null as varchar) as rule_name,
        evidence.evidence_window,
        population.population,
        cast(null as varchar) as nearness,
        cast(null as integer) as strength,
        cast(null as date) as until_date,
        'plan' as study_setting
    from slate
    cross join (values ('all'), ('prospective')) as evidence (evidence_window)
    cross join (values ('all'), ('novel')) as population (population)
    union all by name
    select
        slate_id,
        unnest(['failure', 'information', 'with a date']) as rule_kind,
        evidence_window,
        population,
        study_setting
    from endpoint
    union all by name
    select
        slate_id,
        'unlabeled' as rule_kind,
        'all' as evidence_window,
        'unlabeled' as population,
        study_setting
    from endpoint
    union all by name
    select
        endpoint.slate_id,
        'nearness' as rule_kind,
        class.nearness as rule_name,
        endpoint.evidence_window,
        if(class.nearness = 'known', 'all', endpoint.population) as population,
        class.nearness,
        endpoint.study_setting
    from endpoint
    cross join (values ('known'), ('near-known'), ('new')) as class (nearness)
    semi join nearness on endpoint.slate_id = nearness.slate_id
    union all by name
    select
        slate_id,
        'match kind' as rule_kind,
        shown_match_kind.match_kind as rule_name,
        endpoint.evidence_window,
        endpoint.population,
        shown_match_kind.strength,
        endpoint.study_setting
    from endpoint
    inner join shown_match_kind using (slate_id)
    where not shown_match_kind.is_weakest
    union all by name
    select
        slate_id,
        'month' as rule_kind,
        cast(followed_month.month as varchar) as rule_name,
        endpoint.evidence_window,
        endpoint.population,
        followed_month.ends_on as until_date,
        endpoint.study_setting
    from endpoint
    inner join followed_month using (slate_id)
    where followed_month.month = followed_month.hit_month
    union all by name
    select distinct
        slate_id,
        'study setting' as rule_kind,
        pair_study_setting.study_setting as rule_name,
        primary_endpoint.evidence_window,
        primary_endpoint.population,
        pair_study_setting.study_setting
    from primary_endpoint
    inner join pair_study_setting using (slate_id)
)

select
    slate_id,
    cast(
        row_number() over (
            partition by slate_id order by rule_kind, rule_name, evidence_window, population
        ) as integer
    ) as rule_number,
    rule_kind,
    rule_name,
    evidence_window,
    population,
    nearness,
    strength,
    until_date,
    study_setting
from rule
