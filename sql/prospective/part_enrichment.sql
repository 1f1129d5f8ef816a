-- Title:   Enrichment by part of a slate
-- Formula: stratified_ratio of each part of part_count, of all hits
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
    ratio.list_number,
    part_count.n_diseases,
    part_count.n_predictions,
    part_count.n_hits,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    ratio.own_share,
    ratio.reason
from part_count
inner join stratified_ratio as ratio
    on
        part_count.slate_id = ratio.slate_id
        and ratio.list_kind = 'part'
        and part_count.part = ratio.list_name
