-- Title:   A pair occurs once in a candidate set
-- When:    audit
-- Grain:   candidate_set_id, disease_id
-- Bounds:  a map of 4096 bits, one for each drug of a block of ids, takes a third of the time of a
--          list whose values are compared, and a fraction of its memory; 4095 is the last bit, and
--          all but the last 12 bits of an id say which block it is in
with block as (
    select
        candidate_set_id,
        disease_id,
        count(*) as n_candidates,
        bit_count(bitstring_agg(drug_id & 4095, 0, 4095)) as n_drugs
    from candidate
    group by candidate_set_id, disease_id, drug_id >> 12
)

select
    candidate_set_id,
    disease_id,
    'a drug occurs more than once among the candidates of this disease' as reason
from block
group by candidate_set_id, disease_id
having sum(n_candidates) <> coalesce(sum(n_drugs), 0)
