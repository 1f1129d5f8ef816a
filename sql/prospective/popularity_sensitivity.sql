-- Title:   Sensitivity of enrichment versus popularity
-- Formula: enrichment with popularity measured by the breadth decile, by the tie-safe cohort, by
--          the decile of the breadth over positive labels only, by match, and by degree product,
--          where hits are expected in proportion to breadth x n_known_pairs
-- Source:  docs/metrics.md#popularity_sensitivity
-- Units:   ratios; enrichment_spread = the largest less the smallest of the first three
-- Grain:   slate_id, evidence_window, population, tier
with known_cell as (
    select
        breadth_cell.slate_id,
        unnest(['all', 'all', 'prospective', 'prospective']) as evidence_window,
        unnest(['all', 'novel', 'all', 'novel']) as population,
        unnest([
            breadth_cell.n_candidates,
            breadth_cell.n_candidates - breadth_cell.n_known,
            breadth_cell.n_candidates,
            breadth_cell.n_candidates - breadth_cell.n_known
        ]) as n_candidates,
        unnest([
            breadth_cell.n_hits,
            breadth_cell.n_novel_hits,
            breadth_cell.n_prospective_hits,
            breadth_cell.n_novel_prospective_hits
        ]) as n_candidate_hits,
        breadth_cell.breadth * disease_activity.n_known_pairs as degree_product
    from breadth_cell
    inner join disease_activity
        on
            breadth_cell.slate_id = disease_activity.slate_id
            and breadth_cell.disease_id = disease_activity.disease_id
),

candidate_product as materialized (
    select
        slate_id,
        evidence_window,
        population,
        sum(n_candidate_hits) as n_candidate_hits,
        sum(n_candidates * degree_product) as degree_product
    from known_cell
    group by slate_id, evidence_window, population
),

tier_pair as (
    select
        slate_id,
        unnest([pair_outcome.tier, 'all']) as tier,
        pair_outcome.is_novel,
        drug_breadth.breadth * disease_activity.n_known_pairs as degree_product
    from pair_outcome
    inner join disease_activity using (slate_id, disease_id)
    left join drug_breadth using (slate_id, drug_id)
    where pair_outcome.evidence_window = 'all'
),

-- NULL where the breadth of a prediction is not known.
tier_product as (
    select
        slate_id,
        tier,
        if(count(degree_product) = count(*), sum(degree_product), null) as degree_product,
        if(
            count(degree_product) filter (where is_novel) = count(*) filter (where is_novel),
            sum(degree_product) filter (where is_novel),
            null
        ) as novel_degree_product
    from tier_pair
    group by slate_id, tier
),

product_enrichment as materialized (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        tier_count.n_hits
        / nullif(
            if(
                population = 'all',
                tier_product.degree_product,
                tier_product.novel_degree_product
            ) * candidate_product.n_candidate_hits
            / nullif(candidate_product.degree_product, 0),
            0
        ) as enrichment_by_degree_product
    from tier_count
    inner join tier_product using (slate_id, tier)
    inner join candidate_product using (slate_id, evidence_window, population)
),

positive_enrichment as (
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
    positive_enrichment.slate_id,
    positive_enrichment.evidence_window,
    positive_enrichment.population,
    positive_enrichment.tier,
    positive_enrichment.enrichment_by_decile,
    positive_enrichment.enrichment_by_cohort,
    positive_enrichment.enrichment_by_positive_decile,
    enrichment_vs_matched.enrichment_vs_matched as enrichment_by_match,
    product_enrichment.enrichment_by_degree_product,
    if(
        positive_enrichment.enrichment_by_decile
        + positive_enrichment.enrichment_by_cohort
        + positive_enrichment.enrichment_by_positive_decile is null,
        null,
        greatest(
            positive_enrichment.enrichment_by_decile,
            positive_enrichment.enrichment_by_cohort,
            positive_enrichment.enrichment_by_positive_decile
        )
        - least(
            positive_enrichment.enrichment_by_decile,
            positive_enrichment.enrichment_by_cohort,
            positive_enrichment.enrichment_by_positive_decile
        )
    ) as enrichment_spread,
    if(
        positive_enrichment.enrichment_by_decile
        + positive_enrichment.enrichment_by_cohort
        + positive_enrichment.enrichment_by_positive_decile is null,
        'enrichment versus popularity is not known for every kind of breadth',
        null
    ) as reason
from positive_enrichment
left join enrichment_vs_matched
    on
        positive_enrichment.slate_id = enrichment_vs_matched.slate_id
        and positive_enrichment.evidence_window = enrichment_vs_matched.evidence_window
        and positive_enrichment.population = enrichment_vs_matched.population
        and positive_enrichment.tier = enrichment_vs_matched.tier
left join product_enrichment
    on
        positive_enrichment.slate_id = product_enrichment.slate_id
        and positive_enrichment.evidence_window = product_enrichment.evidence_window
        and positive_enrichment.population = product_enrichment.population
        and positive_enrichment.tier = product_enrichment.tier
