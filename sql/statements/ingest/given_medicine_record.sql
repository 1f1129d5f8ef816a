-- Title:      Every medicine of the release
-- Reads:      new_medicine
-- Creates:    given_record
select
    'medicine' as kind,
    product_number as record_key
from new_medicine
