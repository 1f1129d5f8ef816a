-- Title:      Rows of a file that repeat the key of a row above
-- Reads:      keyed_row
-- Note:       Keys that are not whole are not compared: the empty cell is a problem of its own.
with repeated as (
    select
        column_name,
        item,
        part,
        min(row_number) as first_row
    from keyed_row
    where is_whole
    group by column_name, item, part
    having count(*) > 1
)

select
    keyed_row.row_number,
    keyed_row.column_name,
    concat(
        '''',
        concat_ws(''', ''', keyed_row.item, keyed_row.part),
        ''' repeats row ',
        repeated.first_row
    ) as message
from keyed_row
inner join repeated
    on
        keyed_row.column_name = repeated.column_name
        and keyed_row.item is not distinct from repeated.item
        and keyed_row.part is not distinct from repeated.part
where keyed_row.is_whole and keyed_row.row_number > repeated.first_row
