-- Title:      Claims about the world that files made, as lines that can be compared between stores
-- Reads:      disease, drug, event
-- Note:       Lines as in event_line; the part is the load, known by its instant. Claims of a
--             slate's publisher are left out: they came with the slate.
select
    'claim' as kind,
    concat_ws(
        ' ', event.event_origin, make_timestamp(epoch_us(event.recorded_at))
    ) as part,
    cast(json_array(event.drug_id, coalesce(event.disease_id, 0)) as varchar) as subject,
    concat_ws(
        ', ',
        event.event_type,
        drug.name,
        disease.name,
        concat_ws(' ', event.source, event.record)
    ) as record,
    json_object(
        'event_type', event.event_type,
        'source', event.source,
        'record', event.record,
        'phase', event.phase,
        'event_date', event.event_date,
        'public_after', event.public_after,
        'public_by', event.public_by,
        'recorded_at', make_timestamp(epoch_us(event.recorded_at)),
        'observed_at', make_timestamp(epoch_us(nullif(event.observed_at, event.recorded_at))),
        'detail', event.detail
    ) as content,
    event.event_id as row_id
from event
inner join drug on event.drug_id = drug.drug_id
left join disease on event.disease_id = disease.disease_id
where event.event_origin <> 'detected' and event.slate_id is null
