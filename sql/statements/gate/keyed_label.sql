-- Title:      The rows of a staged file of labels, each with the keys that no other row may have
-- Reads:      staged_label
-- Creates:    keyed_row
-- Note:       An instance has each label and each rank once. It may have no label, also once.
select
    row_number,
    'label' as column_name,
    item,
    coalesce(label, '') as part,
    item is not null as is_whole
from staged_label
union all
select
    row_number,
    'rank' as column_name,
    item,
    cast(rank as varchar) as part,
    item is not null as is_whole
from staged_label
where rank is not null
