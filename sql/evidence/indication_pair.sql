-- Title:   Indications resolved to pairs
-- Formula: molecule or parent is a key of the drug, and an id or a term one of the disease
-- Source:  docs/metrics.md#indication_pair
-- Units:   of several keys that matched, the aliases are unshared ones, then those known first,
--          then the first by value; known_since is when both aliases were there
-- Grain:   disease_id, drug_id, indication_id
with indicated_molecule as (
    select
        indication_id,
        unnest(
            list_distinct([chembl_id, coalesce(parent_chembl_id, chembl_id)])
        ) as value
    from indication
),

indicated_disease as (
    select
        indication_id,
        unnest(
            list_distinct([efo_id, mesh_id, folded_efo_term, folded_mesh_heading])
        ) as value
    from indication
),

matched_drug as (
    select
        drug_key.drug_id,
        indicated_molecule.indication_id,
        min_by(
            drug_key.value, (drug_key.is_shared, drug_key.known_since, drug_key.value)
        ) as drug_alias,
        min_by(
            drug_key.known_since, (drug_key.is_shared, drug_key.known_since, drug_key.value)
        ) as known_since
    from indicated_molecule
    inner join drug_key using (value)
    group by drug_key.drug_id, indicated_molecule.indication_id
),

matched_disease as (
    select
        disease_key.disease_id,
        indicated_disease.indication_id,
        min_by(
            disease_key.value, (disease_key.is_shared, disease_key.known_since, disease_key.value)
        ) as disease_alias,
        min_by(
            disease_key.known_since,
            (disease_key.is_shared, disease_key.known_since, disease_key.value)
        ) as known_since
    from indicated_disease
    inner join disease_key using (value)
    group by disease_key.disease_id, indicated_disease.indication_id
)

select
    matched_disease.disease_id,
    matched_drug.drug_id,
    matched_drug.indication_id,
    matched_drug.drug_alias,
    matched_disease.disease_alias,
    greatest(matched_drug.known_since, matched_disease.known_since) as known_since
from matched_drug
inner join matched_disease using (indication_id)
