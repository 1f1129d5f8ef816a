-- Title:   Crude activities and rates in a class of diseases of like degree
-- Formula: crude activity = hits of the disease / sum over its candidates of the hit rate of their
--          stratum; exposure of a stratum = sum of crude activities over its candidates; crude
--          rate = hits of the stratum / exposure
-- Source:  docs/metrics.md#matched_class
-- Units:   lists, by disease_id of the diseases with hits, NULL if there are none, and by breadth
-- Grain:   slate_id, subset, evidence_window, population, degree_class
-- Note:    a stratum is a breadth x degree_class, and breadths are all those of the slate's
--          candidates, in ascending order; hits are those of counted_hit
-- Portability: list_inner_product adds in one order, whatever the number of threads, and needs no
--          row for each candidate cell; DuckDB plans one view of lists instead of two that read
--          the same, for which matched_cell and matched_fit, which need both, unnest it
with subset_hit as materialized (
    select * from counted_hit
),

disease_list as materialized (
    select * from disease_candidates
),

stratum_list as materialized (
    select * from stratum_candidates
),

stratum_hit as materialized (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        breadth,
        cast(sum(n_hits) as bigint) as n_hits
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
        slate_id,
        hit_subset.subset,
        hit_subset.evidence_window,
        population,
        degree_class,
        list(
            coalesce(
                stratum_hit.n_hits / nullif(list_sum(stratum_list.candidates_by_disease), 0),
                0
            )
            order by breadth
        ) as hit_rates
    from hit_subset
    inner join stratum_list using (slate_id, population)
    left join stratum_hit
        using (slate_id, subset, evidence_window, population, degree_class, breadth)
    group by slate_id, hit_subset.subset, hit_subset.evidence_window, population, degree_class
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
),

crude_disease as materialized (
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
                list_inner_product(disease_list.candidates_by_breadth, class_rate.hit_rates), 0
            ),
            0
        ) as crude_activity
    from disease_hit
    inner join disease_list using (slate_id, population, disease_id, degree_class)
    inner join class_rate using (slate_id, subset, evidence_window, population, degree_class)
),

class_disease as (
    select
        slate_id,
        counted_subset.subset,
        counted_subset.evidence_window,
        population,
        degree_class,
        list(disease_id order by disease_id)
        filter (where crude_disease.n_hits is not null) as diseases,
        list(crude_disease.n_hits order by disease_id)
        filter (where crude_disease.n_hits is not null) as hits_by_disease,
        list(crude_disease.crude_activity order by disease_id)
        filter (where crude_disease.n_hits is not null) as crude_activity_by_disease,
        list(coalesce(crude_disease.crude_activity, 0) order by disease_id) as all_activities
    from counted_subset
    inner join disease_list using (slate_id, population)
    left join crude_disease
        using (slate_id, subset, evidence_window, population, disease_id, degree_class)
    group by
        slate_id, counted_subset.subset, counted_subset.evidence_window, population, degree_class
),

exposed_stratum as (
    select
        slate_id,
        class_disease.subset,
        class_disease.evidence_window,
        population,
        degree_class,
        stratum_list.breadth,
        list_inner_product(stratum_list.candidates_by_disease, class_disease.all_activities)
            as exposure
    from class_disease
    inner join stratum_list using (slate_id, population, degree_class)
),

class_stratum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        list(breadth order by breadth) as breadths,
        list(coalesce(stratum_hit.n_hits, 0) order by breadth) as hits_by_breadth,
        list(exposed_stratum.exposure order by breadth) as exposure_by_breadth,
        list(
            coalesce(stratum_hit.n_hits / nullif(exposed_stratum.exposure, 0), 0) order by breadth
        ) as crude_rate_by_breadth
    from exposed_stratum
    left join stratum_hit
        using (slate_id, subset, evidence_window, population, degree_class, breadth)
    group by slate_id, subset, evidence_window, population, degree_class
)

select
    slate_id,
    subset,
    evidence_window,
    population,
    degree_class,
    class_disease.diseases,
    class_disease.hits_by_disease,
    class_disease.crude_activity_by_disease,
    class_stratum.breadths,
    class_stratum.hits_by_breadth,
    class_stratum.exposure_by_breadth,
    class_stratum.crude_rate_by_breadth
from class_disease
inner join class_stratum using (slate_id, subset, evidence_window, population, degree_class)
