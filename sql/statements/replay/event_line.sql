-- Title:      Detected events as lines that can be compared between stores
-- Reads:      disease, drug, event, release
-- Note:       A line: the part of the ledger it comes from, what it is about, its name in words,
--             and its content. row_id, which may differ between stores, names the row. An event
--             by the rules of an earlier version and the row that corrects it cancel out.
with corrected_event as (
    select
        event.event_id,
        correction.event_id as correction_id
    from event
    inner join event as correction
        on
            event.drug_id = correction.drug_id
            and event.event_type = correction.event_type
            and event.record = correction.record
            and event.event_date = correction.event_date
            and event.release_id = correction.release_id
            and event.drug_alias = correction.drug_alias
    where
        event.event_type = 'drug_approval'
        and event.event_origin = 'detected'
        and event.phase is not null
        and correction.event_origin = 'detected'
        and correction.phase is null
),

cancelled_event as (
    select event_id from corrected_event
    union
    select correction_id as event_id from corrected_event
)

select
    'event' as kind,
    concat_ws(' ', event.source, coalesce(release.sha256, 'no release')) as part,
    cast(json_array(event.source, event.drug_id, coalesce(event.disease_id, 0)) as varchar)
        as subject,
    concat_ws(
        ', ',
        event.event_type,
        drug.name,
        disease.name,
        concat_ws(' ', event.source, event.record)
    ) as record,
    json_object(
        'event_type', event.event_type,
        'record', event.record,
        'phase', event.phase,
        'event_date', event.event_date,
        'public_after', event.public_after,
        'public_by', event.public_by,
        'release', release.sha256,
        'match_kind', event.match_kind,
        'drug_alias', event.drug_alias,
        'disease_alias', event.disease_alias,
        'recorded_at', make_timestamp(epoch_us(event.recorded_at)),
        'observed_at', make_timestamp(epoch_us(event.observed_at)),
        'detail', event.detail
    ) as content,
    event.event_id as row_id
from event
inner join drug on event.drug_id = drug.drug_id
left join disease on event.disease_id = disease.disease_id
left join release on event.release_id = release.release_id
anti join cancelled_event on event.event_id = cancelled_event.event_id
where event.event_origin = 'detected'
