-- Title:      Appends the products that are new or changed
-- Reads:      new_product
-- Writes:     approval_product
select
    product_id,
    cast(:release_id as integer) as release_id,
    source_key,
    application_number,
    product_number,
    drug_name,
    folded_drug_name,
    active_ingredients,
    len(ingredients) as n_ingredients,
    content_sha256
from new_product
where is_changed
order by product_id
