-- Title:   Backtest by origin
-- Result:  Backtests
-- Formula: what came true, by the end of the horizon, of the list that a ranker made at the origin
-- Units:   counts; hit_rate is 0..1; enrichment is that of enrichment_vs_matched, 1 = no better
--          than equally popular drugs; log_variance and df are of its logarithm, df NULL if
--          infinite
-- Grain:   backtest_id, ranker, is_shuffled, horizon_months, origin_on
-- Note:    r and s are the sums by which origins are pooled, NULL where one is not: those of
--          stratified_ratio, or, where an origin with an enrichment was stored without them,
--          expected hits and enrichment x expected hits at all origins
with summed as (
    select
        *,
        bool_and(s is not null or enrichment is null) over (
            partition by backtest_id, ranker, is_shuffled, horizon_months
        ) as has_sums
    from backtest_run
)

select
    backtest_id,
    ranker,
    is_shuffled,
    horizon_months,
    origin_on,
    n_known,
    n_diseases,
    n_candidates,
    n_predictions,
    n_hits,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    hit_rate_low,
    hit_rate_high,
    expected_hits,
    enrichment,
    enrichment_low,
    enrichment_high,
    p_value,
    log_variance,
    df,
    if(has_sums, r, enrichment * expected_hits) as r,
    if(has_sums, s, if(enrichment is null, null, expected_hits)) as s,
    months_needed,
    reason
from summed
