-- Title:      Every submission and product of the release
-- Reads:      new_approval, new_product
-- Creates:    given_record
select
    'submission' as kind,
    concat_ws('/', application_number, submission_type, submission_number) as record_key
from new_approval
union all
select
    'product' as kind,
    concat_ws('/', application_number, product_number) as record_key
from new_product
