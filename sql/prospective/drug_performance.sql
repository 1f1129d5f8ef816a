-- Title:   Performance by drug
-- Formula: hits / predictions of the drug, over the diseases of the slate
-- Source:  docs/metrics.md#drug_performance
-- Units:   counts, and a fraction 0..1; NULL where the drug has no prediction of the population
-- Grain:   slate_id, evidence_window, population, drug_id
with drug_count as (
    select
        slate_id,
        evidence_window,
        drug_id,
        count(*) as n_all,
        count(*) filter (where has_any_outcome) as n_all_with_any_outcome,
        count(*) filter (where is_hit) as n_all_hits,
        count(*) filter (where is_novel) as n_novel,
        count(*) filter (where is_novel and has_any_outcome) as n_novel_with_any_outcome,
        count(*) filter (where is_novel and is_hit) as n_novel_hits
    from pair_outcome
    group by slate_id, evidence_window, drug_id
),

population_count as (
    select
        slate_id,
        evidence_window,
        drug_id,
        unnest(['all', 'novel']) as population,
        unnest([n_all, n_novel]) as n_predictions,
        unnest([n_all_with_any_outcome, n_novel_with_any_outcome]) as n_with_any_outcome,
        unnest([n_all_hits, n_novel_hits]) as n_hits
    from drug_count
)

select
    slate_id,
    evidence_window,
    population,
    drug_id,
    n_predictions,
    n_with_any_outcome,
    n_hits,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    if(n_predictions = 0, 'no predictions of this population', null) as reason
from population_count
