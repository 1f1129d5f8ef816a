-- Title:   Candidate hits by subset
-- Formula: candidates that are hits in the window and population, of the kinds of match and until
--          the day that the subset counts; where it is a setting of studies, by that; 'failed' are
--          those of which a trial failed; in the window 'common', pairs of comparison_hit
-- Source:  docs/metrics.md#subset_hit
-- Units:   subset and its tier as in counted_subset; versus as in known_candidate; record is the
--          source and record of the first outcome that makes it one, NULL where that has none
-- Grain:   slate_id, versus, subset, evidence_window, population, disease_id, drug_id
with compared as (
    select
        *,
        cast(versus_slate_id as varchar) as versus
    from comparison_hit
),

-- Candidates that came true, or failed, by each setting of studies.
setting_hit as (
    select
        slate_id,
        setting_pair_event.study_setting,
        setting_pair_event.evidence_window,
        disease_id,
        drug_id,
        drug_breadth.breadth_class,
        setting_pair_event.is_hit,
        setting_pair_event.has_failed,
        setting_pair_event.match_strength,
        setting_pair_event.first_record,
        setting_pair_event.first_failure_record,
        setting_pair_event.first_event_date,
        coalesce(pair_known_phase.is_known, false) as is_known,
        case
            when pair_known_phase.is_known then 'known'
            when nearness.drug_id is not null then 'near-known'
            else 'new'
        end as nearness
    from setting_pair_event
    inner join drug_breadth using (slate_id, drug_id)
    inner join slate_sets using (slate_id)
    semi join candidate using (candidate_set_id, disease_id, drug_id)
    left join pair_known_phase using (slate_id, disease_id, drug_id)
    left join nearness using (slate_id, disease_id, drug_id)
    where setting_pair_event.is_hit or setting_pair_event.has_failed
)

select
    counted_subset.slate_id,
    'none' as versus,
    counted_subset.subset,
    counted_subset.evidence_window,
    counted_subset.population,
    setting_hit.disease_id,
    setting_hit.drug_id,
    setting_hit.breadth_class,
    counted_subset.tier,
    if(
        counted_subset.subset = 'failed', setting_hit.first_failure_record, setting_hit.first_record
    ) as record
from counted_subset
inner join setting_hit using (slate_id, evidence_window)
left join pair_study_setting
    on
        counted_subset.slate_id = pair_study_setting.slate_id
        and setting_hit.disease_id = pair_study_setting.disease_id
        and setting_hit.drug_id = pair_study_setting.drug_id
        and counted_subset.subset = pair_study_setting.study_setting
where
    setting_hit.study_setting = coalesce(pair_study_setting.study_setting, 'plan')
    and if(counted_subset.subset = 'failed', setting_hit.has_failed, setting_hit.is_hit)
    and coalesce(counted_subset.strength >= setting_hit.match_strength, true)
    and coalesce(counted_subset.until_date >= setting_hit.first_event_date, true)
    and (
        counted_subset.population in ('all', setting_hit.nearness)
        or (counted_subset.population = 'novel' and not setting_hit.is_known)
    )
union all
select
    slate_id,
    compared.versus,
    'all' as subset,
    'common' as evidence_window,
    population.population,
    disease_id,
    drug_id,
    drug_breadth.breadth_class,
    null as tier,
    if(compared.record <> '', concat_ws(' ', compared.source, compared.record), null) as record
from compared
inner join drug_breadth using (slate_id, drug_id)
inner join slate_sets using (slate_id)
cross join (values ('all'), ('novel')) as population (population)
semi join candidate using (candidate_set_id, disease_id, drug_id)
left join known_candidate using (slate_id, versus, disease_id, drug_id)
where population.population = 'all' or known_candidate.drug_id is null
