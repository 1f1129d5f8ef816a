-- Title:      Number of outcomes that a detection found, by slate and type
-- Reads:      outcome, slate
-- Parameters: recorded_at, followed_since
-- Note:       Those that rest on the events of the detection, and all of a slate that was recorded
--             since an instant; NULL for no such slate.
select
    slate_id,
    outcome.outcome_type,
    count(*) as n_outcomes
from outcome
inner join slate using (slate_id)
where
    outcome.outcome_origin = 'detected'
    and (
        outcome.recorded_at = cast(:recorded_at as timestamptz)
        or slate.recorded_at > cast(:followed_since as timestamptz)
    )
group by slate_id, outcome.outcome_type
order by slate_id, outcome.outcome_type
