-- Title:      Appends the other identifiers of the store's molecules as aliases
-- Reads:      drug_alias, molecule_identity
-- Writes:     drug_alias
-- Note:       One that already is another drug's stays so, as does one that two drugs would get.
with claim as (
    select distinct
        molecule_identity.same_chembl_id as value,
        drug_alias.drug_id
    from drug_alias
    inner join molecule_identity on drug_alias.value = molecule_identity.chembl_id
    where
        drug_alias.kind = 'chembl_id'
        and molecule_identity.same_chembl_id not in (
            select held.value from drug_alias as held
            where held.kind = 'chembl_id'
        )
)

select
    'chembl_id' as kind,
    value,
    min(drug_id) as drug_id,
    cast(:added_at as timestamptz) as added_at
from claim
group by value
having count(*) = 1
