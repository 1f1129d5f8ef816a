-- Title:   Pairs that came true in the common window of two slates
-- Result:  Comparisons and models
-- Formula: pairs with a high-signal outcome of either slate that happened and became public after
--          the later freeze and by the end of the common window; of several the first
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
    outcome.disease_id,
    outcome.drug_id,
    outcome.outcome_id,
    outcome.outcome_type,
    outcome.event_date,
    outcome.public_by,
    outcome.source,
    outcome.record
from side
inner join outcome_timing as outcome on side.side_id = outcome.slate_id
where
    outcome.signal = 'high'
    and outcome.event_date > side.starts_on
    and outcome.public_after >= side.starts_on
    and greatest(outcome.event_date, outcome.public_by) <= side.ends_on
qualify
    row_number() over (
        partition by side.slate_id, side.versus_slate_id, outcome.disease_id, outcome.drug_id
        order by outcome.event_date, outcome.public_by, outcome.outcome_id
    ) = 1
