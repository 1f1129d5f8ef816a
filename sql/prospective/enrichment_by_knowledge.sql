-- Title:   Enrichment by what was known
-- Result:  Hit rates and enrichment
-- Formula: enrichment (part_enrichment) of the primary endpoint's predictions, by the number of
--          pairs known at the freeze of their disease ('known drugs') and of their drug ('known
--          diseases')
-- Units:   ratio, as in enrichment_vs_matched; known pairs of a group are at least least_known (0,
--          1, 4 or 10) and at most most_known, NULL for the last
-- Grain:   slate_id, known_of, least_known
select
    slate_id,
    if(part_kind = 'known drugs', 'disease', 'drug') as known_of,
    part_start as least_known,
    part_end as most_known,
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
where part_kind in ('known drugs', 'known diseases')
