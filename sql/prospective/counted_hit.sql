-- Title:   Candidate hits that count
-- Formula: hits of candidate_hit in the window and population, of the kinds of match and until the
--          day that the subset counts; in the window 'common', pairs of comparison_hit
-- Source:  docs/metrics.md#counted_hit
-- Units:   subset as in counted_subset; versus as in stratum_candidate
-- Grain:   slate_id, versus, subset, evidence_window, population, disease_id, drug_id
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
where
    coalesce(counted_subset.strength >= candidate_hit.match_strength, true)
    and coalesce(counted_subset.until_date >= candidate_hit.first_event_date, true)
    and (counted_subset.population = 'all' or not candidate_hit.is_known)
union all
select
    stratum_candidate.slate_id,
    stratum_candidate.versus,
    'all' as subset,
    'common' as evidence_window,
    population.population,
    stratum_candidate.disease_id,
    stratum_candidate.drug_id,
    stratum_candidate.breadth_class
from stratum_candidate
inner join comparison_hit
    on
        stratum_candidate.slate_id = comparison_hit.slate_id
        and stratum_candidate.versus = cast(comparison_hit.versus_slate_id as varchar)
        and stratum_candidate.disease_id = comparison_hit.disease_id
        and stratum_candidate.drug_id = comparison_hit.drug_id
cross join (values ('all'), ('novel')) as population (population)
where
    stratum_candidate.versus <> 'none'
    and (population.population = 'all' or not stratum_candidate.is_known)
