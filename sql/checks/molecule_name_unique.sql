-- Title:   A molecule name comes from a known release and occurs once
-- When:    audit
-- Grain:   chembl_id, kind, folded_name
select
    molecule_name.chembl_id,
    molecule_name.kind,
    molecule_name.folded_name,
    'the release is unknown, or the name occurs more than once' as reason
from molecule_name
left join release using (release_id)
group by molecule_name.chembl_id, molecule_name.kind, molecule_name.folded_name
having count(*) > 1 or count(release.release_id) = 0
