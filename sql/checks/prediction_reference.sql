-- Title:   A prediction belongs to a slate, and its disease and its drug are known
-- When:    write
-- Grain:   slate_id, disease_id, drug_id
select
    slate_id,
    disease_id,
    drug_id,
    'the slate, the disease or the drug is unknown' as reason
from prediction
where
    slate_id not in (select slate.slate_id from slate)
    or disease_id not in (select disease.disease_id from disease)
    or drug_id not in (select drug.drug_id from drug)
