-- Title:   Enrichment by rank
-- Formula: matched_ratio of the predictions with rank at most k, of every tier, in the window and
--          population of the primary endpoint
-- Source:  docs/metrics.md#enrichment_by_k
-- Units:   ratio, as in enrichment_vs_matched; k is of cutoff, or 3, up to the first that holds
--          every prediction
-- Grain:   slate_id, k
select
    part_count.slate_id,
    part_count.part_start as k,
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
where part_count.part_kind = 'top' and matched_ratio.subset = 'all'
