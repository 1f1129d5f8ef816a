-- Title:      Every study that the store has seen
-- Reads:      trial
-- Creates:    known_record
-- Parameters: none
select distinct
    'trial' as kind,
    nct_id as record_key
from trial
