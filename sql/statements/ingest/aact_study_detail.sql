-- Title:      Why the studies of AACT's studies.txt stopped, and when they had results
-- Reads:      files
-- Writes:     staged_detail
select
    nct_id as source_key,
    nullif(why_stopped, '') as why_stopped,
    nullif(results_first_posted_date, '') as results_posted_on
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
where nullif(why_stopped, '') is not null or nullif(results_first_posted_date, '') is not null
