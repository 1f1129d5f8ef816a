-- Title:   Predictions of two slates in lists of equal length
-- Formula: by disease of both the best-ranked, as many as the slate with fewer has; expected_hits
--          as in matched_expectation, to add up as in enrichment_vs_matched, for what either sees
-- Source:  docs/metrics.md#comparison_prediction
-- Units:   place from 1, in the slate's own list; is_listed is false for what was cut; is_shared:
--          listed by both
-- Grain:   slate_id, versus_slate_id, population, tier, disease_id, drug_id
-- Note:    expected_hits are NULL where the slate's endpoint is, and where the common window is not
--          the slate's own
with known as materialized (
    select * from comparison_known
),

came_true as materialized (
    select * from comparison_hit
),

expectation as materialized (
    select * from matched_expectation
    where evidence_window = 'prospective'
),

ranked as (
    select
        comparison_window.slate_id,
        comparison_window.versus_slate_id,
        population.population,
        unnest([prediction.tier, 'all']) as tier,
        prediction.disease_id,
        prediction.drug_id,
        prediction.rank
    from comparison_window
    inner join prediction on comparison_window.slate_id = prediction.slate_id
    left join known
        on
            comparison_window.slate_id = known.slate_id
            and comparison_window.versus_slate_id = known.versus_slate_id
            and prediction.disease_id = known.disease_id
            and prediction.drug_id = known.drug_id
    cross join (values ('all'), ('novel')) as population (population)
    where
        comparison_window.reason is null
        and (population.population = 'all' or known.drug_id is null)
),

placed as materialized (
    select
        slate_id,
        versus_slate_id,
        population,
        tier,
        disease_id,
        drug_id,
        row_number() over (
            partition by slate_id, versus_slate_id, population, tier, disease_id
            order by rank, drug_id
        ) as place,
        count(*) over (
            partition by slate_id, versus_slate_id, population, tier, disease_id
        ) as n_predictions
    from ranked
),

list_length as (
    select distinct
        slate_id,
        versus_slate_id,
        population,
        tier,
        disease_id,
        n_predictions
    from placed
),

-- Each list is cut to the length of the other; a disease of one slate alone has none.
listed as materialized (
    select
        placed.slate_id,
        placed.versus_slate_id,
        placed.population,
        placed.tier,
        placed.disease_id,
        placed.drug_id,
        placed.place,
        placed.place <= list_length.n_predictions as is_listed
    from placed
    inner join list_length
        on
            placed.slate_id = list_length.versus_slate_id
            and placed.versus_slate_id = list_length.slate_id
            and placed.population = list_length.population
            and placed.tier = list_length.tier
            and placed.disease_id = list_length.disease_id
),

common_disease as (
    select distinct
        slate_id,
        versus_slate_id,
        population,
        disease_id
    from listed
),

own_hit as (
    select
        common_disease.slate_id,
        common_disease.versus_slate_id,
        common_disease.population,
        count(*) as n_hits
    from common_disease
    inner join candidate_hit
        on
            common_disease.slate_id = candidate_hit.slate_id
            and common_disease.disease_id = candidate_hit.disease_id
            and candidate_hit.evidence_window = 'prospective'
    where common_disease.population = 'all' or not candidate_hit.is_known
    group by
        common_disease.slate_id, common_disease.versus_slate_id, common_disease.population
),

common_hit as (
    select
        common_disease.slate_id,
        common_disease.versus_slate_id,
        common_disease.population,
        count(*) as n_hits
    from common_disease
    inner join came_true
        on
            common_disease.slate_id = came_true.slate_id
            and common_disease.versus_slate_id = came_true.versus_slate_id
            and common_disease.disease_id = came_true.disease_id
    inner join slate_sets on common_disease.slate_id = slate_sets.slate_id
    inner join candidate
        on
            slate_sets.candidate_set_id = candidate.candidate_set_id
            and came_true.disease_id = candidate.disease_id
            and came_true.drug_id = candidate.drug_id
    left join known
        on
            common_disease.slate_id = known.slate_id
            and common_disease.versus_slate_id = known.versus_slate_id
            and came_true.disease_id = known.disease_id
            and came_true.drug_id = known.drug_id
    where common_disease.population = 'all' or known.drug_id is null
    group by
        common_disease.slate_id, common_disease.versus_slate_id, common_disease.population
),

tier_expected as (
    select
        slate_id,
        population,
        unnest([tier, 'all']) as tier,
        expected_hits
    from expectation
),

tier_sum as (
    select
        slate_id,
        population,
        tier,
        list_sum(list_sort(list(expected_hits))) as expected_hits
    from tier_expected
    group by slate_id, population, tier
),

-- What the slate's own endpoint expects of the tier. What popularity explains in a part of its
-- window, or of the pairs that are still novel at a later freeze, is not known from it.
scaled as (
    select
        common_hit.slate_id,
        common_hit.versus_slate_id,
        common_hit.population,
        tier_sum.tier,
        enrichment_vs_matched.expected_hits
        / nullif(tier_sum.expected_hits, 0)
        * common_hit.n_hits
        / nullif(own_hit.n_hits, 0) as scale
    from common_hit
    inner join own_hit
        on
            common_hit.slate_id = own_hit.slate_id
            and common_hit.versus_slate_id = own_hit.versus_slate_id
            and common_hit.population = own_hit.population
    inner join comparison_window
        on
            common_hit.slate_id = comparison_window.slate_id
            and common_hit.versus_slate_id = comparison_window.versus_slate_id
    inner join slate_horizon
        on
            common_hit.slate_id = slate_horizon.slate_id
            and comparison_window.starts_on = slate_horizon.counted_from
            and comparison_window.ends_on = slate_horizon.ends_on
    inner join tier_sum
        on
            common_hit.slate_id = tier_sum.slate_id
            and common_hit.population = tier_sum.population
    inner join enrichment_vs_matched
        on
            tier_sum.slate_id = enrichment_vs_matched.slate_id
            and tier_sum.population = enrichment_vs_matched.population
            and tier_sum.tier = enrichment_vs_matched.tier
            and enrichment_vs_matched.evidence_window = 'prospective'
    where enrichment_vs_matched.enrichment_vs_matched is not null
)

select
    listed.slate_id,
    listed.versus_slate_id,
    listed.population,
    listed.tier,
    listed.disease_id,
    listed.drug_id,
    listed.place,
    listed.is_listed,
    listed.is_listed and coalesce(other.is_listed, false) as is_shared,
    came_true.drug_id is not null as is_hit,
    came_true.outcome_id,
    expectation.expected_hits * scaled.scale as expected_hits
from listed
left join listed as other
    on
        listed.slate_id = other.versus_slate_id
        and listed.versus_slate_id = other.slate_id
        and listed.population = other.population
        and listed.tier = other.tier
        and listed.disease_id = other.disease_id
        and listed.drug_id = other.drug_id
left join came_true
    on
        listed.slate_id = came_true.slate_id
        and listed.versus_slate_id = came_true.versus_slate_id
        and listed.disease_id = came_true.disease_id
        and listed.drug_id = came_true.drug_id
left join expectation
    on
        listed.slate_id = expectation.slate_id
        and listed.population = expectation.population
        and listed.disease_id = expectation.disease_id
        and listed.drug_id = expectation.drug_id
left join scaled
    on
        listed.slate_id = scaled.slate_id
        and listed.versus_slate_id = scaled.versus_slate_id
        and listed.population = scaled.population
        and listed.tier = scaled.tier
