-- Title:   Time to event
-- Result:  Time to event
-- Formula: date of the pair's first dated high-signal outcome - the date that the slate states
--          (days_to_event), and - counted_from (days_from_counted)
-- Units:   whole days, negative for an earlier event; rank within the disease, as frozen; only
--          predictions with a dated hit have a row
-- Grain:   slate_id, disease_id, drug_id
select
    slate_id,
    disease_id,
    drug_id,
    prediction.tier,
    prediction.rank,
    outcome_timing.event_date as first_event_date,
    cast(outcome_timing.event_date - slate_date.frozen_on as bigint) as days_to_event,
    cast(outcome_timing.event_date - slate_date.counted_from as bigint) as days_from_counted,
    outcome_timing.timing,
    outcome_timing.outcome_type,
    outcome_timing.source
from outcome_timing
inner join prediction using (slate_id, disease_id, drug_id)
inner join slate_date using (slate_id)
where outcome_timing.signal = 'high' and outcome_timing.event_date is not null
qualify
    row_number() over (
        partition by slate_id, disease_id, drug_id
        order by outcome_timing.event_date, outcome_timing.outcome_id
    ) = 1
