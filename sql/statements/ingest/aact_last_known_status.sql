-- Title:      The last known status of studies in AACT's studies.txt whose status is unknown
-- Reads:      files
-- Writes:     staged_detail
select
    nct_id as source_key,
    last_known_status
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
where nullif(last_known_status, '') is not null
