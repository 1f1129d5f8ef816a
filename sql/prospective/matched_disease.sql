-- Title:   Crude activity of a disease
-- Formula: crude_activity = hits of the disease / sum over its candidates of the hit rate of their
--          stratum
-- Source:  docs/metrics.md#matched_disease
-- Units:   1 in a disease as active as its strata; diseases without hits have no row
-- Grain:   slate_id, subset, evidence_window, population, disease_id
-- Note:    a stratum is a breadth x degree_class; hits are those of counted_hit
-- Portability: list_inner_product adds in one order, whatever the number of threads, and needs no
--          row for each candidate cell
with subset_hit as materialized (
    select * from counted_hit
),

stratum_hit as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        breadth,
        sum(n_hits) as n_hits
    from subset_hit
    group by slate_id, subset, evidence_window, population, degree_class, breadth
),

hit_subset as (
    select distinct
        slate_id,
        subset,
        evidence_window,
        population
    from subset_hit
),

class_rate as (
    select
        hit_subset.slate_id,
        hit_subset.subset,
        hit_subset.evidence_window,
        hit_subset.population,
        stratum_candidates.degree_class,
        list(
            coalesce(
                stratum_hit.n_hits
                / nullif(list_sum(stratum_candidates.candidates_by_disease), 0),
                0
            )
            order by stratum_candidates.breadth
        ) as hit_rates
    from hit_subset
    inner join stratum_candidates
        on
            hit_subset.slate_id = stratum_candidates.slate_id
            and hit_subset.population = stratum_candidates.population
    left join stratum_hit
        on
            hit_subset.slate_id = stratum_hit.slate_id
            and hit_subset.subset = stratum_hit.subset
            and hit_subset.evidence_window = stratum_hit.evidence_window
            and hit_subset.population = stratum_hit.population
            and stratum_candidates.degree_class = stratum_hit.degree_class
            and stratum_candidates.breadth = stratum_hit.breadth
    group by
        hit_subset.slate_id,
        hit_subset.subset,
        hit_subset.evidence_window,
        hit_subset.population,
        stratum_candidates.degree_class
),

disease_hit as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        disease_id,
        degree_class,
        cast(sum(n_hits) as bigint) as n_hits
    from subset_hit
    group by slate_id, subset, evidence_window, population, disease_id, degree_class
)

select
    slate_id,
    subset,
    evidence_window,
    population,
    disease_id,
    degree_class,
    disease_hit.n_hits,
    coalesce(
        disease_hit.n_hits
        / nullif(
            list_inner_product(disease_candidates.candidates_by_breadth, class_rate.hit_rates), 0
        ),
        0
    ) as crude_activity
from disease_hit
inner join disease_candidates using (slate_id, population, disease_id, degree_class)
inner join class_rate using (slate_id, subset, evidence_window, population, degree_class)
