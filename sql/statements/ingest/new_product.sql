-- Title:      The products of a release with their keys, and whether each is new or changed
-- Reads:      approval_product, staged_product
-- Creates:    new_product
with hashed as (
    select
        source_key,
        application_number,
        product_number,
        trim(drug_name) as drug_name,
        fold_name(trim(drug_name)) as folded_drug_name,
        active_ingredients,
        list_filter(
            list_transform(
                string_split(coalesce(active_ingredients, ''), ';'), lambda part: trim(part)
            ),
            lambda part: part <> ''
        ) as ingredients,
        sha256(
            concat_ws(
                chr(31),
                coalesce(trim(drug_name), chr(30)),
                coalesce(active_ingredients, chr(30))
            )
        ) as content_sha256
    from staged_product
),

held as (
    select
        application_number,
        product_number,
        arg_max(content_sha256, product_id) as content_sha256
    from approval_product
    group by application_number, product_number
)

select
    hashed.source_key,
    hashed.application_number,
    hashed.product_number,
    hashed.drug_name,
    hashed.folded_drug_name,
    hashed.active_ingredients,
    hashed.ingredients,
    hashed.content_sha256,
    (held.content_sha256 is distinct from hashed.content_sha256) as is_changed,
    :first_id - 1 + row_number() over (
        order by is_changed desc, hashed.application_number asc, hashed.product_number asc
    ) as product_id
from hashed
left join held
    on
        hashed.application_number = held.application_number
        and hashed.product_number = held.product_number
