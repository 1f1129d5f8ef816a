-- Title:      Every study that a snapshot in the store has shown
-- Reads:      trial
-- Creates:    known_record
-- Parameters: none
select distinct
    'trial' as kind,
    nct_id as record_key
from trial
where version_number is null
