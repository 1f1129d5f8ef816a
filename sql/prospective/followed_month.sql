-- Title:   Months of a slate since its freeze
-- Formula: month n ends n months after counted_from; months that had begun by the last day
--          followed, or by the last hit, in the window 'prospective' those of the horizon;
--          hit_month is the first month with the same hits by its end
-- Units:   months; hits of the primary endpoint's window, undated ones in month 1; is_complete when
--          followed until ends_on; has_hits from the first hit on
-- Grain:   slate_id, month
-- Note:    no month is shorter than 28 days, which bounds their number in the window 'all'
with endpoint_hit as materialized (
    select
        slate_id,
        coalesce(pair_event.first_event_date, slate_date.counted_from) as hit_on
    from pair_event
    inner join primary_endpoint using (slate_id, evidence_window)
    inner join slate_date using (slate_id)
    where pair_event.is_hit
),

followed_slate as (
    select
        slate_id,
        slate_horizon.counted_from,
        slate_horizon.horizon_months,
        primary_endpoint.evidence_window,
        follow_up_end.last_day,
        max(endpoint_hit.hit_on) as last_hit_on
    from slate_horizon
    inner join primary_endpoint using (slate_id)
    inner join follow_up_end using (slate_id)
    left join endpoint_hit using (slate_id)
    group by all
),

numbered_month as (
    select
        *,
        greatest(last_day, last_hit_on) as seen_until,
        -- Those that had not begun are left out below.
        unnest(range(1, cast(seen_until - counted_from as bigint) // 28 + 2)) as month
    from followed_slate
),

begun_month as (
    select
        slate_id,
        month,
        last_day,
        cast(counted_from + to_months(cast(month as integer)) as date) as ends_on
    from numbered_month
    where
        cast(counted_from + to_months(cast(month - 1 as integer)) as date) < seen_until
        and (evidence_window <> 'prospective' or month <= horizon_months)
),

month_hit as (
    select
        begun_month.*,
        count(endpoint_hit.hit_on) as n_hits
    from begun_month
    left join endpoint_hit
        on
            begun_month.slate_id = endpoint_hit.slate_id
            and begun_month.ends_on >= endpoint_hit.hit_on
    group by all
)

select
    slate_id,
    month,
    ends_on,
    last_day >= ends_on as is_complete,
    min(month) over (partition by slate_id, n_hits) as hit_month,
    n_hits > 0 as has_hits
from month_hit
