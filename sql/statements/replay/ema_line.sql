-- Title:      Medicines of EMA's table, as lines that can be compared between stores
-- Reads:      medicine, medicine_area, medicine_substance, release
-- Note:       Lines as in event_line. source_key says where a medicine stood in its file, whose
--             name does not count.
with listed as (
    select
        'medicine_substance' as kind,
        medicine_id,
        position,
        name,
        folded_name
    from medicine_substance
    union all
    select
        'medicine_area' as kind,
        medicine_id,
        position,
        name,
        folded_name
    from medicine_area
)

select
    'medicine' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, medicine.product_number) as varchar) as subject,
    concat_ws(' ', medicine.product_number, 'as of', release.released_on) as record,
    json_object(
        'category', medicine.category,
        'name', medicine.name,
        'status', medicine.status,
        'inn', medicine.inn,
        'active_substance', medicine.active_substance,
        'n_substances', medicine.n_substances,
        'is_generic', medicine.is_generic,
        'is_biosimilar', medicine.is_biosimilar,
        'indication', medicine.indication,
        'authorised_on', medicine.authorised_on,
        'refused_on', medicine.refused_on,
        'application_withdrawn_on', medicine.application_withdrawn_on,
        'authorisation_ended_on', medicine.authorisation_ended_on,
        'url', medicine.url,
        'content_sha256', medicine.content_sha256
    ) as content,
    cast(medicine.medicine_id as bigint) as row_id
from medicine
inner join release on medicine.release_id = release.release_id
union all
select
    listed.kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, medicine.product_number) as varchar) as subject,
    concat_ws(' ', medicine.product_number, 'as of', release.released_on) as record,
    json_object(
        'position', listed.position,
        'name', listed.name,
        'folded_name', fold_marks(listed.folded_name)
    ) as content,
    cast(null as bigint) as row_id
from listed
inner join medicine on listed.medicine_id = medicine.medicine_id
inner join release on medicine.release_id = release.release_id
