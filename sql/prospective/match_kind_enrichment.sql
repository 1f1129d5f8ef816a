-- Title:   Primary enrichment by kind of match
-- Result:  Hit rates and enrichment
-- Formula: stratified_ratio of the slate's primary endpoint with the hits found by this kind of
--          match or a stronger one, of predictions and of other candidates alike
-- Units:   as in enrichment_vs_matched; strength as in match_kind; the weakest kind has all hits,
--          and alone a row where no candidate can be matched
-- Grain:   slate_id, strength
with kind_list as (
    -- The weakest kind has all hits, as the list of the tier.
    select
        match_kind_hit_rate.*,
        shown_match_kind.is_weakest,
        if(shown_match_kind.is_weakest, 'tier', 'match kind') as list_kind,
        if(shown_match_kind.is_weakest, tier, match_kind_hit_rate.match_kind) as list_name
    from match_kind_hit_rate
    semi join primary_endpoint using (slate_id, evidence_window, population, tier)
    inner join shown_match_kind using (slate_id, strength)
)

select
    slate_id,
    kind_list.strength,
    kind_list.match_kind,
    evidence_window,
    population,
    kind_list.tier,
    ratio.list_number,
    kind_list.n_predictions,
    kind_list.n_hits,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    ratio.observed_vs_expected,
    ratio.own_share,
    ratio.reason
from kind_list
inner join slate_sets using (slate_id)
inner join stratified_ratio as ratio
    using (slate_id, list_kind, list_name, evidence_window, population)
where kind_list.is_weakest or slate_sets.reason is null
