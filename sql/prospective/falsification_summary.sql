-- Title:   Falsification by tier
-- Result:  Criteria
-- Formula: predictions met, falsified, open, and not yet known because evidence does not reach the
--          due date; falsified_share = falsified / falsifiable
-- Units:   counts and a fraction 0..1; a monitored (approved) pair is not falsifiable
-- Grain:   slate_id, tier
with tier_prediction as (
    select
        * exclude (tier),
        unnest([tier, 'all']) as tier
    from falsification_status
)

select
    slate_id,
    tier,
    count(*) as n_predictions,
    count(due_date) as n_falsifiable,
    count(*) filter (where status = 'met') as n_met,
    count(*) filter (where is_met_prospectively) as n_met_prospectively,
    count(*) filter (where status = 'falsified') as n_falsified,
    count(due_date) filter (where status = 'open') as n_open,
    count(*) filter (where status = 'not yet known') as n_not_yet_known,
    count(*) filter (where status = 'falsified') / nullif(count(due_date), 0) as falsified_share,
    min(due_date) filter (where status = 'open') as next_due_date,
    if(count(due_date) = 0, 'no prediction of the tier is falsifiable', null) as reason
from tier_prediction
group by slate_id, tier
