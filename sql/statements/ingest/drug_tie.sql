-- Title:      The molecule and the family that each drug known by name alone is tied to
-- Reads:      drug_alias, molecule, molecule_identity, molecule_name, release
-- Creates:    drug_tie
-- Note:       A drug gets the ChEMBL id of the one molecule so named, else of the one family (a
--             parent and its salts) of which the name is a synonym. The parent is that of the
--             newest release that gives one. Identifiers of one molecule count once, as the
--             first of them in the order of text. fold_marks folds what an earlier version stored
--             otherwise.
with first_identity as (
    select
        chembl_id,
        least(chembl_id, min(same_chembl_id)) as first_chembl_id
    from molecule_identity
    group by chembl_id
),

current_molecule as (
    select
        molecule.chembl_id,
        coalesce(
            arg_max(molecule.parent_chembl_id, (release.released_on, release.release_id)),
            molecule.chembl_id
        ) as family_chembl_id
    from molecule
    inner join release on molecule.release_id = release.release_id
    group by molecule.chembl_id
),

named_molecule as (
    select
        drug_alias.drug_id,
        molecule_name.kind,
        molecule_name.chembl_id,
        coalesce(current_molecule.family_chembl_id, molecule_name.chembl_id) as family_chembl_id
    from drug_alias
    inner join molecule_name on drug_alias.value = fold_marks(molecule_name.folded_name)
    left join current_molecule on molecule_name.chembl_id = current_molecule.chembl_id
    where
        drug_alias.kind in ('name', 'synonym')
        and drug_alias.drug_id not in (
            select held.drug_id
            from drug_alias as held
            where held.kind in ('chembl_id', 'parent_chembl_id')
        )
),

bearer as (
    select
        named_molecule.drug_id,
        named_molecule.kind,
        coalesce(own.first_chembl_id, named_molecule.chembl_id) as chembl_id,
        coalesce(family.first_chembl_id, named_molecule.family_chembl_id) as family_chembl_id
    from named_molecule
    left join first_identity as own on named_molecule.chembl_id = own.chembl_id
    left join first_identity as family on named_molecule.family_chembl_id = family.chembl_id
),

named_tie as (
    select
        drug_id,
        'name' as kind,
        min(chembl_id) as chembl_id,
        min(family_chembl_id) as family_chembl_id
    from bearer
    where kind = 'name'
    group by drug_id
    having count(distinct chembl_id) = 1
),

synonym_tie as (
    select
        drug_id,
        'synonym' as kind,
        if(
            count(distinct chembl_id) = 1, min(chembl_id), min(family_chembl_id)
        ) as chembl_id,
        min(family_chembl_id) as family_chembl_id
    from bearer
    where
        drug_id not in (
            select named.drug_id from bearer as named
            where named.kind = 'name'
        )
    group by drug_id
    having count(distinct family_chembl_id) = 1
),

tie as (
    select
        drug_id,
        kind,
        chembl_id,
        family_chembl_id
    from named_tie
    union all
    select
        drug_id,
        kind,
        chembl_id,
        family_chembl_id
    from synonym_tie
)

select
    drug_id,
    chembl_id,
    family_chembl_id,
    count(*) over (partition by chembl_id, kind) = 1
    and kind = min(kind) over (partition by chembl_id)
    and chembl_id not in (
        select held.value from drug_alias as held
        where held.kind = 'chembl_id'
    ) as is_own
from tie
