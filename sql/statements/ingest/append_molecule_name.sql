-- Title:      Appends the names that are in no earlier release
-- Reads:      molecule_name, new_name
-- Writes:     molecule_name
select
    new_name.chembl_id,
    new_name.kind,
    new_name.folded_name,
    new_name.name,
    cast(:release_id as integer) as release_id
from new_name
anti join molecule_name
    on
        new_name.chembl_id = molecule_name.chembl_id
        and new_name.kind = molecule_name.kind
        and new_name.folded_name = molecule_name.folded_name
