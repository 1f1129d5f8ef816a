-- Title:      Rows whose fold differs from that of the item's first row
-- Reads:      keyed_row
with folded as (
    select
        row_number,
        item,
        fold,
        first_value(fold) over (partition by item order by row_number) as first_fold
    from keyed_row
)

select
    row_number,
    :fold_column as column_name,
    concat('''', item, ''' is in another fold above') as message
from folded
where item is not null and fold is distinct from first_fold
