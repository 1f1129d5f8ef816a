-- Title:      The interventions of AACT's interventions.txt
-- Reads:      files
-- Writes:     staged_intervention
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    code_word(nullif(intervention_type, '')) as intervention_type,
    trim(name) as name,
    false as is_other_name,
    false as is_mesh_term
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
where trim(name) <> ''
