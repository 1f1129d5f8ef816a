-- Title:      What the studies of AACT's designs.txt are for
-- Reads:      files
-- Writes:     staged_detail
select
    nct_id as source_key,
    nullif(primary_purpose, '') as primary_purpose
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
