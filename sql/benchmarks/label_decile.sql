-- Title:   Frequency decile of a label
-- Formula: the decile given with the label, 10 = most frequent, else 'not_included'
-- Units:   '1'..'10' or 'not_included'; decile_number is 0 for the latter and replaces the name
--          where many rows are joined
-- Grain:   label_id
select
    label_id,
    benchmark_id,
    coalesce(cast(decile as varchar), 'not_included') as decile,
    coalesce(decile, 0) as decile_number
from benchmark_label
