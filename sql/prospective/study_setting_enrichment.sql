-- Title:   Primary enrichment by which studies count
-- Result:  Hit rates and enrichment
-- Formula: stratified_ratio of the slate's primary endpoint with the hits by a setting of studies,
--          of predictions and of other candidates alike; and the share of the hits that rest on
--          studies of several conditions alone
-- Units:   as in enrichment_vs_matched; study_setting as in setting_event; 'plan' always has a row,
--          others where they can change a pair of the slate; several_conditions_share is a fraction
--          of n_hits, NULL without hits
-- Grain:   slate_id, study_setting
with endpoint as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        tier_count.n_predictions,
        tier_count.n_hits as n_plan_hits
    from primary_endpoint
    inner join tier_count using (slate_id, evidence_window, population, tier)
),

-- Of pairs that a setting can change, the hits of the plan give way to its own.
changed_hit as (
    select
        endpoint.slate_id,
        pair_study_setting.study_setting,
        sum(
            if(coalesce(setting_event.is_hit, false), 1, 0) - if(population_pair.is_hit, 1, 0)
        ) as n_more
    from endpoint
    inner join population_pair
        on
            endpoint.slate_id = population_pair.slate_id
            and endpoint.evidence_window = population_pair.evidence_window
            and endpoint.population = population_pair.population
            and endpoint.tier in (population_pair.tier, 'all')
    inner join pair_study_setting
        on
            population_pair.slate_id = pair_study_setting.slate_id
            and population_pair.disease_id = pair_study_setting.disease_id
            and population_pair.drug_id = pair_study_setting.drug_id
    left join setting_pair_event as setting_event
        on
            population_pair.slate_id = setting_event.slate_id
            and population_pair.disease_id = setting_event.disease_id
            and population_pair.drug_id = setting_event.drug_id
            and population_pair.evidence_window = setting_event.evidence_window
            and pair_study_setting.study_setting = setting_event.study_setting
    group by endpoint.slate_id, pair_study_setting.study_setting
),

shown_setting as (
    select
        slate_id,
        'plan' as study_setting
    from slate
    union all
    select distinct
        slate_id,
        study_setting
    from pair_study_setting
),

several_hit as (
    select
        endpoint.slate_id,
        shown_setting.study_setting,
        count(*) as n_hits
    from endpoint
    inner join shown_setting using (slate_id)
    inner join population_pair
        on
            endpoint.slate_id = population_pair.slate_id
            and endpoint.evidence_window = population_pair.evidence_window
            and endpoint.population = population_pair.population
            and endpoint.tier in (population_pair.tier, 'all')
    left join pair_study_setting as changed
        on
            population_pair.slate_id = changed.slate_id
            and population_pair.disease_id = changed.disease_id
            and population_pair.drug_id = changed.drug_id
            and shown_setting.study_setting = changed.study_setting
    inner join setting_pair_event as event
        on
            population_pair.slate_id = event.slate_id
            and population_pair.disease_id = event.disease_id
            and population_pair.drug_id = event.drug_id
            and population_pair.evidence_window = event.evidence_window
            and coalesce(changed.study_setting, 'plan') = event.study_setting
    where event.is_hit and event.is_of_several_conditions
    group by endpoint.slate_id, shown_setting.study_setting
),

setting_list as (
    select
        slate_id,
        study_setting,
        endpoint.evidence_window,
        endpoint.population,
        endpoint.tier,
        endpoint.n_predictions,
        cast(endpoint.n_plan_hits + coalesce(changed_hit.n_more, 0) as bigint) as n_hits,
        coalesce(several_hit.n_hits, 0) as n_several_hits,
        if(study_setting = 'plan', 'tier', 'study setting') as list_kind,
        if(study_setting = 'plan', endpoint.tier, study_setting) as list_name
    from shown_setting
    inner join endpoint using (slate_id)
    left join changed_hit using (slate_id, study_setting)
    left join several_hit using (slate_id, study_setting)
)

select
    slate_id,
    setting_list.study_setting,
    evidence_window,
    population,
    setting_list.tier,
    ratio.list_number,
    setting_list.n_predictions,
    setting_list.n_hits,
    setting_list.n_several_hits / nullif(setting_list.n_hits, 0) as several_conditions_share,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    ratio.observed_vs_expected,
    ratio.own_share,
    ratio.reason
from setting_list
inner join stratified_ratio as ratio
    using (slate_id, list_kind, list_name, evidence_window, population)
