-- Title:   Versions of medicines, and when the indication of each became public
-- Formula: versions of a product in the order of the releases; those that follow one another with
--          the same text of the indication show one indication, from the first of them on
-- Units:   dates of releases; previous_on is that of the release before, always earlier, and NULL
--          for the first release; the same for the release that first had the text
-- Grain:   medicine_id
with followed_medicine as (
    select
        medicine.medicine_id,
        medicine.product_number,
        medicine.release_id,
        release_order.position,
        release_order.released_on,
        if(
            release_order.previous_released_on >= release_order.released_on,
            cast(release_order.released_on - 1 as date),
            release_order.previous_released_on
        ) as previous_on,
        medicine.indication,
        row_number() over (
            partition by medicine.product_number order by release_order.position
        ) = 1 as is_first,
        lag(medicine.indication) over (
            partition by medicine.product_number order by release_order.position
        ) as earlier_indication
    from medicine
    inner join release_order using (release_id)
),

numbered_medicine as (
    select
        *,
        count(*) filter (where is_first or indication is distinct from earlier_indication) over (
            partition by product_number order by position
        ) as text_number
    from followed_medicine
)

select
    medicine_id,
    product_number,
    release_id,
    position,
    released_on,
    previous_on,
    is_first,
    first_value(position) over same_text as text_position,
    first_value(released_on) over same_text as text_released_on,
    first_value(previous_on) over same_text as text_previous_on
from numbered_medicine
window same_text as (partition by product_number, text_number order by position)
