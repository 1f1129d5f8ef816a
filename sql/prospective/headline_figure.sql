-- Title:   Headline figures of a slate
-- Formula: the figures that plans and the scoreboard refer to, one per row, each from its view
-- Source:  docs/metrics.md#headline_figure
-- Units:   value as in its view; n is the number of predictions, pairs or diseases; a figure
--          without a window, population or tier has 'all' there
-- Grain:   slate_id, metric, evidence_window, population, tier
select
    slate_id,
    unnest([
        'hit_rate',
        'n_hits',
        'precision_proxy',
        'enrichment_vs_random',
        'enrichment_vs_matched',
        'enrichment_vs_popularity',
        'enrichment_vs_popularity_tie_safe',
        'score_gap'
    ]) as metric,
    evidence_window,
    population,
    tier,
    unnest([
        tier_hit_rate.hit_rate,
        tier_hit_rate.n_hits,
        precision_proxy.precision_proxy,
        enrichment_vs_random.enrichment_vs_random,
        enrichment_vs_matched.enrichment_vs_matched,
        enrichment_vs_popularity.enrichment_vs_popularity,
        enrichment_vs_popularity.enrichment_vs_popularity_tie_safe,
        score_calibration.score_gap
    ]) as value,
    unnest([
        tier_hit_rate.n_predictions,
        tier_hit_rate.n_predictions,
        precision_proxy.n_with_any_outcome,
        tier_hit_rate.n_predictions,
        tier_hit_rate.n_predictions,
        tier_hit_rate.n_predictions,
        tier_hit_rate.n_predictions,
        tier_hit_rate.n_predictions
    ]) as n,
    unnest([
        tier_hit_rate.reason,
        null,
        precision_proxy.reason,
        enrichment_vs_random.reason,
        enrichment_vs_matched.reason,
        enrichment_vs_popularity.reason,
        if(
            enrichment_vs_popularity.enrichment_vs_popularity_tie_safe is null,
            coalesce(
                enrichment_vs_popularity.reason,
                'no candidate hit of the same breadth cohort to compare with'
            ),
            null
        ),
        score_calibration.reason
    ]) as reason
from tier_hit_rate
inner join precision_proxy using (slate_id, evidence_window, population, tier)
inner join enrichment_vs_matched using (slate_id, evidence_window, population, tier)
inner join enrichment_vs_random using (slate_id, evidence_window, population, tier)
inner join enrichment_vs_popularity using (slate_id, evidence_window, population, tier)
inner join score_calibration using (slate_id, evidence_window, population, tier)
union all
select
    slate_id,
    unnest(['share_of_diseases_enriched', 'n_low_activity_diseases_with_hits']) as metric,
    evidence_window,
    population,
    'all' as tier,
    unnest([share_of_diseases_enriched, n_low_activity_diseases_with_hits]) as value,
    unnest([n_diseases, n_low_activity_diseases]) as n,
    unnest([reason, null]) as reason
from disease_summary
union all
select
    slate_id,
    'falsified_share' as metric,
    'all' as evidence_window,
    'all' as population,
    tier,
    falsified_share as value,
    n_falsifiable as n,
    reason
from falsification_summary
