-- Title:   Enrichment by what was known
-- Formula: matched_ratio of the primary endpoint's predictions, by the number of pairs known at the
--          freeze of their disease ('known drugs') and of their drug ('known diseases')
-- Source:  docs/metrics.md#enrichment_by_knowledge
-- Units:   ratio, as in enrichment_vs_matched; known pairs of a group are at least least_known (0,
--          1, 4 or 10) and at most most_known, NULL for the last
-- Grain:   slate_id, known_of, least_known
select
    part_count.slate_id,
    if(part_count.part_kind = 'known drugs', 'disease', 'drug') as known_of,
    part_count.part_start as least_known,
    part_count.part_end as most_known,
    part_count.part,
    part_count.evidence_window,
    part_count.population,
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
where part_count.part_kind in ('known drugs', 'known diseases') and matched_ratio.subset = 'all'
