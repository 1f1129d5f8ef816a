-- Title:   Positives by score
-- Formula: positives at each distinct score of a positive
-- Units:   score as given
-- Grain:   evaluation_id, score
with score_map as (
    -- For rows grouped by score the planner expects as many as there are candidates, and would
    -- keep the candidates in memory to look up the positives; for an unpacked map it does not.
    select
        evaluation_id,
        candidate_set_id,
        histogram(score) as n_by_score
    from labeled_candidate
    where is_positive
    group by evaluation_id, candidate_set_id
)

select
    evaluation_id,
    candidate_set_id,
    unnest(map_keys(n_by_score)) as score,
    cast(unnest(map_values(n_by_score)) as bigint) as n_positive
from score_map
