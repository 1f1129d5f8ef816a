-- Title:      The conditions of AACT's conditions.txt
-- Reads:      files
-- Writes:     staged_condition
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    trim(name) as name,
    false as is_mesh_term
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
where trim(name) <> ''
