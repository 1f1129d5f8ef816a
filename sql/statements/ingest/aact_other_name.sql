-- Title:      The other names of AACT's intervention_other_names.txt
-- Reads:      files
-- Writes:     staged_intervention
select
    nct_id as source_key,
    try_cast(intervention_id as bigint) as ordinal,
    trim(name) as name,
    true as is_other_name,
    false as is_mesh_term
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
where trim(name) <> ''
