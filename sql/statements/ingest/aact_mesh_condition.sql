-- Title:      The MeSH terms of AACT's browse_conditions.txt
-- Reads:      files
-- Writes:     staged_condition
-- Parameters: path, columns
-- Note:       The registry also lists a term's ancestors, but a study of asthma is not a study of
--             lung diseases.
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    trim(mesh_term) as name,
    true as is_mesh_term,
    cast(null as varchar) as mesh_id
from
    read_csv(
        :path,
        delim = '|',
        quote = '"',
        escape = '"',
        header = true,
        all_varchar = true,
        auto_detect = false,
        columns = :columns,
        strict_mode = true
    )
where trim(mesh_term) <> '' and coalesce(mesh_type, 'mesh-list') = 'mesh-list'
