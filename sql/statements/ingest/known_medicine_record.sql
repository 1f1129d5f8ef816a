-- Title:      Every medicine that the store has seen
-- Reads:      medicine
-- Creates:    known_record
select distinct
    'medicine' as kind,
    product_number as record_key
from medicine
