-- Title:   What releases of ChEMBL have of molecules
-- Formula: the keys of each release; of a release without any, the molecules of its indications
--          with the names that they had by then
-- Units:   kind is chembl_id (the molecule is in the release), inchi_key, unii or name (folded);
--          is_whole where what is not there is not in the release
-- Grain:   position, chembl_id, kind, value
with keyed_release as (
    select distinct release_id
    from molecule_key
),

indicated as (
    select
        release_order.release_id,
        release_order.position,
        unnest(
            list_distinct(
                [
                    indication.chembl_id,
                    coalesce(indication.parent_chembl_id, indication.chembl_id)
                ]
            )
        ) as chembl_id
    from indication
    inner join release_order using (release_id)
    anti join keyed_release on indication.release_id = keyed_release.release_id
),

indicated_molecule as (
    select distinct
        release_id,
        position,
        chembl_id
    from indicated
),

given_name as (
    select
        molecule_name.chembl_id,
        molecule_name.folded_name,
        release_order.position
    from molecule_name
    inner join release_order using (release_id)
    where molecule_name.kind = 'name'
)

select
    release_order.release_id,
    release_order.position,
    molecule_key.chembl_id,
    molecule_key.kind,
    molecule_key.value,
    true as is_whole
from molecule_key
inner join release_order using (release_id)
union all
select
    release_id,
    position,
    chembl_id,
    'chembl_id' as kind,
    chembl_id as value,
    false as is_whole
from indicated_molecule
union all
select
    indicated_molecule.release_id,
    indicated_molecule.position,
    indicated_molecule.chembl_id,
    'name' as kind,
    max_by(given_name.folded_name, given_name.position) as value,
    false as is_whole
from indicated_molecule
inner join given_name
    on
        indicated_molecule.chembl_id = given_name.chembl_id
        and indicated_molecule.position >= given_name.position
group by
    indicated_molecule.release_id, indicated_molecule.position, indicated_molecule.chembl_id
