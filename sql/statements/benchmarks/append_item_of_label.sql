-- Title:      Appends the items of a staged file of labels
-- Reads:      staged_label
-- Writes:     benchmark_item
select
    cast(:benchmark_id as integer) as benchmark_id,
    :first_id - 1 + row_number() over (order by item) as item_id,
    item as name
from staged_label
group by item
