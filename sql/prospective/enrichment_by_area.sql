-- Title:   Enrichment by area of disease
-- Result:  Hit rates and enrichment
-- Formula: enrichment (part_enrichment) of the primary endpoint's predictions in each area of
--          disease
-- Units:   ratio, as in enrichment_vs_matched; a prediction counts in every area of its disease,
--          and in 'unknown' where its disease has none
-- Grain:   slate_id, area
select
    slate_id,
    substr(part, length('area ') + 1) as area,
    part,
    evidence_window,
    population,
    list_number,
    n_diseases,
    n_predictions,
    n_hits,
    expected_hits,
    enrichment_vs_matched,
    own_share,
    reason
from part_enrichment
where part_kind = 'area'
