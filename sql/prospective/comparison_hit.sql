-- Title:   Pairs that came true in the common window of two slates
-- Formula: pairs with a high-signal outcome of either slate that happened and became public after
--          the later freeze and by the end of the common window; of several the first
-- Source:  docs/metrics.md#comparison_hit
-- Units:   outcome_id is the id of the event
-- Grain:   slate_id, versus_slate_id, disease_id, drug_id
-- Note:    what either slate sees counts for both, so that no model wins by its names or its plan
with side as (
    select
        *,
        unnest([slate_id, versus_slate_id]) as side_id
    from comparison_window
    where reason is null
)

select
    side.slate_id,
    side.versus_slate_id,
    outcome_timing.disease_id,
    outcome_timing.drug_id,
    outcome_timing.outcome_id,
    outcome_timing.outcome_type,
    outcome_timing.event_date,
    outcome_timing.public_by,
    outcome_timing.source,
    outcome_timing.record
from side
inner join outcome_timing on side.side_id = outcome_timing.slate_id
where
    outcome_timing.signal = 'high'
    and outcome_timing.event_date > side.starts_on
    and outcome_timing.public_after >= side.starts_on
    and greatest(outcome_timing.event_date, outcome_timing.public_by) <= side.ends_on
qualify
    row_number() over (
        partition by
            side.slate_id, side.versus_slate_id, outcome_timing.disease_id, outcome_timing.drug_id
        order by outcome_timing.event_date, outcome_timing.public_by, outcome_timing.outcome_id
    ) = 1
