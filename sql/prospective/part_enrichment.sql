-- Title:   Enrichment by part of a slate
-- Formula: stratified_ratio of each part of part_count, of all hits
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
    if(slate_sets.reason is null, coalesce(stratified_ratio.expected_hits, 0), null)
        as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when stratified_ratio.ratio is null
            then
                coalesce(stratified_ratio.reason, 'nothing came true among equally popular drugs')
    end as reason
from part_count
inner join slate_sets using (slate_id)
left join stratified_ratio
    on
        part_count.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = 'part'
        and part_count.part = stratified_ratio.list_name
