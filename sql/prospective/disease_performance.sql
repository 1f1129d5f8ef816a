-- Title:   Performance by disease
-- Formula: hits / predictions of the disease, compared with the rate expected from breadth deciles
-- Source:  docs/metrics.md#disease_performance
-- Units:   fractions 0..1 and a ratio; the deciles' baselines are those of the whole slate
-- Grain:   slate_id, evidence_window, population, disease_id
with disease_count as (
    select
        slate_id,
        evidence_window,
        disease_id,
        count(*) as n_all,
        count(*) filter (where has_any_outcome) as n_all_with_any_outcome,
        count(*) filter (where is_hit) as n_all_hits,
        count(*) filter (where is_novel) as n_novel,
        count(*) filter (where is_novel and has_any_outcome) as n_novel_with_any_outcome,
        count(*) filter (where is_novel and is_hit) as n_novel_hits
    from pair_outcome
    group by slate_id, evidence_window, disease_id
),

population_count as (
    select
        slate_id,
        evidence_window,
        disease_id,
        unnest(['all', 'novel']) as population,
        unnest([n_all, n_novel]) as n_predictions,
        unnest([n_all_with_any_outcome, n_novel_with_any_outcome]) as n_with_any_outcome,
        unnest([n_all_hits, n_novel_hits]) as n_hits
    from disease_count
),

disease_group as (
    select
        slate_id,
        population,
        disease_id,
        breadth_group,
        cast(sum(n_predictions) as bigint) as n_predictions
    from breadth_prediction_count
    where grouping_kind = 'decile'
    group by slate_id, population, disease_id, breadth_group
),

expected as (
    select
        slate_id,
        popularity_baseline.evidence_window,
        population,
        disease_group.disease_id,
        sum(
            disease_group.n_predictions * popularity_baseline.n_candidate_hits
            / popularity_baseline.n_candidates
            order by disease_group.breadth_group
        ) as expected_hits,
        sum(disease_group.n_predictions) as n_matched
    from disease_group
    inner join popularity_baseline using (slate_id, population)
    where
        disease_group.breadth_group = popularity_baseline.breadth_decile
        and popularity_baseline.n_candidates > 0
    group by slate_id, popularity_baseline.evidence_window, population, disease_group.disease_id
),

-- Expected hits are known only where every prediction has candidates of its breadth.
known_expectation as (
    select
        population_count.slate_id,
        population_count.evidence_window,
        population_count.population,
        population_count.disease_id,
        expected.expected_hits
    from population_count
    inner join expected using (slate_id, evidence_window, population, disease_id)
    where expected.n_matched = population_count.n_predictions
)

select
    slate_id,
    evidence_window,
    population,
    disease_id,
    population_count.n_predictions,
    population_count.n_with_any_outcome,
    population_count.n_hits,
    population_count.n_hits / nullif(population_count.n_predictions, 0) as hit_rate,
    known_expectation.expected_hits / nullif(population_count.n_predictions, 0)
        as expected_hit_rate,
    population_count.n_hits
    / nullif(population_count.n_predictions, 0)
    / nullif(known_expectation.expected_hits / nullif(population_count.n_predictions, 0), 0)
        as enrichment_vs_popularity,
    case
        when population_count.n_predictions = 0 then 'no predictions of this population'
        when slate_sets.reason is not null then slate_sets.reason
        when known_expectation.expected_hits is null
            then 'a prediction has no candidates of its breadth to compare with'
        when known_expectation.expected_hits = 0 then 'no candidate of the same breadth is a hit'
    end as reason
from population_count
inner join slate_sets using (slate_id)
left join known_expectation using (slate_id, evidence_window, population, disease_id)
