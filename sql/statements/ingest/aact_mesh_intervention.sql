-- Title:      The MeSH terms of AACT's browse_interventions.txt
-- Reads:      files
-- Writes:     staged_intervention
-- Note:       The registry also lists a term's ancestors, which are classes of drugs.
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    trim(mesh_term) as name,
    false as is_other_name,
    true as is_mesh_term
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
where trim(mesh_term) <> '' and coalesce(mesh_type, 'mesh-list') = 'mesh-list'
