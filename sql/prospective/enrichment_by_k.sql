-- Title:   Enrichment by rank
-- Result:  Hit rates and enrichment
-- Formula: enrichment (part_enrichment) of the predictions with rank at most k, of every tier, in
--          the window and population of the primary endpoint
-- Units:   ratio, as in enrichment_vs_matched; k is of cutoff, or 3, up to the first that holds
--          every prediction
-- Grain:   slate_id, k
select
    slate_id,
    part_start as k,
    part,
    evidence_window,
    population,
    list_number,
    n_predictions,
    n_hits,
    expected_hits,
    enrichment_vs_matched,
    own_share,
    reason
from part_enrichment
where part_kind = 'top'
