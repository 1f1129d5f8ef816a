-- Title:      Products that occur more than once in a table of medicines
-- Reads:      staged_medicine
select
    max(source_key) as source_key,
    product_number as record,
    count(*) over () as n_problems
from staged_medicine
group by product_number
having count(*) > 1
order by source_key
limit :limit
