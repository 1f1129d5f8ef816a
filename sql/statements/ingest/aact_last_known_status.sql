-- Title:      The last known status of studies in AACT's studies.txt whose status is unknown
-- Reads:      files
-- Writes:     staged_detail
-- Parameters: path, columns
select
    nct_id as source_key,
    last_known_status
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
where nullif(last_known_status, '') is not null
