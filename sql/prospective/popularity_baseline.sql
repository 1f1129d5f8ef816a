-- Title:   Popularity baseline
-- Result:  Lists and baselines
-- Formula: hits / candidates among all candidates of the slate's diseases, by breadth decile
-- Units:   fraction 0..1; NULL for a decile without candidates of the population
-- Grain:   slate_id, evidence_window, population, breadth_decile
select
    slate_id,
    evidence_window,
    population,
    breadth_group as breadth_decile,
    n_candidates,
    n_candidate_hits,
    baseline_hit_rate,
    reason
from breadth_baseline
where grouping_kind = 'decile'
