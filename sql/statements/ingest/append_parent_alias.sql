-- Title:      Appends the parents of the store's molecules as aliases
-- Reads:      drug_alias, molecule, release
-- Writes:     drug_alias
-- Note:       The parent is that of the newest release that gives one: a release without it does
--             not withdraw it.
with current_molecule as (
    select
        molecule.chembl_id,
        arg_max(molecule.parent_chembl_id, (release.released_on, release.release_id))
            as parent_chembl_id
    from molecule
    inner join release on molecule.release_id = release.release_id
    group by molecule.chembl_id
)

select distinct
    'parent_chembl_id' as kind,
    current_molecule.parent_chembl_id as value,
    drug_alias.drug_id,
    cast(:added_at as timestamptz) as added_at
from drug_alias
inner join current_molecule on drug_alias.value = current_molecule.chembl_id
where
    drug_alias.kind = 'chembl_id'
    and current_molecule.parent_chembl_id is not null
    and current_molecule.parent_chembl_id <> drug_alias.value
    and not exists (
        select held.drug_id
        from drug_alias as held
        where
            held.kind = 'parent_chembl_id'
            and held.value = current_molecule.parent_chembl_id
            and held.drug_id = drug_alias.drug_id
    )
