-- Title:   Indications resolved to pairs
-- Formula: molecule or parent is a key of the drug, and an id or a term one of the disease
-- Source:  docs/metrics.md#indication_pair
-- Units:   drug_alias and disease_alias are the first of the keys that matched
-- Grain:   slate_id, disease_id, drug_id, indication_id
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
        slate_drug_key.slate_id,
        slate_drug_key.drug_id,
        indicated_molecule.indication_id,
        min(slate_drug_key.value) as drug_alias
    from indicated_molecule
    inner join slate_drug_key using (value)
    group by slate_drug_key.slate_id, slate_drug_key.drug_id, indicated_molecule.indication_id
),

disease_match as (
    select
        slate_disease_key.slate_id,
        slate_disease_key.disease_id,
        indicated_disease.indication_id,
        min(slate_disease_key.value) as disease_alias
    from indicated_disease
    inner join slate_disease_key using (value)
    group by
        slate_disease_key.slate_id, slate_disease_key.disease_id, indicated_disease.indication_id
)

select
    drug_match.slate_id,
    disease_match.disease_id,
    drug_match.drug_id,
    drug_match.indication_id,
    drug_match.drug_alias,
    disease_match.disease_alias
from drug_match
inner join disease_match using (slate_id, indication_id)
