-- Title:      Appends the ingredients of products that are new or changed
-- Reads:      new_product
-- Writes:     product_ingredient
with entry as (
    select
        product_id,
        generate_subscripts(ingredients, 1) as position,
        unnest(ingredients) as name
    from new_product
    where is_changed
)

select
    product_id,
    position,
    name,
    fold_name(name) as folded_name
from entry
