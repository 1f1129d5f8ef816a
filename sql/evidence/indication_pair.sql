-- Title:   Indications resolved to pairs
-- Formula: molecule or parent is a key of the drug, and an id or a term one of the disease
-- Source:  docs/metrics.md#indication_pair
-- Units:   of several keys that matched, the aliases are those known first, then
--          the first by value; known_since is when both were there; is_shared where one of them
--          has since become another entity's too, and means neither to later slates
-- Grain:   disease_id, drug_id, indication_id, is_shared
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

drug_match as (
    select
        drug_key.drug_id,
        indicated_molecule.indication_id,
        drug_key.is_shared,
        min_by(drug_key.value, (drug_key.known_since, drug_key.value)) as drug_alias,
        min(drug_key.known_since) as known_since
    from indicated_molecule
    inner join drug_key using (value)
    group by drug_key.drug_id, drug_key.is_shared, indicated_molecule.indication_id
),

disease_match as (
    select
        disease_key.disease_id,
        indicated_disease.indication_id,
        disease_key.is_shared,
        min_by(disease_key.value, (disease_key.known_since, disease_key.value)) as disease_alias,
        min(disease_key.known_since) as known_since
    from indicated_disease
    inner join disease_key using (value)
    group by disease_key.disease_id, disease_key.is_shared, indicated_disease.indication_id
)

select
    disease_match.disease_id,
    drug_match.drug_id,
    drug_match.indication_id,
    drug_match.drug_alias,
    disease_match.disease_alias,
    greatest(drug_match.known_since, disease_match.known_since) as known_since,
    drug_match.is_shared or disease_match.is_shared as is_shared
from drug_match
inner join disease_match using (indication_id)
qualify
    row_number() over (
        partition by
            disease_match.disease_id,
            drug_match.drug_id,
            drug_match.indication_id,
            drug_match.is_shared or disease_match.is_shared
        order by
            greatest(drug_match.known_since, disease_match.known_since),
            drug_match.drug_alias,
            disease_match.disease_alias
    ) = 1
