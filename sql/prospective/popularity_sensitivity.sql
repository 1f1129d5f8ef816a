-- Title:   Sensitivity of enrichment versus popularity
-- Formula: enrichment with popularity measured by the breadth decile, by the tie-safe cohort, and
--          by the decile of the breadth over positive labels only
-- Source:  docs/metrics.md#popularity_sensitivity
-- Units:   ratios; enrichment_spread = the largest less the smallest of the three
-- Grain:   slate_id, evidence_window, population, tier
with positive_enrichment as (
    select
        enrichment_vs_popularity.slate_id,
        enrichment_vs_popularity.evidence_window,
        enrichment_vs_popularity.population,
        enrichment_vs_popularity.tier,
        enrichment_vs_popularity.enrichment_vs_popularity as enrichment_by_decile,
        enrichment_vs_popularity.enrichment_vs_popularity_tie_safe as enrichment_by_cohort,
        enrichment_vs_popularity.observed_hit_rate
        / nullif(
            positive_expectation.expected_hits
            / nullif(enrichment_vs_popularity.n_predictions, 0),
            0
        ) as enrichment_by_positive_decile
    from enrichment_vs_popularity
    left join tier_expectation as positive_expectation
        on
            enrichment_vs_popularity.slate_id = positive_expectation.slate_id
            and enrichment_vs_popularity.evidence_window = positive_expectation.evidence_window
            and enrichment_vs_popularity.population = positive_expectation.population
            and enrichment_vs_popularity.tier = positive_expectation.tier
            and positive_expectation.grouping_kind = 'positive_decile'
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    enrichment_by_decile,
    enrichment_by_cohort,
    enrichment_by_positive_decile,
    if(
        enrichment_by_decile + enrichment_by_cohort + enrichment_by_positive_decile is null,
        null,
        greatest(enrichment_by_decile, enrichment_by_cohort, enrichment_by_positive_decile)
        - least(enrichment_by_decile, enrichment_by_cohort, enrichment_by_positive_decile)
    ) as enrichment_spread,
    if(
        enrichment_by_decile + enrichment_by_cohort + enrichment_by_positive_decile is null,
        'enrichment versus popularity is not known for every kind of breadth',
        null
    ) as reason
from positive_enrichment
