-- Title:      Appends the labels of a benchmark with frequency and decile
-- Reads:      mapping_row
-- Writes:     benchmark_label
select
    :first_id - 1 + row_number() over (order by label) as label_id,
    cast(:benchmark_id as integer) as benchmark_id,
    label as name,
    frequency,
    coalesce(decile, ntile(10) over (order by frequency, label)) as decile
from mapping_row
