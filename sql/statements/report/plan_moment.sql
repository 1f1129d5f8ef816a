-- Title:      Progress of a slate's plan: its horizon, how far evidence reaches, updates so far
-- Reads:      refresh_count, report_day, slate_follow_up, slate_horizon
select
    slate_horizon.horizon_months,
    slate_horizon.ends_on as horizon_ends_on,
    slate_horizon.ends_on <= report_day.reported_on as is_over,
    slate_follow_up.followed_until,
    slate_follow_up.source as slowest_source,
    refresh_count.n_refreshes,
    refresh_count.n_updates
from slate_horizon
inner join slate_follow_up using (slate_id)
inner join refresh_count using (slate_id)
cross join report_day
where slate_id = :slate_id
