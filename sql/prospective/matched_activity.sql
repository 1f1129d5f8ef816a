-- Title:   Activity of a disease without the lift of predictions
-- Formula: activity = the disease's hits / sum over its candidates of the rate of their stratum,
--          where each prediction of the list counts crude_ratio times, in the rates too
-- Source:  docs/metrics.md#matched_activity
-- Units:   1 in a disease as active as its strata; crude_ratio as in matched_fit; both are NULL
--          where no stratum has both predictions and hits of other candidates
-- Grain:   slate_id, subset, evidence_window, population, tier, disease_id
-- Note:    diseases without hits have no row; their activity is 0
select
    slate_id,
    subset,
    evidence_window,
    population,
    tier,
    unnest(diseases) as disease_id,
    crude_ratio,
    unnest(activity_by_disease) as activity
from matched_fit
