-- Title:      Appends the labels of a benchmark with frequency and decile
-- Reads:      benchmark_label, mapping_row
-- Writes:     benchmark_label
-- Parameters: benchmark_id
select
    (select coalesce(max(benchmark_label.label_id), 0) from benchmark_label)
    + row_number() over (order by label) as label_id,
    cast(:benchmark_id as integer) as benchmark_id,
    label as name,
    frequency,
    coalesce(decile, ntile(10) over (order by frequency, label)) as decile
from mapping_row
