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

named_drug as (
    select
        drug_key.drug_id,
        indicated_molecule.indication_id,
        drug_key.is_shared,
        min_by(drug_key.value, (drug_key.known_since, drug_key.value)) as drug_alias,
        min(drug_key.known_since) as known_since,
        min_by(drug_key.strength, (drug_key.known_since, drug_key.value)) as strength
    from indicated_molecule
    inner join drug_key using (value)
    group by drug_key.drug_id, drug_key.is_shared, indicated_molecule.indication_id
),

named_disease as (
    select
        disease_key.disease_id,
        indicated_disease.indication_id,
        disease_key.is_shared,
        min_by(disease_key.value, (disease_key.known_since, disease_key.value)) as disease_alias,
        min(disease_key.known_since) as known_since,
        min_by(disease_key.strength, (disease_key.known_since, disease_key.value)) as strength
    from indicated_disease
    inner join disease_key using (value)
    group by disease_key.disease_id, disease_key.is_shared, indicated_disease.indication_id
)

select
    named_disease.disease_id,
    named_drug.drug_id,
    named_drug.indication_id,
    named_drug.drug_alias,
    named_disease.disease_alias,
    match_kind.match_kind,
    greatest(named_drug.known_since, named_disease.known_since) as known_since,
    named_drug.is_shared or named_disease.is_shared as is_shared
from named_drug
inner join named_disease using (indication_id)
inner join match_kind
    on greatest(named_drug.strength, named_disease.strength) = match_kind.strength
qualify
    row_number() over (
        partition by
            named_disease.disease_id,
            named_drug.drug_id,
            named_drug.indication_id,
            named_drug.is_shared or named_disease.is_shared
        order by
            greatest(named_drug.known_since, named_disease.known_since),
            named_drug.drug_alias,
            named_disease.disease_alias
    ) = 1
