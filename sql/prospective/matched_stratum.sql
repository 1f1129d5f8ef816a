-- Title:   Crude rate of a stratum
-- Formula: exposure = sum of crude_activity over the candidates of the stratum; crude_rate = its
--          hits / exposure
-- Source:  docs/metrics.md#matched_stratum
-- Units:   hits per candidate of a disease as active as its strata, 0 without hits; strata without
--          candidates have a row, too
-- Grain:   slate_id, subset, evidence_window, population, degree_class, breadth
-- Note:    a stratum is a breadth x degree_class; hits are those of counted_hit
-- Portability: list_inner_product adds in one order, whatever the number of threads, and needs no
--          row for each candidate cell
with stratum_hit as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        breadth,
        cast(sum(n_hits) as bigint) as n_hits
    from counted_hit
    group by slate_id, subset, evidence_window, population, degree_class, breadth
),

class_activity as (
    select
        counted_subset.slate_id,
        counted_subset.subset,
        counted_subset.evidence_window,
        counted_subset.population,
        disease_candidates.degree_class,
        list(
            coalesce(matched_disease.crude_activity, 0) order by disease_candidates.disease_id
        ) as crude_activities
    from counted_subset
    inner join disease_candidates
        on
            counted_subset.slate_id = disease_candidates.slate_id
            and counted_subset.population = disease_candidates.population
    left join matched_disease
        on
            counted_subset.slate_id = matched_disease.slate_id
            and counted_subset.subset = matched_disease.subset
            and counted_subset.evidence_window = matched_disease.evidence_window
            and counted_subset.population = matched_disease.population
            and disease_candidates.disease_id = matched_disease.disease_id
    group by
        counted_subset.slate_id,
        counted_subset.subset,
        counted_subset.evidence_window,
        counted_subset.population,
        disease_candidates.degree_class
),

stratum_exposure as (
    select
        class_activity.slate_id,
        class_activity.subset,
        class_activity.evidence_window,
        class_activity.population,
        class_activity.degree_class,
        stratum_candidates.breadth,
        list_inner_product(
            stratum_candidates.candidates_by_disease, class_activity.crude_activities
        ) as exposure
    from class_activity
    inner join stratum_candidates
        on
            class_activity.slate_id = stratum_candidates.slate_id
            and class_activity.population = stratum_candidates.population
            and class_activity.degree_class = stratum_candidates.degree_class
)

select
    slate_id,
    subset,
    evidence_window,
    population,
    degree_class,
    breadth,
    coalesce(stratum_hit.n_hits, 0) as n_hits,
    stratum_exposure.exposure,
    coalesce(stratum_hit.n_hits / nullif(stratum_exposure.exposure, 0), 0) as crude_rate
from stratum_exposure
left join stratum_hit
    using (slate_id, subset, evidence_window, population, degree_class, breadth)
