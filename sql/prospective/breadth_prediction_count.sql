-- Title:   Predictions by breadth group
-- Formula: predictions of a disease and tier whose drug falls in the breadth decile or cohort,
--          or in the decile of its positive breadth
-- Units:   counts
-- Grain:   slate_id, population, disease_id, tier, grouping_kind, breadth_group
with group_member as (
    select
        slate_id,
        pair_outcome.disease_id,
        pair_outcome.tier,
        pair_outcome.is_novel,
        unnest(['decile', 'cohort', 'positive_decile']) as grouping_kind,
        unnest(
            [drug_breadth.breadth_decile, drug_breadth.breadth_cohort, drug_breadth.positive_decile]
        ) as breadth_group
    from pair_outcome
    inner join drug_breadth using (slate_id, drug_id)
    where pair_outcome.evidence_window = 'all'
)

select
    slate_id,
    unnest(if(bool_or(is_novel), ['all', 'novel'], ['all'])) as population,
    disease_id,
    tier,
    grouping_kind,
    breadth_group,
    unnest(
        if(bool_or(is_novel), [count(*), count(*) filter (where is_novel)], [count(*)])
    ) as n_predictions
from group_member
group by slate_id, disease_id, tier, grouping_kind, breadth_group
