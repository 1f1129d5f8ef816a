-- Title:      Appends molecules that are new or whose parent has changed
-- Reads:      molecule, new_indication, new_name, release, staged_molecule
-- Writes:     molecule
-- Note:       An older release, ingested late, only adds molecules: the newest determines the
--             current parent. A missing parent means that the source gives none; it does not
--             withdraw one that an earlier release gave.
with seen as (
    select
        chembl_id,
        parent_chembl_id
    from new_indication
    union
    select
        chembl_id,
        parent_chembl_id
    from new_name
    union
    select
        chembl_id,
        parent_chembl_id
    from staged_molecule
),

seen_once as (
    select
        chembl_id,
        max(parent_chembl_id) as parent_chembl_id
    from seen
    group by chembl_id
),

held as (
    select
        molecule.chembl_id,
        arg_max(molecule.parent_chembl_id, (release.released_on, release.release_id))
            as parent_chembl_id
    from molecule
    inner join release on molecule.release_id = release.release_id
    group by molecule.chembl_id
)

select
    seen_once.chembl_id,
    cast(:release_id as integer) as release_id,
    seen_once.parent_chembl_id
from seen_once
left join held on seen_once.chembl_id = held.chembl_id
where
    held.chembl_id is null
    or (
        :is_newest
        and seen_once.parent_chembl_id is not null
        and held.parent_chembl_id is distinct from seen_once.parent_chembl_id
    )
