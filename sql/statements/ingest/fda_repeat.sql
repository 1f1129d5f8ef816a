-- Title:      Submissions and products that occur more than once in a release
-- Reads:      staged_product, staged_submission
with repeated as (
    select
        max(source_key) as source_key,
        concat_ws(' ', application_number, submission_type, submission_number) as record
    from staged_submission
    group by application_number, submission_type, submission_number
    having count(*) > 1
    union all
    select
        max(source_key) as source_key,
        concat_ws(' product ', application_number, product_number) as record
    from staged_product
    group by application_number, product_number
    having count(*) > 1
)

select
    source_key,
    record,
    count(*) over () as n_problems
from repeated
order by source_key
limit :limit
