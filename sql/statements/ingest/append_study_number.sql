-- Title:      Appends the numbers of studies that no earlier release stated
-- Reads:      staged_number, study_number
-- Writes:     study_number
select distinct
    staged_number.nct_id,
    staged_number.number,
    cast(:release_id as integer) as release_id
from staged_number
anti join study_number
    on
        staged_number.nct_id = study_number.nct_id
        and staged_number.number = study_number.number
order by staged_number.nct_id, staged_number.number
