-- Title:      Further names and identifiers of the drugs and diseases that slates predict
-- Reads:      disease, disease_alias, drug, drug_alias, prediction
with entity_alias as (
    select
        'disease' as entity_kind,
        disease_alias.disease_id as entity_id,
        disease_alias.value,
        disease.name,
        disease.ontology_id as identifier
    from disease_alias
    inner join disease on disease_alias.disease_id = disease.disease_id
    semi join prediction on disease_alias.disease_id = prediction.disease_id
    union all
    select
        'drug' as entity_kind,
        drug_alias.drug_id as entity_id,
        drug_alias.value,
        drug.name,
        drug.chembl_id as identifier
    from drug_alias
    inner join drug on drug_alias.drug_id = drug.drug_id
    semi join prediction on drug_alias.drug_id = prediction.drug_id
)

select distinct
    entity_kind,
    entity_id,
    value
from entity_alias
where
    lower(value) <> lower(name)
    and (identifier is null or value <> identifier)
order by entity_kind, entity_id, value
