-- Title:      The other names of AACT's intervention_other_names.txt
-- Reads:      files
-- Writes:     staged_intervention
-- Parameters: path, columns
select
    nct_id as source_key,
    try_cast(intervention_id as bigint) as ordinal,
    cast(null as varchar) as intervention_type,
    trim(name) as name,
    true as is_other_name,
    false as is_mesh_term,
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
where trim(name) <> ''
