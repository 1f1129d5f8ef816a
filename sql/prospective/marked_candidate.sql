-- Title:   Candidates that are known or hit
-- Formula: pairs of the slate's candidate set: known at the freeze as in pair_known_phase; hit as
--          in pair_event
-- Source:  docs/metrics.md#marked_candidate
-- Units:   true or false; candidates that are neither known nor hit have no row
-- Grain:   slate_id, disease_id, drug_id
with pair_mark as (
    select
        slate_id,
        disease_id,
        drug_id,
        true as is_known,
        false as is_hit,
        false as is_prospective_hit
    from pair_known_phase
    where is_known
    union all
    select
        slate_id,
        disease_id,
        drug_id,
        false as is_known,
        evidence_window = 'all' as is_hit,
        evidence_window = 'prospective' as is_prospective_hit
    from pair_event
    where is_hit
),

marked_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        bool_or(is_known) as is_known,
        bool_or(is_hit) as is_hit,
        bool_or(is_prospective_hit) as is_prospective_hit
    from pair_mark
    group by slate_id, disease_id, drug_id
)

select
    slate_id,
    disease_id,
    drug_id,
    marked_pair.is_known,
    marked_pair.is_hit,
    marked_pair.is_prospective_hit
from marked_pair
inner join slate_sets using (slate_id)
semi join candidate using (candidate_set_id, disease_id, drug_id)
