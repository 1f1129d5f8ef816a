-- Title:   Two slates compared
-- Formula: over the common diseases and window, with lists of equal length: difference of the hit
--          rates; ratio of the enrichments, each listed hits / listed expected_hits
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
        own_horizon.counted_from = other_horizon.counted_from
        and own_horizon.ends_on = other_horizon.ends_on as has_one_window,
        population.population,
        tiers.tier
    from comparison_window
    inner join slate_horizon as own_horizon on comparison_window.slate_id = own_horizon.slate_id
    inner join slate_horizon as other_horizon
        on comparison_window.versus_slate_id = other_horizon.slate_id
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
        cast(sum(n_shared_hits) as bigint) as n_shared_hits,
        -- Unknown where it is for one of the diseases.
        if(
            count(*) = count(expected_hits),
            nullif(sum(expected_hits order by disease_id), 0),
            null
        ) as expected_hits,
        if(
            count(*) = count(versus_expected_hits),
            nullif(sum(versus_expected_hits order by disease_id), 0),
            null
        ) as versus_expected_hits
    from comparison_disease
    group by slate_id, versus_slate_id, population, tier
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
        disease_sum.expected_hits,
        disease_sum.versus_expected_hits
    from asked
    left join disease_sum
        on
            asked.slate_id = disease_sum.slate_id
            and asked.versus_slate_id = disease_sum.versus_slate_id
            and asked.population = disease_sum.population
            and asked.tier = disease_sum.tier
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
    n_hits / expected_hits as enrichment,
    n_versus_hits / versus_expected_hits as versus_enrichment,
    (n_hits / expected_hits) / nullif(n_versus_hits / versus_expected_hits, 0) as enrichment_ratio,
    case
        when reason is not null then reason
        when n_predictions = 0 then 'no common disease has predictions of both'
    end as reason,
    case
        when reason is not null or n_predictions = 0 then 'nothing is compared'
        when not has_one_window
            then
                'the slates differ in freeze or horizon, and what popularity explains in a part of '
                || 'a window is not known'
        when expected_hits is null then 'the enrichment of the slate is not known'
        when versus_expected_hits is null then 'the enrichment of the other slate is not known'
        when n_versus_hits = 0 then 'the other slate has no hit'
    end as ratio_reason
from compared
