-- Title:   Hits among the predictions of a list, by disease and breadth
-- Formula: predictions of predicted_cell that are hits of the subset; of a part, all hits of
--          part_pair
-- Source:  docs/metrics.md#predicted_hit
-- Units:   counts; cells without hits have no row; subset as in counted_subset
-- Grain:   slate_id, subset, evidence_window, population, tier, disease_id, breadth
with tier_hit as (
    select
        slate_id,
        evidence_window,
        population,
        unnest([tier, 'all']) as tier,
        disease_id,
        drug_id,
        first_event_date,
        match_strength
    from population_pair
    where is_hit
),

listed_hit as (
    select
        tier_hit.slate_id,
        counted_subset.subset,
        tier_hit.evidence_window,
        tier_hit.population,
        tier_hit.tier,
        tier_hit.disease_id,
        tier_hit.drug_id
    from tier_hit
    inner join counted_subset
        on
            tier_hit.slate_id = counted_subset.slate_id
            and tier_hit.evidence_window = counted_subset.evidence_window
            and tier_hit.population = counted_subset.population
            and coalesce(tier_hit.tier = counted_subset.tier, true)
            and coalesce(tier_hit.match_strength <= counted_subset.strength, true)
            and coalesce(tier_hit.first_event_date <= counted_subset.until_date, true)
    union all
    select
        slate_id,
        'all' as subset,
        evidence_window,
        population,
        part as tier,
        disease_id,
        drug_id
    from part_pair
    where is_hit
)

select
    listed_hit.slate_id,
    listed_hit.subset,
    listed_hit.evidence_window,
    listed_hit.population,
    listed_hit.tier,
    listed_hit.disease_id,
    drug_breadth.breadth,
    count(*) as n_hits
from listed_hit
inner join drug_breadth
    on
        listed_hit.slate_id = drug_breadth.slate_id
        and listed_hit.drug_id = drug_breadth.drug_id
group by
    listed_hit.slate_id,
    listed_hit.subset,
    listed_hit.evidence_window,
    listed_hit.population,
    listed_hit.tier,
    listed_hit.disease_id,
    drug_breadth.breadth
