-- Title:      Appends what a release has of molecules to recognise them by
-- Reads:      molecule, new_indication, new_name, staged_key, staged_molecule, staged_name
-- Writes:     molecule_key
-- Note:       Of the molecules of indications and names that are kept, of those that the store had
--             from earlier releases, and of any other that shares a key with one of them: what a
--             key means within a release depends on who else has it. The key 'chembl_id' says that
--             the molecule is in the release.
with key as (
    select distinct
        upper(trim(chembl_id)) as chembl_id,
        kind,
        upper(trim(value)) as value
    from staged_key
    where trim(value) <> ''
    union
    select distinct
        upper(trim(chembl_id)) as chembl_id,
        'name' as kind,
        fold_name(trim(name)) as value
    from staged_name
    where kind = 'name' and trim(name) <> ''
),

kept_molecule as (
    select chembl_id from new_indication
    union
    select parent_chembl_id from new_indication
    where parent_chembl_id is not null
    union
    select chembl_id from new_name
    union
    select staged_molecule.chembl_id
    from staged_molecule
    union
    select key.chembl_id
    from key
    semi join molecule on key.chembl_id = molecule.chembl_id
),

kept_key as (
    select distinct
        key.kind,
        key.value
    from key
    semi join kept_molecule on key.chembl_id = kept_molecule.chembl_id
),

shown_molecule as (
    select chembl_id from kept_molecule
    union
    select key.chembl_id
    from key
    semi join kept_key on key.kind = kept_key.kind and key.value = kept_key.value
)

select
    cast(:release_id as integer) as release_id,
    chembl_id,
    'chembl_id' as kind,
    chembl_id as value
from shown_molecule
union all
select
    cast(:release_id as integer) as release_id,
    key.chembl_id,
    key.kind,
    key.value
from key
semi join shown_molecule on key.chembl_id = shown_molecule.chembl_id
