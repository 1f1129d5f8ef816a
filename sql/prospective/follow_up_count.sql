-- Title:   Pairs by days of follow-up
-- Formula: sum of follow_up_by_disease over the diseases
-- Source:  docs/metrics.md#follow_up_count
-- Units:   as in follow_up_by_disease
-- Grain:   slate_id, tier, follow_up_days, is_event
select
    slate_id,
    tier,
    follow_up_days,
    is_event,
    cast(sum(n_pairs) as bigint) as n_pairs
from follow_up_by_disease
group by slate_id, tier, follow_up_days, is_event
