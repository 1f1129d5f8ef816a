-- Title:      What the studies of AACT's designs.txt are for
-- Reads:      files
-- Writes:     staged_detail
-- Parameters: path, columns
select
    nct_id as source_key,
    nullif(primary_purpose, '') as primary_purpose,
    cast(null as varchar) as why_stopped,
    cast(null as varchar) as results_posted_on
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
