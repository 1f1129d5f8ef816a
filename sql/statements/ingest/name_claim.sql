-- Title:      The names that ChEMBL gives the store's drugs, and which of them are ambiguous
-- Reads:      drug_alias, molecule_name
-- Creates:    name_claim
-- Note:       'A component of B' names no drug, but a combination, which matching reads.
with claim as (
    select
        fold_marks(molecule_name.folded_name) as folded_name,
        drug_alias.drug_id,
        min(molecule_name.kind) as kind
    from drug_alias
    inner join molecule_name on drug_alias.value = molecule_name.chembl_id
    where
        drug_alias.kind = 'chembl_id'
        and not regexp_matches(molecule_name.folded_name, '. component of .')
    group by fold_marks(molecule_name.folded_name), drug_alias.drug_id
),

name_holder as (
    select
        value,
        min(drug_id) as first_drug_id,
        max(drug_id) as last_drug_id
    from drug_alias
    where kind in ('name', 'synonym')
    group by value
)

select
    claim.folded_name,
    claim.drug_id,
    claim.kind,
    name_holder.value is not null as is_held,
    count(*) over (partition by claim.folded_name) > 1
    or coalesce(
        name_holder.first_drug_id <> claim.drug_id or name_holder.last_drug_id <> claim.drug_id,
        false
    ) as is_ambiguous
from claim
left join name_holder on claim.folded_name = name_holder.value
