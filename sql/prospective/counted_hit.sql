-- Title:   Candidate hits that count, by disease and breadth
-- Formula: hits of candidate_hit in the window and population, of the kinds of match and until the
--          day that the subset counts
-- Source:  docs/metrics.md#counted_hit
-- Units:   counts; subset as in counted_subset, degree_class as in disease_activity
-- Grain:   slate_id, subset, evidence_window, population, disease_id, breadth
select
    counted_subset.slate_id,
    counted_subset.subset,
    counted_subset.evidence_window,
    counted_subset.population,
    candidate_hit.disease_id,
    disease_activity.degree_class,
    candidate_hit.breadth,
    count(*) as n_hits
from counted_subset
inner join candidate_hit
    on
        counted_subset.slate_id = candidate_hit.slate_id
        and counted_subset.evidence_window = candidate_hit.evidence_window
        and coalesce(counted_subset.strength >= candidate_hit.match_strength, true)
        and coalesce(counted_subset.until_date >= candidate_hit.first_event_date, true)
inner join disease_activity
    on
        candidate_hit.slate_id = disease_activity.slate_id
        and candidate_hit.disease_id = disease_activity.disease_id
where counted_subset.population = 'all' or not candidate_hit.is_known
group by
    counted_subset.slate_id,
    counted_subset.subset,
    counted_subset.evidence_window,
    counted_subset.population,
    candidate_hit.disease_id,
    disease_activity.degree_class,
    candidate_hit.breadth
