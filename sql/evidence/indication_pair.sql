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

matched_drug as (
    select
        slate_drug_key.slate_id,
        slate_drug_key.drug_id,
        indicated_molecule.indication_id,
        min(slate_drug_key.value) as drug_alias
    from indicated_molecule
    inner join slate_drug_key using (value)
    group by slate_drug_key.slate_id, slate_drug_key.drug_id, indicated_molecule.indication_id
),

matched_disease as (
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
    matched_drug.slate_id,
    matched_disease.disease_id,
    matched_drug.drug_id,
    matched_drug.indication_id,
    matched_drug.drug_alias,
    matched_disease.disease_alias
from matched_drug
inner join matched_disease using (slate_id, indication_id)
