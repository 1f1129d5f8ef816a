-- Title:   Predictions of a list by disease and breadth
-- Formula: predictions of a tier, of all tiers or of a part of the slate whose drug has the
--          breadth, beside the candidates of the disease with that breadth
-- Source:  docs/metrics.md#predicted_cell
-- Units:   counts; tier may be a part of part_pair, which is of the population of the primary
--          endpoint; n_candidates as in breadth_cell, 0 without candidates
-- Grain:   slate_id, population, tier, disease_id, breadth
with listed_pair as (
    select
        slate_id,
        population,
        unnest([tier, 'all']) as tier,
        disease_id,
        drug_id
    from population_pair
    where evidence_window = 'all'
    union all
    select
        slate_id,
        population,
        part as tier,
        disease_id,
        drug_id
    from part_pair
),

listed_count as (
    select
        listed_pair.slate_id,
        listed_pair.population,
        listed_pair.tier,
        listed_pair.disease_id,
        drug_breadth.breadth,
        count(*) as n_predictions
    from listed_pair
    inner join drug_breadth
        on
            listed_pair.slate_id = drug_breadth.slate_id
            and listed_pair.drug_id = drug_breadth.drug_id
    group by
        listed_pair.slate_id,
        listed_pair.population,
        listed_pair.tier,
        listed_pair.disease_id,
        drug_breadth.breadth
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
