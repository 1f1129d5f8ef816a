-- Title:   A pair occurs once in a slate
-- When:    write
-- Grain:   slate_id, disease_id
select
    slate_id,
    disease_id,
    'a drug occurs more than once among the predictions of this disease' as reason
from prediction
group by slate_id, disease_id
having count(*) <> count(distinct drug_id)
