-- Title:      The figures of every disease in every slate
-- Reads:      disease_performance, slate
select
    disease_performance.disease_id as entity_id,
    slate_id,
    disease_performance.evidence_window,
    disease_performance.n_predictions,
    disease_performance.n_with_any_outcome,
    disease_performance.n_hits,
    disease_performance.hit_rate,
    disease_performance.expected_hit_rate,
    disease_performance.enrichment_vs_popularity,
    disease_performance.reason
from disease_performance
inner join slate using (slate_id)
where disease_performance.population = 'all'
order by entity_id, slate.recorded_at, slate_id, disease_performance.evidence_window
