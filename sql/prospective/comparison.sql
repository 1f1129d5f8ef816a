-- Title:   Two slates compared
-- Formula: over the common diseases and window, with lists of equal length: difference of the hit
--          rates; ratio of the enrichments, each stratified_ratio of the slate's list
-- Source:  docs/metrics.md#comparison
-- Units:   rates 0..1, difference -1..1; ratios, 1 = equal; is_interim until evidence covers the
--          common window
-- Grain:   slate_id, versus_slate_id, population, tier
-- Note:    a tier is the one of that name in each slate's plan; reason says why the difference is
--          NULL, ratio_reason why the ratio is
with tiers as (
    select
        slate_id,
        unnest([tier, 'all']) as tier
    from prediction
    union
    select
        slate_id,
        'all' as tier
    from slate
),

asked as (
    select
        comparison_window.slate_id,
        comparison_window.versus_slate_id,
        comparison_window.starts_on,
        comparison_window.ends_on,
        comparison_window.followed_until,
        comparison_window.reason,
        population.population,
        tiers.tier
    from comparison_window
    inner join tiers on comparison_window.slate_id = tiers.slate_id
    semi join tiers as other
        on comparison_window.versus_slate_id = other.slate_id and tiers.tier = other.tier
    cross join (values ('all'), ('novel')) as population (population)
),

disease_sum as (
    select
        slate_id,
        versus_slate_id,
        population,
        tier,
        count(*) as n_diseases,
        count(*) filter (where n_hits > n_versus_hits) as n_better,
        count(*) filter (where n_hits < n_versus_hits) as n_worse,
        cast(sum(n_predictions) as bigint) as n_predictions,
        cast(sum(n_shared) as bigint) as n_shared,
        cast(sum(n_cut) as bigint) as n_cut,
        cast(sum(n_versus_cut) as bigint) as n_versus_cut,
        cast(sum(n_hits) as bigint) as n_hits,
        cast(sum(n_versus_hits) as bigint) as n_versus_hits,
        cast(sum(n_shared_hits) as bigint) as n_shared_hits
    from comparison_disease
    group by slate_id, versus_slate_id, population, tier
),

common_ratio as materialized (
    select
        slate_id,
        versus,
        population,
        list_name,
        ratio,
        reason
    from stratified_ratio
    where evidence_window = 'common'
),

compared as (
    select
        asked.*,
        coalesce(disease_sum.n_diseases, 0) as n_diseases,
        coalesce(disease_sum.n_better, 0) as n_better,
        coalesce(disease_sum.n_worse, 0) as n_worse,
        coalesce(disease_sum.n_predictions, 0) as n_predictions,
        coalesce(disease_sum.n_shared, 0) as n_shared,
        coalesce(disease_sum.n_cut, 0) as n_cut,
        coalesce(disease_sum.n_versus_cut, 0) as n_versus_cut,
        coalesce(disease_sum.n_hits, 0) as n_hits,
        coalesce(disease_sum.n_versus_hits, 0) as n_versus_hits,
        coalesce(disease_sum.n_shared_hits, 0) as n_shared_hits,
        own_ratio.ratio as enrichment,
        coalesce(own_sets.reason, own_ratio.reason) as own_reason,
        other_ratio.ratio as versus_enrichment,
        coalesce(other_sets.reason, other_ratio.reason) as other_reason
    from asked
    left join disease_sum
        on
            asked.slate_id = disease_sum.slate_id
            and asked.versus_slate_id = disease_sum.versus_slate_id
            and asked.population = disease_sum.population
            and asked.tier = disease_sum.tier
    left join common_ratio as own_ratio
        on
            asked.slate_id = own_ratio.slate_id
            and cast(asked.versus_slate_id as varchar) = own_ratio.versus
            and asked.population = own_ratio.population
            and asked.tier = own_ratio.list_name
    left join common_ratio as other_ratio
        on
            asked.versus_slate_id = other_ratio.slate_id
            and cast(asked.slate_id as varchar) = other_ratio.versus
            and asked.population = other_ratio.population
            and asked.tier = other_ratio.list_name
    inner join slate_sets as own_sets on asked.slate_id = own_sets.slate_id
    inner join slate_sets as other_sets on asked.versus_slate_id = other_sets.slate_id
)

select
    slate_id,
    versus_slate_id,
    population,
    tier,
    starts_on,
    ends_on,
    followed_until,
    coalesce(followed_until < ends_on, true) as is_interim,
    n_diseases,
    n_better,
    n_worse,
    n_predictions,
    n_shared,
    n_cut,
    n_versus_cut,
    n_hits,
    n_versus_hits,
    n_shared_hits,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    n_versus_hits / nullif(n_predictions, 0) as versus_hit_rate,
    (n_hits - n_versus_hits) / nullif(n_predictions, 0) as hit_rate_difference,
    enrichment,
    versus_enrichment,
    enrichment / nullif(versus_enrichment, 0) as enrichment_ratio,
    case
        when reason is not null then reason
        when n_predictions = 0 then 'no common disease has predictions of both'
    end as reason,
    case
        when reason is not null or n_predictions = 0 then 'nothing is compared'
        when enrichment is null
            then
                'the enrichment of the slate is not known: '
                || coalesce(own_reason, 'nothing came true among equally popular drugs')
        when versus_enrichment is null
            then
                'the enrichment of the other slate is not known: '
                || coalesce(other_reason, 'nothing came true among equally popular drugs')
        when versus_enrichment = 0 then 'the other slate has no hit'
    end as ratio_reason
from compared
