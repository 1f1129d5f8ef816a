-- Title:      Progress of a slate's plan: the end of the horizon, and the updates so far
-- Reads:      refresh_count, report_day, slate
-- Parameters: months, slate_id
select
    cast(slate.frozen_on + to_months(:months) as date) as ends_on,
    cast(slate.frozen_on + to_months(:months) as date) <= report_day.reported_on as is_over,
    refresh_count.n_refreshes,
    refresh_count.n_updates
from slate
inner join refresh_count using (slate_id)
cross join report_day
where slate_id = :slate_id
