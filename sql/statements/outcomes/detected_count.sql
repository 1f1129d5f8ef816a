-- Title:      Number of outcomes that rest on the events of a detection, by slate and type
-- Reads:      outcome
-- Parameters: recorded_at
select
    slate_id,
    outcome_type,
    count(*) as n_outcomes
from outcome
where recorded_at = cast(:recorded_at as timestamptz) and outcome_origin = 'detected'
group by slate_id, outcome_type
order by slate_id, outcome_type
