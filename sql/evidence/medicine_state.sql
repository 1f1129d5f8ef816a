-- Title:   Versions of a medicine and the releases that showed them
-- Formula: each version until the next one or until the medicine vanished; a medicine that came
--          back unchanged shows its version again
-- Units:   positions in the order of the source's releases; until_position NULL: still shown
-- Grain:   product_number, from_position
with change as (
    select
        medicine.product_number,
        release_order.position,
        medicine.medicine_id,
        true as is_present
    from medicine
    inner join release_order using (release_id)
    union all
    select
        record_presence.record_key as product_number,
        release_order.position,
        null as medicine_id,
        record_presence.is_present
    from record_presence
    inner join release_order using (release_id)
    where record_presence.kind = 'medicine'
),

step as (
    select
        product_number,
        position,
        max(medicine_id) as medicine_id,
        bool_and(is_present) as is_present
    from change
    group by product_number, position
),

spell as (
    select
        product_number,
        position as from_position,
        lead(position) over (partition by product_number order by position) as until_position,
        max(medicine_id) over (partition by product_number order by position) as medicine_id,
        is_present
    from step
)

select
    product_number,
    from_position,
    until_position,
    medicine_id
from spell
where is_present
