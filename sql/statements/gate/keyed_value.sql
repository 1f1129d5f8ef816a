-- Title:      The rows of a staged file of values, each with the key that no other row may have
-- Reads:      staged_value
-- Creates:    keyed_row
-- Note:       The key is the item, and in a long file the item and the target. A wide row, which
--             is staged once per target, is one row here.
select
    row_number,
    :item_column as column_name,
    item,
    if(:is_long, target, null) as part,
    item is not null and (target is not null or not :is_long) as is_whole,
    fold
from staged_value
where :is_long or target is not distinct from :first_target
