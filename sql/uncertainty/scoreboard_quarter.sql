-- Title:   Scoreboard by quarter
-- Result:  Estimates and the scoreboard
-- Formula: for each quarter since the freeze, the figure as its last update published it
-- Units:   value, low and high as in the view of the metric; NULL in a quarter without an update
-- Grain:   slate_id, quarter_start, metric, evidence_window, population, tier
-- Note:    updates after the as-of instant are left out
-- Portability: unnest(generate_series()) is DuckDB's
with published as (
    select
        slate_id,
        recorded_at,
        cast(date_trunc('quarter', make_timestamp(epoch_us(recorded_at))) as date)
            as quarter_start,
        metric,
        evidence_window,
        population,
        tier,
        value,
        low,
        high,
        n
    from scoreboard
    where
        recorded_at <= (select report_instant.as_of from report_instant)
),

figure as (
    select distinct
        slate_id,
        metric,
        evidence_window,
        population,
        tier
    from published
),

quarter as (
    select
        slate.slate_id,
        cast(
            unnest(
                generate_series(
                    date_trunc('quarter', make_timestamp(epoch_us(slate.created_at))),
                    date_trunc('quarter', cast(report_day.reported_on as timestamp)),
                    to_months(3)
                )
            ) as date
        ) as quarter_start
    from slate
    cross join report_day
),

last_update as (
    select
        slate_id,
        quarter_start,
        metric,
        evidence_window,
        population,
        tier,
        count(*) as n_updates,
        max(recorded_at) as recorded_at
    from published
    group by slate_id, quarter_start, metric, evidence_window, population, tier
)

select
    slate_id,
    quarter_start,
    metric,
    evidence_window,
    population,
    tier,
    coalesce(last_update.n_updates, 0) as n_updates,
    recorded_at,
    published.value,
    published.low,
    published.high,
    published.n,
    if(last_update.n_updates is null, 'no update', null) as reason
from figure
inner join quarter using (slate_id)
left join last_update using (slate_id, quarter_start, metric, evidence_window, population, tier)
left join published
    using (slate_id, quarter_start, metric, evidence_window, population, tier, recorded_at)
