-- Title:   Predicted hits by breadth group
-- Formula: hits among the predictions of a disease and tier whose drug falls in the breadth group
-- Source:  docs/metrics.md#breadth_hit_count
-- Units:   counts; a group without hits has no row
-- Grain:   slate_id, evidence_window, population, disease_id, tier, grouping_kind, breadth_group
with hit_drug as (
    select
        pair_outcome.slate_id,
        pair_outcome.evidence_window,
        pair_outcome.disease_id,
        pair_outcome.tier,
        unnest(if(pair_outcome.is_novel, ['all', 'novel'], ['all'])) as population,
        drug_breadth.breadth_decile,
        drug_breadth.breadth_cohort,
        drug_breadth.positive_decile
    from pair_outcome
    inner join drug_breadth using (slate_id, drug_id)
    where pair_outcome.is_hit
),

group_member as (
    select
        slate_id,
        evidence_window,
        population,
        disease_id,
        tier,
        unnest(['decile', 'cohort', 'positive_decile']) as grouping_kind,
        unnest([breadth_decile, breadth_cohort, positive_decile]) as breadth_group
    from hit_drug
)

select
    slate_id,
    evidence_window,
    population,
    disease_id,
    tier,
    grouping_kind,
    breadth_group,
    count(*) as n_hits
from group_member
group by slate_id, evidence_window, population, disease_id, tier, grouping_kind, breadth_group
