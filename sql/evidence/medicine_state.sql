-- Title:   Versions of a medicine and the releases that showed them
-- Formula: each version until the next one or until the medicine vanished; a medicine that came
--          back unchanged shows its version again
-- Units:   positions in the order of the source's releases; until_position NULL: still shown;
--          last_shown_on is the day of the last release that shows the version
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
),

table_release as (
    select
        position,
        released_on,
        max(position) over () as newest_position
    from release_order
    where tells_of = 'medicines'
)

select
    spell.product_number,
    spell.from_position,
    spell.until_position,
    table_release.released_on as last_shown_on,
    spell.medicine_id
from spell
inner join table_release
    on table_release.position = coalesce(spell.until_position - 1, table_release.newest_position)
where spell.is_present
