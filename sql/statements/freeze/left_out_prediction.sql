-- Title:      How many candidates a lowest score and the length of lists keep out of a slate
-- Reads:      candidate
-- Parameters: top_k, candidate_set_id, min_score, every_disease, diseases
-- Note:       without a lowest score, none is below it; n_left_out are those below it among the
--             top_k best of a disease, n_beyond those after the top_k best
with scored_disease as (
    select
        disease_id,
        count(*) as n_candidates,
        least(count(*), :top_k) as n_best,
        least(count(*) filter (where coalesce(score >= :min_score, true)), :top_k) as n_kept
    from candidate
    where
        candidate_set_id = :candidate_set_id
        and (:every_disease or disease_id in (select unnest(cast(:diseases as integer[]))))
    group by disease_id
)

select
    cast(coalesce(sum(n_best - n_kept), 0) as bigint) as n_left_out,
    count(*) filter (where n_kept = 0) as n_diseases,
    cast(coalesce(sum(n_candidates - n_best), 0) as bigint) as n_beyond,
    cast(coalesce(sum(n_candidates), 0) as bigint) as n_candidates
from scored_disease
