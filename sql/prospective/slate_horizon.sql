-- Title:   Horizon of a slate
-- Result:  Verdict and overview
-- Formula: the day from which figures count + the months of its plan; the default plan's 12 for a
--          slate without a plan, or with one that names no horizon
-- Source:  docs/metrics.md#horizon
-- Units:   months; ends_on is the last day that counts
-- Grain:   slate_id
select
    slate_id,
    slate_date.frozen_on,
    slate_date.counted_from,
    coalesce(try_cast(slate.plan ->> 'horizon_months' as integer), 12) as horizon_months,
    cast(slate_date.counted_from + to_months(horizon_months) as date) as ends_on
from slate
inner join slate_date using (slate_id)
