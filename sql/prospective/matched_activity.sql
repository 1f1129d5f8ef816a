-- Title:   Activity of a disease without the lift of predictions
-- Formula: activity = the disease's hits / sum over its candidates of the rate of their stratum,
--          where each prediction of the list counts crude_ratio times, in the rates too;
--          crude_ratio = Mantel and Haenszel's ratio of the list with crude_activity, as in
--          matched_fit
-- Source:  docs/metrics.md#matched_activity
-- Units:   1 in a disease as active as its strata, diseases without hits have no row; crude_ratio
--          is at least 0.001; NULL where no stratum has both predictions and hits of other
--          candidates
-- Grain:   slate_id, subset, evidence_window, population, tier, disease_id
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
