-- Title:      How many predictions a lowest score keeps out, and of how many diseases all
-- Reads:      candidate
-- Parameters: top_k, candidate_set_id, min_score, every_disease, diseases
with scored_disease as (
    select
        disease_id,
        least(count(*), :top_k) as n_best,
        least(count(*) filter (where score >= :min_score), :top_k) as n_kept
    from candidate
    where
        candidate_set_id = :candidate_set_id
        and (:every_disease or disease_id in (select unnest(cast(:diseases as integer[]))))
    group by disease_id
)

select
    cast(coalesce(sum(n_best - n_kept), 0) as bigint) as n_left_out,
    count(*) filter (where n_kept = 0) as n_diseases
from scored_disease
