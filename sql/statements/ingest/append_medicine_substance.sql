-- Title:      Appends the substances of medicines that are new or changed
-- Reads:      new_medicine
-- Writes:     medicine_substance
with entry as (
    select
        medicine_id,
        generate_subscripts(string_split(substances, ';'), 1) as position,
        unnest(string_split(substances, ';')) as name
    from new_medicine
    where is_changed
)

select
    medicine_id,
    position,
    name,
    fold_name(name) as folded_name
from entry
order by medicine_id, position
