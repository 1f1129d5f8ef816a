-- Title:   Two slates compared
-- Result:  Comparisons and models
-- Formula: over the common diseases and window, with lists of equal length: difference of the hit
--          rates; ratio of the enrichments, each stratified_ratio of the slate's list
-- Units:   rates 0..1, difference -1..1; ratios, 1 = equal; is_interim until evidence covers the
--          common window
-- Grain:   slate_id, versus_slate_id, population, tier
-- Note:    a tier is the one of that name in each slate's plan; reason says why the difference is
--          NULL, ratio_reason why the ratio is; is_replay marks a slate made after the fact
with counted as (
    select
        list.slate_id,
        list.versus_slate_id,
        list.population,
        list.tier,
        list.list_number,
        count(disease.disease_id) as n_diseases,
        count(*) filter (where disease.n_hits > disease.n_versus_hits) as n_better,
        count(*) filter (where disease.n_hits < disease.n_versus_hits) as n_worse,
        cast(coalesce(sum(disease.n_predictions), 0) as bigint) as n_predictions,
        cast(coalesce(sum(disease.n_shared), 0) as bigint) as n_shared,
        cast(coalesce(sum(disease.n_cut), 0) as bigint) as n_cut,
        cast(coalesce(sum(disease.n_versus_cut), 0) as bigint) as n_versus_cut,
        cast(coalesce(sum(disease.n_hits), 0) as bigint) as n_hits,
        cast(coalesce(sum(disease.n_versus_hits), 0) as bigint) as n_versus_hits,
        cast(coalesce(sum(disease.n_shared_hits), 0) as bigint) as n_shared_hits
    from comparison_list as list
    left join comparison_disease as disease using (slate_id, versus_slate_id, population, tier)
    group by list.slate_id, list.versus_slate_id, list.population, list.tier, list.list_number
),

rated as materialized (
    select
        counted.*,
        slate.is_replay,
        comparison_window.starts_on,
        comparison_window.ends_on,
        comparison_window.followed_until,
        comparison_window.reason,
        ratio.ratio as enrichment,
        ratio.reason as ratio_reason
    from counted
    inner join slate using (slate_id)
    inner join comparison_window using (slate_id, versus_slate_id)
    inner join comparison_ratio as ratio using (slate_id, list_number)
)

select
    own.slate_id,
    own.versus_slate_id,
    own.population,
    own.tier,
    own.is_replay,
    other.is_replay as is_versus_replay,
    own.starts_on,
    own.ends_on,
    own.followed_until,
    coalesce(own.followed_until < own.ends_on, true) as is_interim,
    own.n_diseases,
    own.n_better,
    own.n_worse,
    own.n_predictions,
    own.n_shared,
    own.n_cut,
    own.n_versus_cut,
    own.n_hits,
    own.n_versus_hits,
    own.n_shared_hits,
    own.n_hits / nullif(own.n_predictions, 0) as hit_rate,
    own.n_versus_hits / nullif(own.n_predictions, 0) as versus_hit_rate,
    (own.n_hits - own.n_versus_hits) / nullif(own.n_predictions, 0) as hit_rate_difference,
    own.enrichment,
    other.enrichment as versus_enrichment,
    own.enrichment / nullif(other.enrichment, 0) as enrichment_ratio,
    case
        when own.reason is not null then own.reason
        when own.n_predictions = 0 then 'no common disease has predictions of both'
    end as reason,
    case
        when own.reason is not null or own.n_predictions = 0 then 'nothing is compared'
        when own.enrichment is null
            then 'the enrichment of the slate is not known: ' || own.ratio_reason
        when other.enrichment is null
            then 'the enrichment of the other slate is not known: ' || other.ratio_reason
        when other.enrichment = 0 then 'the other slate has no hit'
    end as ratio_reason
from rated as own
inner join rated as other
    on
        own.slate_id = other.versus_slate_id
        and own.versus_slate_id = other.slate_id
        and own.population = other.population
        and own.tier = other.tier
