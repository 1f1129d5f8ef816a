-- Title:      How many candidates are kept out of a slate: known, low, or after the best
-- Reads:      candidate, pair_known_phase
-- Note:       without a lowest score, none is below it; n_known are the known pairs, which
--             novel_only leaves out first; of the others n_left_out are those below the lowest
--             score among the top_k best of a disease, n_beyond those after the top_k best
with known_pair as (
    select
        disease_id,
        drug_id
    from pair_known_phase
    where slate_id = cast(:slate_id as uuid) and is_known and cast(:novel_only as boolean)
),

scored_pair as (
    select
        disease_id,
        candidate.score,
        known_pair.drug_id is not null as is_known
    from candidate
    left join known_pair using (disease_id, drug_id)
    where
        candidate.candidate_set_id = :candidate_set_id
        and (:every_disease or disease_id in (select unnest(cast(:diseases as integer[]))))
),

scored_disease as (
    select
        disease_id,
        count(*) as n_candidates,
        count(*) filter (where is_known) as n_known,
        least(count(*) - n_known, :top_k) as n_best,
        least(
            count(*) filter (where not is_known and coalesce(score >= :min_score, true)), :top_k
        ) as n_kept
    from scored_pair
    group by disease_id
)

select
    cast(coalesce(sum(n_best - n_kept), 0) as bigint) as n_left_out,
    count(*) filter (where n_kept = 0 and n_best > 0) as n_diseases,
    cast(coalesce(sum(n_candidates - n_known - n_best), 0) as bigint) as n_beyond,
    cast(coalesce(sum(n_known), 0) as bigint) as n_known,
    cast(coalesce(sum(n_candidates), 0) as bigint) as n_candidates
from scored_disease
