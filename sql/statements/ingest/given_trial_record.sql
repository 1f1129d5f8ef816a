-- Title:      Every study of the snapshot
-- Reads:      new_trial
-- Creates:    given_record
select
    'trial' as kind,
    nct_id as record_key
from new_trial
