-- Title:      The arms of AACT's design_groups.txt
-- Reads:      files
-- Writes:     staged_arm
select
    nct_id as source_key,
    try_cast(id as bigint) as arm_number,
    group_type as arm_type
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
