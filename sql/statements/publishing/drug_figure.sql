-- Title:      The figures of every drug in every slate
-- Reads:      drug_performance, slate
select
    drug_performance.drug_id as entity_id,
    slate_id,
    drug_performance.evidence_window,
    drug_performance.n_predictions,
    drug_performance.n_with_any_outcome,
    drug_performance.n_hits,
    drug_performance.hit_rate
from drug_performance
inner join slate using (slate_id)
where drug_performance.population = 'all'
order by entity_id, slate.recorded_at, slate_id, drug_performance.evidence_window
