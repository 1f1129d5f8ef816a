-- Title:   Predictions by disease and breadth
-- Formula: predictions of a tier, or of a part of the slate, whose drug has the breadth, and those
--          that are hits
-- Source:  docs/metrics.md#matched_prediction
-- Units:   counts; hits are those of counted_subset, of a part all hits of part_pair
-- Grain:   slate_id, subset, evidence_window, population, tier, disease_id, breadth
with counted_pair as (
    select
        population_pair.slate_id,
        counted_subset.subset,
        population_pair.evidence_window,
        population_pair.population,
        counted_subset.tier as counted_tier,
        unnest([population_pair.tier, 'all']) as tier,
        population_pair.disease_id,
        population_pair.drug_id,
        population_pair.is_hit
        and coalesce(population_pair.match_strength <= counted_subset.strength, true)
        and coalesce(population_pair.first_event_date <= counted_subset.until_date, true)
            as is_counted_hit
    from population_pair
    inner join counted_subset
        on
            population_pair.slate_id = counted_subset.slate_id
            and population_pair.evidence_window = counted_subset.evidence_window
            and population_pair.population = counted_subset.population
),

tier_pair as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        disease_id,
        drug_id,
        is_counted_hit
    from counted_pair
    where coalesce(counted_tier = tier, true)
    union all
    select
        slate_id,
        'all' as subset,
        evidence_window,
        population,
        part as tier,
        disease_id,
        drug_id,
        is_hit as is_counted_hit
    from part_pair
)

select
    tier_pair.slate_id,
    tier_pair.subset,
    tier_pair.evidence_window,
    tier_pair.population,
    tier_pair.tier,
    tier_pair.disease_id,
    drug_breadth.breadth,
    count(*) as n_predictions,
    count(*) filter (where tier_pair.is_counted_hit) as n_hits
from tier_pair
inner join drug_breadth
    on
        tier_pair.slate_id = drug_breadth.slate_id
        and tier_pair.drug_id = drug_breadth.drug_id
group by
    tier_pair.slate_id,
    tier_pair.subset,
    tier_pair.evidence_window,
    tier_pair.population,
    tier_pair.tier,
    tier_pair.disease_id,
    drug_breadth.breadth
