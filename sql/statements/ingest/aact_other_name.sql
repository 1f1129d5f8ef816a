-- Title:      The other names of AACT's intervention_other_names.txt
-- Reads:      files, staged_intervention
-- Writes:     staged_intervention
-- Parameters: path, columns
select
    other_name.nct_id as source_key,
    try_cast(other_name.intervention_id as bigint) as ordinal,
    staged_intervention.intervention_type,
    trim(other_name.name) as name,
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
    ) as other_name
left join staged_intervention
    on
        other_name.nct_id = staged_intervention.source_key
        and try_cast(other_name.intervention_id as bigint) = staged_intervention.ordinal
        and not staged_intervention.is_other_name
        and not staged_intervention.is_mesh_term
where trim(other_name.name) <> ''
