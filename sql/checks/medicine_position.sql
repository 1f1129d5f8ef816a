-- Title:   The substances and areas of a medicine are numbered without a gap
-- When:    audit
-- Grain:   table_name, medicine_id
with listed as (
    select
        'medicine_substance' as table_name,
        medicine_id,
        position
    from medicine_substance
    union all
    select
        'medicine_area' as table_name,
        medicine_id,
        position
    from medicine_area
)

select
    table_name,
    medicine_id,
    'a position repeats or is missing' as reason
from listed
group by table_name, medicine_id
having count(*) <> max(position)
