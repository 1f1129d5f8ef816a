-- Title:   Pairs of a disease by days of follow-up
-- Formula: number of the disease's pairs in follow_up_pair
-- Source:  docs/metrics.md#follow_up_by_disease
-- Units:   as in follow_up_pair
-- Grain:   slate_id, tier, disease_id, follow_up_days, is_event
select
    slate_id,
    tier,
    disease_id,
    follow_up_days,
    is_event,
    count(*) as n_pairs
from follow_up_pair
group by slate_id, tier, disease_id, follow_up_days, is_event
