-- Title:      Appends the items of a staged file of values
-- Reads:      staged_value
-- Writes:     benchmark_item
select
    cast(:benchmark_id as integer) as benchmark_id,
    :first_id - 1 + row_number() over (order by item) as item_id,
    item as name,
    any_value(fold) as fold
from staged_value
group by item
