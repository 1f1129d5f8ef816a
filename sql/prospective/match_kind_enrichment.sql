-- Title:   Primary enrichment by kind of match
-- Formula: matched_ratio of the slate's primary endpoint with the hits found by this kind of match
--          or a stronger one, of predictions and of other candidates alike
-- Source:  docs/metrics.md#match_kind_enrichment
-- Units:   as in enrichment_vs_matched; strength as in match_kind; the weakest kind has all hits,
--          and alone a row where no candidate can be matched
-- Grain:   slate_id, strength
select
    shown_match_kind.slate_id,
    shown_match_kind.strength,
    shown_match_kind.match_kind,
    matched_ratio.evidence_window,
    matched_ratio.population,
    matched_ratio.tier,
    matched_ratio.n_predictions,
    matched_ratio.n_hits,
    matched_ratio.expected_hits,
    matched_ratio.enrichment_vs_matched,
    matched_ratio.reason
from shown_match_kind
inner join primary_endpoint on shown_match_kind.slate_id = primary_endpoint.slate_id
inner join matched_ratio
    on
        shown_match_kind.slate_id = matched_ratio.slate_id
        and if(shown_match_kind.is_weakest, 'all', shown_match_kind.match_kind)
        = matched_ratio.subset
        and primary_endpoint.evidence_window = matched_ratio.evidence_window
        and primary_endpoint.population = matched_ratio.population
        and primary_endpoint.tier = matched_ratio.tier
