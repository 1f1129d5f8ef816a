-- Title:   Candidate hits that count
-- Formula: hits of candidate_hit in the window and population, of the kinds of match and until the
--          day that the subset counts; of a setting of studies, those of setting_pair_event where
--          it can change a pair; 'failed' are pairs of which a trial failed; in the window
--          'common', pairs of comparison_hit
-- Source:  docs/metrics.md#counted_hit
-- Units:   subset as in counted_subset; versus as in known_candidate
-- Grain:   slate_id, versus, subset, evidence_window, population, disease_id, drug_id
with compared as (
    select
        *,
        cast(versus_slate_id as varchar) as versus
    from comparison_hit
)

select
    slate_id,
    'none' as versus,
    counted_subset.subset,
    evidence_window,
    counted_subset.population,
    candidate_hit.disease_id,
    candidate_hit.drug_id,
    candidate_hit.breadth_class
from counted_subset
inner join candidate_hit using (slate_id, evidence_window)
left join pair_study_setting
    on
        slate_id = pair_study_setting.slate_id
        and candidate_hit.disease_id = pair_study_setting.disease_id
        and candidate_hit.drug_id = pair_study_setting.drug_id
        and counted_subset.subset = pair_study_setting.study_setting
where
    counted_subset.subset <> 'failed'
    and pair_study_setting.slate_id is null
    and coalesce(counted_subset.strength >= candidate_hit.match_strength, true)
    and coalesce(counted_subset.until_date >= candidate_hit.first_event_date, true)
    and (
        counted_subset.population in ('all', candidate_hit.nearness)
        or (counted_subset.population = 'novel' and not candidate_hit.is_known)
    )
union all
select
    slate_id,
    'none' as versus,
    counted_subset.subset,
    evidence_window,
    counted_subset.population,
    disease_id,
    drug_id,
    drug_breadth.breadth_class
from counted_subset
inner join setting_pair_event as setting_event using (slate_id, evidence_window)
inner join drug_breadth using (slate_id, drug_id)
inner join slate_sets using (slate_id)
semi join candidate using (candidate_set_id, disease_id, drug_id)
left join marked_candidate using (slate_id, disease_id, drug_id)
where
    if(
        counted_subset.subset = 'failed',
        setting_event.study_setting = 'plan' and setting_event.has_failed,
        counted_subset.subset = setting_event.study_setting and setting_event.is_hit
    )
    and (counted_subset.population = 'all' or not coalesce(marked_candidate.is_known, false))
union all
select
    slate_id,
    compared.versus,
    'all' as subset,
    'common' as evidence_window,
    population.population,
    disease_id,
    drug_id,
    drug_breadth.breadth_class
from compared
inner join drug_breadth using (slate_id, drug_id)
inner join slate_sets using (slate_id)
cross join (values ('all'), ('novel')) as population (population)
semi join candidate using (candidate_set_id, disease_id, drug_id)
left join known_candidate using (slate_id, versus, disease_id, drug_id)
where population.population = 'all' or known_candidate.drug_id is null
