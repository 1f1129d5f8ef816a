-- Title:   Crude activity of a disease
-- Formula: crude_activity = hits of the disease / sum over its candidates of the hit rate of their
--          stratum, as in matched_class
-- Source:  docs/metrics.md#matched_disease
-- Units:   1 in a disease as active as its strata; diseases without hits have no row
-- Grain:   slate_id, subset, evidence_window, population, disease_id
-- Note:    a stratum is a breadth x degree_class; hits are those of counted_hit
select
    slate_id,
    subset,
    evidence_window,
    population,
    unnest(diseases) as disease_id,
    degree_class,
    unnest(hits_by_disease) as n_hits,
    unnest(crude_activity_by_disease) as crude_activity
from matched_class
