-- Title:   Predictions by breadth group
-- Formula: predictions of a disease and tier whose drug falls in the breadth decile or cohort,
--          or in the decile of its positive breadth
-- Source:  docs/metrics.md#breadth_prediction_count
-- Units:   counts
-- Grain:   slate_id, population, disease_id, tier, grouping_kind, breadth_group
with group_member as (
    select
        slate_id,
        population_pair.population,
        population_pair.disease_id,
        population_pair.tier,
        unnest(['decile', 'cohort', 'positive_decile']) as grouping_kind,
        unnest(
            [drug_breadth.breadth_decile, drug_breadth.breadth_cohort, drug_breadth.positive_decile]
        ) as breadth_group
    from population_pair
    inner join drug_breadth using (slate_id, drug_id)
    where population_pair.evidence_window = 'all'
)

select
    slate_id,
    population,
    disease_id,
    tier,
    grouping_kind,
    breadth_group,
    count(*) as n_predictions
from group_member
group by slate_id, population, disease_id, tier, grouping_kind, breadth_group
