-- Title:      The interventions of each arm of AACT's design_group_interventions.txt
-- Reads:      files
-- Writes:     staged_arm_intervention
select
    nct_id as source_key,
    try_cast(design_group_id as bigint) as arm_number,
    try_cast(intervention_id as bigint) as ordinal
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
