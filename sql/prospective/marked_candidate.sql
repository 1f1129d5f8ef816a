-- Title:   Candidates that are known or hit
-- Formula: pairs of the slate's candidate set: known at the freeze, and learned later, as in
--          pair_known_phase; hit as in pair_event
-- Units:   true or false; candidates that are neither known nor hit have no row
-- Grain:   slate_id, disease_id, drug_id
-- Stored:  evidence
with known as (
    from pair_known_phase
    where is_known
),

hit as (
    select
        slate_id,
        disease_id,
        drug_id,
        bool_or(evidence_window = 'all') as is_hit,
        bool_or(evidence_window = 'prospective') as is_prospective_hit
    from pair_event
    where is_hit
    group by slate_id, disease_id, drug_id
)

select
    slate_id,
    disease_id,
    drug_id,
    coalesce(known.is_known, false) as is_known,
    coalesce(known.is_learned_later, false) as is_learned_later,
    coalesce(hit.is_hit, false) as is_hit,
    coalesce(hit.is_prospective_hit, false) as is_prospective_hit
from known
full join hit using (slate_id, disease_id, drug_id)
inner join slate_sets using (slate_id)
semi join candidate using (candidate_set_id, disease_id, drug_id)
