-- Title:   A key of a molecule is of a known release and occurs once in it
-- When:    audit
-- Grain:   release_id, chembl_id, kind, value
select
    molecule_key.release_id,
    molecule_key.chembl_id,
    molecule_key.kind,
    molecule_key.value,
    'the release is unknown, or the key occurs more than once' as reason
from molecule_key
left join release on molecule_key.release_id = release.release_id
group by
    molecule_key.release_id, molecule_key.chembl_id, molecule_key.kind, molecule_key.value
having count(*) > 1 or count(release.release_id) = 0
