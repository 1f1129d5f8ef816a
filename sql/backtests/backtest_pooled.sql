-- Title:   Backtest over all origins
-- Result:  Backtests
-- Formula: enrichment = sum of r / sum of s over the origins of backtest_origin that have them;
--          hit_rate = hits / predictions of all origins; observed_vs_expected = hits / expected
--          hits of the origins without them of which something was expected
-- Units:   ratio, 1 = no better than equally popular drugs; hit_rate is 0..1; months_needed until a
--          list as at the last origin could show the bar of the default plan
-- Grain:   backtest_id, ranker, is_shuffled, horizon_months
-- Note:    expected_hits = hits of the pooled origins / enrichment, as of a single one;
--          observed_vs_expected has the predictions' own hits among the expected ones
with told as (
    select
        *,
        s is not null as is_pooled,
        coalesce(s is null and expected_hits > 0, false) as is_own
    from backtest_origin
),

pooled as (
    select
        backtest_id,
        ranker,
        is_shuffled,
        horizon_months,
        count(*) as n_origins,
        count(*) filter (where is_pooled) as n_pooled,
        cast(sum(n_predictions) as bigint) as n_predictions,
        cast(sum(n_hits) as bigint) as n_hits,
        sum(n_hits) filter (where is_pooled) as pooled_hits,
        sum(expected_hits order by origin_on) filter (where is_pooled) as left_in_hits,
        sum(r order by origin_on) / nullif(sum(s order by origin_on), 0) as enrichment,
        sum(n_hits) filter (where is_own)
        / sum(expected_hits order by origin_on) filter (where is_own) as observed_vs_expected,
        min(enrichment) as smallest_enrichment,
        max(enrichment) as largest_enrichment,
        max(months_needed) as months_needed,
        min(reason) as reason
    from told
    group by backtest_id, ranker, is_shuffled, horizon_months
)

select
    backtest_id,
    ranker,
    is_shuffled,
    horizon_months,
    n_origins,
    n_pooled,
    n_predictions,
    n_hits,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    coalesce(pooled_hits / nullif(enrichment, 0), left_in_hits) as expected_hits,
    enrichment,
    observed_vs_expected,
    smallest_enrichment,
    largest_enrichment,
    months_needed,
    if(enrichment is null, reason, null) as reason
from pooled
