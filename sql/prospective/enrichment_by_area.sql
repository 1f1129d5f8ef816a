-- Title:   Enrichment by area of disease
-- Formula: matched_ratio of the primary endpoint's predictions in each area of disease_area
-- Source:  docs/metrics.md#enrichment_by_area
-- Units:   ratio, as in enrichment_vs_matched; a prediction counts in every area of its disease,
--          and in 'unknown' where its disease has none
-- Grain:   slate_id, area
select
    part_count.slate_id,
    substr(part_count.part, length('area ') + 1) as area,
    part_count.part,
    part_count.evidence_window,
    part_count.population,
    part_count.n_diseases,
    part_count.n_predictions,
    part_count.n_hits,
    matched_ratio.expected_hits,
    matched_ratio.enrichment_vs_matched,
    matched_ratio.own_share,
    matched_ratio.reason
from part_count
inner join matched_ratio
    on
        part_count.slate_id = matched_ratio.slate_id
        and part_count.evidence_window = matched_ratio.evidence_window
        and part_count.population = matched_ratio.population
        and part_count.part = matched_ratio.tier
where part_count.part_kind = 'area' and matched_ratio.subset = 'all'
