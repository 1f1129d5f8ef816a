-- Title:   Crude rate of a stratum
-- Formula: exposure = sum of crude_activity over the candidates of the stratum; crude_rate = its
--          hits / exposure, as in matched_class
-- Source:  docs/metrics.md#matched_stratum
-- Units:   hits per candidate of a disease as active as its strata, 0 without hits; strata without
--          candidates have a row, too
-- Grain:   slate_id, subset, evidence_window, population, degree_class, breadth
-- Note:    a stratum is a breadth x degree_class; hits are those of counted_hit
select
    slate_id,
    subset,
    evidence_window,
    population,
    degree_class,
    unnest(breadths) as breadth,
    unnest(hits_by_breadth) as n_hits,
    unnest(exposure_by_breadth) as exposure,
    unnest(crude_rate_by_breadth) as crude_rate
from matched_class
