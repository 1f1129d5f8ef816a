-- Title:      The family, a parent and its salts, of each molecule in the newest release
--             that gives its parent
-- Reads:      molecule, release
-- Creates:    current_molecule
select
    molecule.chembl_id,
    coalesce(
        arg_max(molecule.parent_chembl_id, (release.released_on, release.release_id)),
        molecule.chembl_id
    ) as family_chembl_id,
    min(release.ingested_at) as known_since
from molecule
inner join release on molecule.release_id = release.release_id
group by molecule.chembl_id
