-- Title:   Predictions of a list by disease and breadth
-- Formula: predictions of a tier, of all tiers or of a part of the slate whose drug has the
--          breadth, beside the candidates of the disease with that breadth
-- Source:  docs/metrics.md#predicted_cell
-- Units:   counts; tier may be a part of part_pair, which is of the population of the primary
--          endpoint; n_candidates as in breadth_cell, 0 without candidates
-- Grain:   slate_id, population, tier, disease_id, breadth
with tier_pair as (
    select
        slate_id,
        unnest([pair_outcome.tier, 'all']) as tier,
        pair_outcome.disease_id,
        drug_breadth.breadth,
        pair_outcome.is_novel
    from pair_outcome
    inner join drug_breadth using (slate_id, drug_id)
    where pair_outcome.evidence_window = 'all'
),

tier_cell as (
    select
        slate_id,
        tier,
        disease_id,
        breadth,
        count(*) as n_pairs,
        count(*) filter (where is_novel) as n_novel
    from tier_pair
    group by slate_id, tier, disease_id, breadth
),

listed_count as (
    select
        slate_id,
        unnest(if(n_novel > 0, ['all', 'novel'], ['all'])) as population,
        tier,
        disease_id,
        breadth,
        unnest(if(n_novel > 0, [n_pairs, n_novel], [n_pairs])) as n_predictions
    from tier_cell
    union all
    select
        slate_id,
        part_pair.population,
        part_pair.part as tier,
        part_pair.disease_id,
        drug_breadth.breadth,
        count(*) as n_predictions
    from part_pair
    inner join drug_breadth using (slate_id, drug_id)
    group by
        slate_id, part_pair.population, part_pair.part, part_pair.disease_id, drug_breadth.breadth
)

select
    listed_count.slate_id,
    listed_count.population,
    listed_count.tier,
    listed_count.disease_id,
    disease_activity.degree_class,
    listed_count.breadth,
    listed_count.n_predictions,
    coalesce(
        if(
            listed_count.population = 'all',
            breadth_cell.n_candidates,
            breadth_cell.n_candidates - breadth_cell.n_known
        ),
        0
    ) as n_candidates
from listed_count
inner join disease_activity
    on
        listed_count.slate_id = disease_activity.slate_id
        and listed_count.disease_id = disease_activity.disease_id
left join breadth_cell
    on
        listed_count.slate_id = breadth_cell.slate_id
        and listed_count.disease_id = breadth_cell.disease_id
        and listed_count.breadth = breadth_cell.breadth
