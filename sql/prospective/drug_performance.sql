-- Title:   Performance by drug
-- Result:  Diseases and drugs
-- Formula: hits / predictions of the drug, over the diseases of the slate
-- Units:   counts, and a fraction 0..1; NULL where the drug has no prediction of the population
-- Grain:   slate_id, evidence_window, population, drug_id
with drug_count as (
    select
        slate_id,
        evidence_window,
        unnest(['all', 'novel']) as population,
        drug_id,
        unnest([count(*), count(*) filter (where is_novel)]) as n_predictions,
        unnest([
            count(*) filter (where has_any_outcome),
            count(*) filter (where is_novel and has_any_outcome)
        ]) as n_with_any_outcome,
        unnest([
            count(*) filter (where is_hit), count(*) filter (where is_novel and is_hit)
        ]) as n_hits
    from pair_outcome
    group by slate_id, evidence_window, drug_id
)

select
    *,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    if(n_predictions = 0, 'no predictions of this population', null) as reason
from drug_count
