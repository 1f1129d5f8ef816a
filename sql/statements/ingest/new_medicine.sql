-- Title:      The medicines of a release with their keys, and whether each is new or changed
-- Reads:      medicine, staged_medicine
-- Creates:    new_medicine
with hashed as (
    select
        *,
        sha256(
            concat_ws(
                chr(31),
                category,
                name,
                status,
                coalesce(inn, chr(30)),
                coalesce(active_substance, chr(30)),
                is_generic,
                is_biosimilar,
                coalesce(indication, chr(30)),
                coalesce(areas, chr(30)),
                coalesce(cast(authorised_on as varchar), chr(30)),
                coalesce(cast(refused_on as varchar), chr(30)),
                coalesce(cast(application_withdrawn_on as varchar), chr(30)),
                coalesce(cast(authorisation_ended_on as varchar), chr(30)),
                coalesce(url, chr(30))
            )
        ) as content_sha256
    from staged_medicine
),

held as (
    select
        product_number,
        arg_max(content_sha256, medicine_id) as content_sha256
    from medicine
    group by product_number
)

select
    hashed.source_key,
    hashed.product_number,
    hashed.category,
    hashed.name,
    hashed.status,
    hashed.inn,
    hashed.active_substance,
    hashed.substances,
    hashed.n_substances,
    hashed.areas,
    hashed.is_generic,
    hashed.is_biosimilar,
    hashed.indication,
    hashed.authorised_on,
    hashed.refused_on,
    hashed.application_withdrawn_on,
    hashed.authorisation_ended_on,
    hashed.url,
    hashed.content_sha256,
    (held.content_sha256 is distinct from hashed.content_sha256) as is_changed,
    :first_id - 1 + row_number() over (
        order by is_changed desc, hashed.product_number asc
    ) as medicine_id
from hashed
left join held on hashed.product_number = held.product_number
