-- Title:   Enrichment by part of a slate
-- Formula: matched_ratio of each part of part_count, of all hits
-- Source:  docs/metrics.md#part_enrichment
-- Units:   ratio, as in enrichment_vs_matched; parts as in prediction_part
-- Grain:   slate_id, part
select
    part_count.slate_id,
    part_count.part_kind,
    part_count.part_start,
    part_count.part_end,
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
where matched_ratio.subset = 'all'
