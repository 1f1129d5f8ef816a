-- Title:      The studies of AACT's studies.txt
-- Reads:      files
-- Writes:     staged_study
select
    nct_id,
    coalesce(
        nullif(nct_id, ''), 'the study titled ''' || coalesce(brief_title, '') || ''''
    ) as source_key,
    nullif(brief_title, '') as title,
    nullif(study_type, '') as study_type,
    nullif(phase, '') as phase,
    nullif(overall_status, '') as overall_status,
    nullif(aact_date(start_date, start_month_year), '') as start_date,
    nullif(start_date_type, '') as start_type,
    nullif(
        aact_date(primary_completion_date, primary_completion_month_year), ''
    ) as primary_completion_date,
    nullif(aact_date(completion_date, completion_month_year), '') as completion_date,
    nullif(study_first_posted_date, '') as first_posted_on,
    nullif(last_update_posted_date, '') as last_update_posted_on
from read_csv(:path, delim = '|', header = true, auto_detect = false, columns = :columns)
