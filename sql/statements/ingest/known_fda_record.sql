-- Title:      Every submission and product that the store has seen
-- Reads:      approval, approval_product
-- Creates:    known_record
select distinct
    'submission' as kind,
    concat_ws('/', application_number, submission_type, submission_number) as record_key
from approval
union all
select distinct
    'product' as kind,
    concat_ws('/', application_number, product_number) as record_key
from approval_product
