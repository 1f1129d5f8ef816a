-- Title:   Predictions by disease and breadth
-- Formula: predictions of a tier whose drug has the breadth, and those that are hits
-- Source:  docs/metrics.md#matched_prediction
-- Units:   counts; hits are those of counted_match
-- Grain:   slate_id, match_kind, evidence_window, population, tier, disease_id, breadth
with tier_pair as (
    select
        population_pair.slate_id,
        counted_match.match_kind,
        population_pair.evidence_window,
        population_pair.population,
        unnest([population_pair.tier, 'all']) as tier,
        population_pair.disease_id,
        drug_breadth.breadth,
        population_pair.is_hit
        and coalesce(population_pair.match_strength <= counted_match.strength, true)
            as is_counted_hit
    from population_pair
    inner join counted_match
        on
            population_pair.slate_id = counted_match.slate_id
            and population_pair.evidence_window = counted_match.evidence_window
            and population_pair.population = counted_match.population
    inner join drug_breadth
        on
            population_pair.slate_id = drug_breadth.slate_id
            and population_pair.drug_id = drug_breadth.drug_id
)

select
    slate_id,
    match_kind,
    evidence_window,
    population,
    tier,
    disease_id,
    breadth,
    count(*) as n_predictions,
    count(*) filter (where is_counted_hit) as n_hits
from tier_pair
group by slate_id, match_kind, evidence_window, population, tier, disease_id, breadth
