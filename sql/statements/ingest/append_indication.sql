-- Title:      Appends the indications of a release
-- Reads:      new_indication
-- Writes:     indication
select
    indication_id,
    cast(:release_id as integer) as release_id,
    source_key,
    chembl_id,
    parent_chembl_id,
    efo_id,
    efo_term,
    folded_efo_term,
    mesh_id,
    mesh_heading,
    folded_mesh_heading,
    max_phase,
    first_approved_in
from new_indication
