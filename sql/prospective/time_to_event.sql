-- Title:   Time to event
-- Formula: date of the pair's first dated high-signal outcome - the date that the slate states
--          (days_to_event), and - counted_from (days_from_counted)
-- Source:  docs/metrics.md#time_to_event
-- Units:   whole days, negative for an earlier event; rank within the disease, as frozen; only
--          predictions with a dated hit have a row
-- Grain:   slate_id, disease_id, drug_id
with ranked_event as (
    select
        slate_id,
        disease_id,
        drug_id,
        event_date,
        timing,
        outcome_type,
        source,
        row_number() over (
            partition by slate_id, disease_id, drug_id
            order by event_date, outcome_id
        ) as event_number
    from outcome_timing
    where signal = 'high' and event_date is not null
)

select
    prediction.slate_id,
    prediction.disease_id,
    prediction.drug_id,
    prediction.tier,
    prediction.rank,
    ranked_event.event_date as first_event_date,
    cast(ranked_event.event_date - slate_date.frozen_on as bigint) as days_to_event,
    cast(ranked_event.event_date - slate_date.counted_from as bigint) as days_from_counted,
    ranked_event.timing,
    ranked_event.outcome_type,
    ranked_event.source
from ranked_event
inner join prediction using (slate_id, disease_id, drug_id)
inner join slate_date using (slate_id)
where ranked_event.event_number = 1
