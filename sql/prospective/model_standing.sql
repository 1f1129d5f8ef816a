-- Title:   Models over all their slates
-- Formula: enrichment = hits / expected hits, both summed over the slates of model_slate in which
--          something was expected; hits of the lists without skill are summed over the same slates
-- Source:  docs/metrics.md#model_standing
-- Units:   ratio, 1 = no better than equally popular drugs; hit_rate is 0..1; of the lists without
--          skill NULL where one of the slates has no such list
-- Grain:   model_version
with told as materialized (
    select
        *,
        coalesce(expected_hits > 0, false) as is_pooled
    from model_slate
)

select
    model_version,
    count(*) as n_slates,
    count(*) filter (where is_pooled) as n_pooled,
    min(frozen_on) as first_frozen_on,
    max(frozen_on) as last_frozen_on,
    coalesce(cast(sum(n_predictions) filter (where is_pooled) as bigint), 0) as n_predictions,
    coalesce(cast(sum(n_hits) filter (where is_pooled) as bigint), 0) as n_hits,
    sum(n_hits) filter (where is_pooled)
    / sum(n_predictions) filter (where is_pooled) as hit_rate,
    sum(expected_hits order by slate_id) filter (where is_pooled) as expected_hits,
    sum(n_hits) filter (where is_pooled)
    / sum(expected_hits order by slate_id) filter (where is_pooled) as enrichment,
    if(
        count(popularity_hits) filter (where is_pooled) = count(*) filter (where is_pooled),
        sum(popularity_hits order by slate_id) filter (where is_pooled),
        null
    ) as popularity_hits,
    if(
        count(degree_product_hits) filter (where is_pooled) = count(*) filter (where is_pooled),
        sum(degree_product_hits order by slate_id) filter (where is_pooled),
        null
    ) as degree_product_hits,
    if(
        count(random_hits) filter (where is_pooled) = count(*) filter (where is_pooled),
        sum(random_hits order by slate_id) filter (where is_pooled),
        null
    ) as random_hits,
    if(count(*) filter (where is_pooled) = 0, min(reason), null) as reason
from told
group by model_version
