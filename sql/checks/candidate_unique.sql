-- Title:   A pair occurs once in a candidate set
-- When:    audit
-- Grain:   candidate_set_id, disease_id
select
    candidate_set_id,
    disease_id,
    'a drug occurs more than once among the candidates of this disease' as reason
from candidate
group by candidate_set_id, disease_id
having count(*) <> len(list_distinct(list(drug_id)))
