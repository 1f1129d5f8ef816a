-- Title:   Backtest over all origins
-- Formula: hits / expected hits, both summed over the origins at which something was expected;
--          hit_rate = hits / predictions of all origins
-- Source:  docs/metrics.md#backtest_pooled
-- Units:   ratio, 1 = no better than equally popular drugs; hit_rate is 0..1; months_needed until a
--          list as at the last origin could show the bar of the default plan
-- Grain:   backtest_id, ranker, is_shuffled, horizon_months
with told as (
    select
        *,
        coalesce(expected_hits > 0, false) as is_pooled
    from backtest_run
)

select
    backtest_id,
    ranker,
    is_shuffled,
    horizon_months,
    count(*) as n_origins,
    count(*) filter (where is_pooled) as n_pooled,
    cast(sum(n_predictions) as bigint) as n_predictions,
    cast(sum(n_hits) as bigint) as n_hits,
    sum(n_hits) / nullif(sum(n_predictions), 0) as hit_rate,
    sum(expected_hits order by origin_on) filter (where is_pooled) as expected_hits,
    sum(n_hits) filter (where is_pooled)
    / sum(expected_hits order by origin_on) filter (where is_pooled) as enrichment,
    min(enrichment) as smallest_enrichment,
    max(enrichment) as largest_enrichment,
    max(months_needed) as months_needed,
    if(count(*) filter (where is_pooled) = 0, min(reason), null) as reason
from told
group by backtest_id, ranker, is_shuffled, horizon_months
