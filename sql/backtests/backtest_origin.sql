-- Title:   Backtest by origin
-- Formula: what came true, by the end of the horizon, of the list that a ranker made at the origin
-- Source:  docs/metrics.md#backtest_origin
-- Units:   counts; hit_rate is 0..1; enrichment is that of enrichment_vs_matched, 1 = no better
--          than equally popular drugs
-- Grain:   backtest_id, ranker, is_shuffled, horizon_months, origin_on
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
    reason
from backtest_run
