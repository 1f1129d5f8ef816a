-- Title:   Sensitivity of enrichment versus popularity
-- Result:  Hit rates and enrichment
-- Formula: enrichment with popularity measured by the breadth decile, by the tie-safe cohort, by
--          the decile of the breadth over positive labels only, by match, and by degree product,
--          where hits are expected in proportion to breadth x n_known_pairs
-- Units:   ratios; enrichment_spread = the largest less the smallest of the first three
-- Grain:   slate_id, evidence_window, population, tier
with candidate_product as materialized (
    select
        slate_id,
        unnest(['all', 'all', 'prospective', 'prospective']) as evidence_window,
        unnest(['all', 'novel', 'all', 'novel']) as population,
        unnest([
            sum(cell.n_hits),
            sum(cell.n_novel_hits),
            sum(cell.n_prospective_hits),
            sum(cell.n_novel_prospective_hits)
        ]) as n_candidate_hits,
        sum(cell.n_candidates * cell.breadth * activity.n_known_pairs) as all_product,
        sum((cell.n_candidates - cell.n_known) * cell.breadth * activity.n_known_pairs)
            as novel_product,
        unnest([all_product, novel_product, all_product, novel_product]) as degree_product
    from breadth_cell as cell
    inner join disease_activity as activity using (slate_id, disease_id)
    group by slate_id
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
        unnest(['all', 'novel']) as population,
        tier,
        unnest([
            if(count(degree_product) = count(*), sum(degree_product), null),
            if(
                count(degree_product) filter (where is_novel) = count(*) filter (where is_novel),
                sum(degree_product) filter (where is_novel),
                null
            )
        ]) as degree_product
    from tier_pair
    group by slate_id, tier
),

product_enrichment as materialized (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        tier_count.n_hits / nullif(
            tier_product.degree_product * candidate_product.n_candidate_hits
            / nullif(candidate_product.degree_product, 0),
            0
        ) as enrichment_by_degree_product
    from tier_count
    inner join tier_product using (slate_id, population, tier)
    inner join candidate_product using (slate_id, evidence_window, population)
),

positive_expectation as (
    from tier_expectation
    where grouping_kind = 'positive_decile'
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    popularity.enrichment_vs_popularity as enrichment_by_decile,
    popularity.enrichment_vs_popularity_tie_safe as enrichment_by_cohort,
    popularity.observed_hit_rate
    / nullif(positive_expectation.expected_hits / nullif(popularity.n_predictions, 0), 0)
        as enrichment_by_positive_decile,
    enrichment_vs_matched.enrichment_vs_matched as enrichment_by_match,
    product_enrichment.enrichment_by_degree_product,
    if(
        enrichment_by_decile + enrichment_by_cohort + enrichment_by_positive_decile is null,
        null,
        greatest(enrichment_by_decile, enrichment_by_cohort, enrichment_by_positive_decile)
        - least(enrichment_by_decile, enrichment_by_cohort, enrichment_by_positive_decile)
    ) as enrichment_spread,
    if(
        enrichment_spread is null,
        'enrichment versus popularity is not known for every kind of breadth',
        null
    ) as reason
from enrichment_vs_popularity as popularity
left join positive_expectation using (slate_id, evidence_window, population, tier)
left join enrichment_vs_matched using (slate_id, evidence_window, population, tier)
left join product_enrichment using (slate_id, evidence_window, population, tier)
