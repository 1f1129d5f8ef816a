-- Title:      Number of outcomes found since an instant, by slate and type
-- Reads:      outcome, slate
-- Note:       Those that rest on events recorded since an instant, itself included, and all of a
--             slate that was recorded since.
select
    slate_id,
    outcome.outcome_type,
    count(*) as n_outcomes
from outcome
inner join slate using (slate_id)
where
    outcome.outcome_origin = 'detected'
    and (
        outcome.recorded_at >= cast(:since as timestamptz)
        or slate.recorded_at >= cast(:since as timestamptz)
    )
group by slate_id, outcome.outcome_type
order by slate_id, outcome.outcome_type
