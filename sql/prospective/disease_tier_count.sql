-- Title:   Predictions and hits by disease and tier
-- Formula: counts over the pairs of one disease in one tier
-- Source:  docs/metrics.md#disease_tier_count
-- Units:   counts; a disease without pairs of the population in the tier has no row
-- Grain:   slate_id, evidence_window, population, disease_id, tier
with population_pair as (
    select
        slate_id,
        evidence_window,
        disease_id,
        tier,
        has_any_outcome,
        is_hit,
        unnest(if(is_novel, ['all', 'novel'], ['all'])) as population
    from pair_outcome
)

select
    slate_id,
    evidence_window,
    population,
    disease_id,
    tier,
    count(*) as n_predictions,
    count(*) filter (where has_any_outcome) as n_with_any_outcome,
    count(*) filter (where is_hit) as n_hits
from population_pair
group by slate_id, evidence_window, population, disease_id, tier
