-- Title:   Predictions, outcomes and hits by tier
-- Formula: counts over the slate's pairs; a tier without novel pairs keeps its row, with zeros
-- Source:  docs/metrics.md#tier_count
-- Units:   counts; later hits are pairs hit only after the end of the horizon: in the window 'all'
--          some of the hits, in 'prospective' none of them
-- Grain:   slate_id, evidence_window, population, tier
with pair_group as (
    select
        slate_id,
        evidence_window,
        tier,
        is_novel,
        count(*) as n_pairs,
        count(*) filter (where has_any_outcome) as n_pairs_with_any_outcome,
        count(*) filter (where is_hit) as n_pair_hits,
        count(*) filter (where is_later_hit) as n_pair_later_hits
    from pair_outcome
    group by slate_id, evidence_window, tier, is_novel
),

tier_group as (
    select
        slate_id,
        evidence_window,
        unnest([tier, 'all']) as tier,
        is_novel,
        n_pairs,
        n_pairs_with_any_outcome,
        n_pair_hits,
        n_pair_later_hits
    from pair_group
),

member as (
    select
        tier_group.slate_id,
        tier_group.evidence_window,
        population.population,
        tier_group.tier,
        if(population.population = 'all' or tier_group.is_novel, tier_group.n_pairs, 0) as n_pairs,
        if(
            population.population = 'all' or tier_group.is_novel,
            tier_group.n_pairs_with_any_outcome,
            0
        ) as n_pairs_with_any_outcome,
        if(
            population.population = 'all' or tier_group.is_novel, tier_group.n_pair_hits, 0
        ) as n_pair_hits,
        if(
            population.population = 'all' or tier_group.is_novel, tier_group.n_pair_later_hits, 0
        ) as n_pair_later_hits
    from tier_group
    cross join (values ('all'), ('novel')) as population (population)
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    cast(sum(n_pairs) as bigint) as n_predictions,
    cast(sum(n_pairs_with_any_outcome) as bigint) as n_with_any_outcome,
    cast(sum(n_pair_hits) as bigint) as n_hits,
    cast(sum(n_pair_later_hits) as bigint) as n_later_hits
from member
group by slate_id, evidence_window, population, tier
