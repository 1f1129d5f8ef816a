-- Title:   A prediction's identifiers belong to its disease and its drug
-- When:    write
-- Grain:   slate_id, disease_id, drug_id
select
    slate_id,
    disease_id,
    drug_id,
    'a frozen identifier is not an alias of the disease or drug it points to' as reason
from prediction
where
    (disease_id, disease_identifier) not in (
        select (disease_alias.disease_id, disease_alias.value) from disease_alias
    )
    or (drug_id, drug_identifier) not in (
        select (drug_alias.drug_id, drug_alias.value) from drug_alias
    )
