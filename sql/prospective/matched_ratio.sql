-- Title:   Enrichment versus equally popular drugs, by the hits that count
-- Formula: Mantel and Haenszel's ratio of the hit rates of predictions and other candidates of
--          equal breadth in diseases of like degree: sum over strata of hits x other exposure /
--          exposure, over sum of other hits x predicted exposure / exposure
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs; where own_share is above 0.75, observed
--          over expected with the predictions left in, and a reason; own_share is 0..1
-- Grain:   slate_id, subset, evidence_window, population, tier
-- Note:    expected_hits = hits / enrichment, or with the predictions left in where that is 0 or
--          NULL; subset is that of counted_subset; tier may be a part of part_count; the reason has
--          own_share as a share of 100
with counted_tier as materialized (
    select * from tier_count
),

list_fit as materialized (
    select * from matched_fit
),

tier_match as (
    select
        slate_id,
        'all' as subset,
        evidence_window,
        population,
        tier,
        n_predictions,
        n_hits
    from counted_tier
    union all
    select
        slate_id,
        list_fit.subset,
        evidence_window,
        population,
        tier,
        counted_tier.n_predictions,
        list_fit.n_hits
    from counted_tier
    inner join list_fit using (slate_id, evidence_window, population, tier)
    where list_fit.subset <> 'all' and list_fit.n_matched > 0
    union all
    select
        slate_id,
        'all' as subset,
        evidence_window,
        population,
        part as tier,
        n_predictions,
        n_hits
    from part_count
),

compared as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        tier,
        tier_match.n_predictions,
        tier_match.n_hits,
        if(list_fit.n_matched = tier_match.n_predictions, list_fit.expected_hits, null)
            as left_in_hits,
        if(list_fit.n_matched = tier_match.n_predictions, list_fit.own_share, null)
            as own_share,
        -- Hits only where every candidate is predicted say nothing, and not a ratio of 0.
        if(
            list_fit.n_matched = tier_match.n_predictions
            and (list_fit.weighted_hits > 0 or tier_match.n_hits = 0),
            list_fit.weighted_hits,
            null
        )
        / nullif(list_fit.weighted_other_hits, 0) as rate_ratio
    from tier_match
    left join list_fit using (slate_id, subset, evidence_window, population, tier)
),

chosen as (
    select
        *,
        if(own_share <= 0.75, rate_ratio, n_hits / nullif(left_in_hits, 0)) as enrichment
    from compared
)

select
    chosen.slate_id,
    chosen.subset,
    chosen.evidence_window,
    chosen.population,
    chosen.tier,
    chosen.n_predictions,
    chosen.n_hits,
    coalesce(chosen.n_hits / nullif(chosen.enrichment, 0), chosen.left_in_hits) as expected_hits,
    chosen.enrichment as enrichment_vs_matched,
    chosen.n_hits / nullif(chosen.left_in_hits, 0) as observed_vs_expected,
    chosen.own_share,
    case
        when slate_sets.candidate_set_id is null and slate_sets.label_set_id is null
            then 'the slate has no candidate set and no labeled pairs'
        when slate_sets.candidate_set_id is null then 'the slate has no candidate set'
        when slate_sets.label_set_id is null then 'the slate has no labeled pairs'
        when chosen.n_predictions = 0 then 'no predictions of this population in the tier'
        when chosen.left_in_hits is null
            then 'a prediction has no candidates of its breadth to compare with'
        when chosen.left_in_hits = 0 then 'no candidate of the same breadth is a hit'
        when chosen.own_share > 0.75
            then
                'the predictions are their own baseline: '
                || cast(cast(100 * chosen.own_share as integer) as varchar)
                || '% of the hits expected of them rest on themselves'
        when chosen.enrichment is null
            then 'the strata with hits do not have both predictions and other candidates'
    end as reason
from chosen
inner join slate_sets on chosen.slate_id = slate_sets.slate_id
