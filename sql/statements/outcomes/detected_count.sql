-- Title:      Number of outcomes detected, by slate and type
-- Reads:      detected_outcome
-- Parameters: none
select
    slate_id,
    outcome_type,
    count(*) as n_outcomes
from detected_outcome
group by slate_id, outcome_type
order by slate_id, outcome_type
