-- Title:   Models over all their slates
-- Result:  Comparisons and models
-- Formula: enrichment = sum of r / sum of s over the slates of model_slate that are compared with
--          others than themselves (own_share is at most 0.9), expected_hits = hits / enrichment;
--          hits of the lists without skill are summed over the same slates; observed_vs_expected =
--          hits / expected hits of those that are their own baseline
-- Units:   ratio, 1 = no better than equally popular drugs; hit_rate is 0..1; without a hit that
--          can be compared expected_hits are those with the predictions left in; of the lists
--          without skill NULL where one of the slates has no such list
-- Grain:   model_version, is_replay
-- Note:    a model's replays, made after the fact, have a row of their own
with told as materialized (
    select
        *,
        coalesce(own_share <= 0.9, false) as is_pooled,
        coalesce(own_share > 0.9, false) as is_own_baseline
    from model_slate
),

pooled as (
    select
        model_version,
        is_replay,
        count(*) as n_slates,
        count(*) filter (where is_pooled) as n_pooled,
        count(*) filter (where is_own_baseline) as n_own_baseline,
        min(frozen_on) as first_frozen_on,
        max(frozen_on) as last_frozen_on,
        coalesce(cast(sum(n_predictions) filter (where is_pooled) as bigint), 0) as n_predictions,
        coalesce(cast(sum(n_hits) filter (where is_pooled) as bigint), 0) as n_hits,
        sum(expected_hits order by slate_id) filter (where is_pooled) as left_in_hits,
        sum(r order by slate_id) filter (where is_pooled)
        / nullif(sum(s order by slate_id) filter (where is_pooled), 0) as enrichment,
        sum(n_hits) filter (where is_own_baseline)
        / sum(expected_hits order by slate_id) filter (where is_own_baseline)
            as observed_vs_expected,
        if(
            count(popularity_hits) filter (where is_pooled) = count(*) filter (where is_pooled),
            sum(popularity_hits order by slate_id) filter (where is_pooled),
            null
        ) as popularity_hits,
        if(
            count(degree_product_hits) filter (where is_pooled)
            = count(*) filter (where is_pooled),
            sum(degree_product_hits order by slate_id) filter (where is_pooled),
            null
        ) as degree_product_hits,
        if(
            count(random_hits) filter (where is_pooled) = count(*) filter (where is_pooled),
            sum(random_hits order by slate_id) filter (where is_pooled),
            null
        ) as random_hits,
        min(reason) as reason
    from told
    group by model_version, is_replay
)

select
    model_version,
    is_replay,
    n_slates,
    n_pooled,
    n_own_baseline,
    first_frozen_on,
    last_frozen_on,
    n_predictions,
    n_hits,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    coalesce(n_hits / nullif(enrichment, 0), left_in_hits) as expected_hits,
    enrichment,
    observed_vs_expected,
    popularity_hits,
    degree_product_hits,
    random_hits,
    if(enrichment is null, reason, null) as reason
from pooled
