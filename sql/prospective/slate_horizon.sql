-- Title:   Horizon of a slate
-- Formula: freeze date + the months of its plan; the default plan's 12 for a slate without a plan,
--          or with one that names no horizon
-- Source:  docs/metrics.md#horizon
-- Units:   months; ends_on is the last day that counts
-- Grain:   slate_id
with planned as (
    select
        slate_id,
        frozen_on,
        coalesce(try_cast(plan ->> 'horizon_months' as integer), 12) as horizon_months
    from slate
)

select
    slate_id,
    frozen_on,
    horizon_months,
    cast(frozen_on + to_months(horizon_months) as date) as ends_on
from planned
