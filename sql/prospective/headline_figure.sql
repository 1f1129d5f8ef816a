-- Title:   Headline figures of a slate
-- Result:  Verdict and overview
-- Formula: the figures that plans and the scoreboard refer to, one per row, each from its view
-- Units:   value as in its view; n is the number of predictions, pairs or diseases; a figure
--          without a window, population or tier has 'all' there
-- Grain:   slate_id, metric, evidence_window, population, tier
with listed as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        unnest([
            struct_pack(
                metric := 'hit_rate',
                value := tier_hit_rate.hit_rate,
                n := tier_hit_rate.n_predictions,
                reason := tier_hit_rate.reason
            ),
            struct_pack(
                metric := 'n_hits',
                value := tier_hit_rate.n_hits,
                n := tier_hit_rate.n_predictions,
                reason := null
            ),
            struct_pack(
                metric := 'precision_proxy',
                value := precision_proxy.precision_proxy,
                n := precision_proxy.n_with_any_outcome,
                reason := precision_proxy.reason
            ),
            struct_pack(
                metric := 'enrichment_vs_random',
                value := enrichment_vs_random.enrichment_vs_random,
                n := tier_hit_rate.n_predictions,
                reason := enrichment_vs_random.reason
            ),
            struct_pack(
                metric := 'enrichment_vs_matched',
                value := enrichment_vs_matched.enrichment_vs_matched,
                n := tier_hit_rate.n_predictions,
                reason := enrichment_vs_matched.reason
            ),
            struct_pack(
                metric := 'enrichment_vs_popularity',
                value := enrichment_vs_popularity.enrichment_vs_popularity,
                n := tier_hit_rate.n_predictions,
                reason := enrichment_vs_popularity.reason
            ),
            struct_pack(
                metric := 'enrichment_vs_popularity_tie_safe',
                value := enrichment_vs_popularity.enrichment_vs_popularity_tie_safe,
                n := tier_hit_rate.n_predictions,
                reason := if(
                    enrichment_vs_popularity.enrichment_vs_popularity_tie_safe is null,
                    coalesce(
                        enrichment_vs_popularity.reason,
                        'no candidate hit of the same breadth cohort to compare with'
                    ),
                    null
                )
            ),
            struct_pack(
                metric := 'score_gap',
                value := score_calibration.score_gap,
                n := tier_hit_rate.n_predictions,
                reason := score_calibration.reason
            )
        ]) as figure
    from tier_hit_rate
    inner join precision_proxy using (slate_id, evidence_window, population, tier)
    inner join enrichment_vs_matched using (slate_id, evidence_window, population, tier)
    inner join enrichment_vs_random using (slate_id, evidence_window, population, tier)
    inner join enrichment_vs_popularity using (slate_id, evidence_window, population, tier)
    inner join score_calibration using (slate_id, evidence_window, population, tier)
    union all
    select
        slate_id,
        evidence_window,
        population,
        'all' as tier,
        unnest([
            struct_pack(
                metric := 'share_of_diseases_enriched',
                value := share_of_diseases_enriched,
                n := n_diseases,
                reason := reason
            ),
            struct_pack(
                metric := 'n_low_activity_diseases_with_hits',
                value := n_low_activity_diseases_with_hits,
                n := n_low_activity_diseases,
                reason := null
            )
        ]) as figure
    from disease_summary
    union all
    select
        slate_id,
        'all' as evidence_window,
        'all' as population,
        tier,
        struct_pack(
            metric := 'falsified_share',
            value := falsified_share,
            n := n_falsifiable,
            reason := reason
        ) as figure
    from falsification_summary
)

select
    listed.slate_id,
    listed.figure.metric,
    listed.evidence_window,
    listed.population,
    listed.tier,
    listed.figure.value,
    listed.figure.n,
    listed.figure.reason
from listed
