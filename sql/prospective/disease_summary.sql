-- Title:   Enriched diseases and diseases with hits
-- Result:  Diseases and drugs
-- Formula: share_of_diseases_enriched = diseases with enrichment_vs_popularity above 1 / diseases
--          with predictions of the population; low-activity diseases with a hit are counted
-- Units:   counts and a fraction 0..1; NULL where no disease has a known enrichment
-- Grain:   slate_id, evidence_window, population
-- Rounding: an enrichment of exactly 1 may exceed 1 in the last bit; up to 1e-9 above is ignored
with active_disease as (
    select
        disease_performance.*,
        disease_performance.enrichment_vs_popularity > 1 + 1e-9 as is_enriched,
        disease_activity.is_low_activity
    from disease_performance
    inner join disease_activity using (slate_id, disease_id)
)

select
    slate_id,
    evidence_window,
    population,
    count(*) filter (where n_predictions > 0) as n_diseases,
    count(*) filter (where n_hits > 0) as n_diseases_with_hits,
    count(*) filter (where is_enriched) as n_diseases_enriched,
    count(*) filter (where is_enriched) / nullif(
        if(
            count(enrichment_vs_popularity) > 0,
            count(*) filter (where n_predictions > 0),
            null
        ),
        0
    ) as share_of_diseases_enriched,
    count(*) filter (where is_low_activity and n_predictions > 0)
        as n_low_activity_diseases,
    count(*) filter (where is_low_activity and n_hits > 0)
        as n_low_activity_diseases_with_hits,
    if(
        count(enrichment_vs_popularity) = 0,
        'no disease has a known enrichment versus popularity',
        null
    ) as reason
from active_disease
group by slate_id, evidence_window, population
