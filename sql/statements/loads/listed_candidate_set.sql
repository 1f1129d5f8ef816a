-- Title:      The candidate sets, and the files of those that are sealed
-- Reads:      candidate_set, sealed_part, sealed_set
-- Note:       Parts and bytes are NULL for a set that the store keeps.
with part_total as (
    select
        candidate_set_id,
        cast(sum(n_bytes) as bigint) as n_bytes
    from sealed_part
    group by candidate_set_id
)

select
    candidate_set.candidate_set_id,
    candidate_set.name,
    candidate_set.model_version,
    candidate_set.n_pairs,
    candidate_set.loaded_at,
    sealed_set.sealed_at,
    sealed_set.n_parts,
    part_total.n_bytes
from candidate_set
left join sealed_set using (candidate_set_id)
left join part_total using (candidate_set_id)
order by candidate_set.candidate_set_id
