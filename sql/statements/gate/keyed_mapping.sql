-- Title:      The rows of a mapping of labels, each with the key that no other row may have
-- Reads:      mapping_row
-- Creates:    keyed_row
select
    row_number,
    'label' as column_name,
    cast(null as varchar) as item,
    label as part,
    label is not null as is_whole
from mapping_row
