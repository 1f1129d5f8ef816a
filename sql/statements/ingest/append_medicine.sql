-- Title:      Appends the medicines that are new or changed
-- Reads:      new_medicine
-- Writes:     medicine
select
    medicine_id,
    cast(:release_id as integer) as release_id,
    source_key,
    product_number,
    category,
    name,
    status,
    inn,
    active_substance,
    n_substances,
    is_generic,
    is_biosimilar,
    indication,
    authorised_on,
    refused_on,
    application_withdrawn_on,
    authorisation_ended_on,
    url,
    content_sha256
from new_medicine
where is_changed
order by medicine_id
