-- Title:   Candidates by disease and breadth, and what they lead to expect
-- Formula: crude_activity = a disease's hits / sum over its candidates of their stratum's hit rate;
--          crude_rate of a stratum = its hits / sum of crude_activity over its candidates
-- Source:  docs/metrics.md#matched_cell
-- Units:   counts; crude_activity is 1 in a disease as active as its strata, crude_rate is hits per
--          candidate there
-- Grain:   slate_id, subset, evidence_window, population, disease_id, breadth
-- Note:    a stratum is a breadth x degree_class; hits are those of counted_subset
-- Portability: list_sum(list_sort(list(...))) adds in one order, whatever the number of threads, in
--          less memory than sum(... order by ...) over millions of rows
with counted as materialized (
    select * from counted_subset
),

kind_cell as (
    select
        counted.slate_id,
        counted.subset,
        counted.evidence_window,
        counted.population,
        candidate_hit.disease_id,
        candidate_hit.breadth,
        count(*) as n_hits
    from counted
    inner join candidate_hit
        on
            counted.slate_id = candidate_hit.slate_id
            and counted.evidence_window = candidate_hit.evidence_window
            and coalesce(counted.strength >= candidate_hit.match_strength, true)
            and coalesce(counted.until_date >= candidate_hit.first_event_date, true)
    where
        counted.subset <> 'all'
        and (counted.population = 'all' or not candidate_hit.is_known)
    group by
        counted.slate_id,
        counted.subset,
        counted.evidence_window,
        counted.population,
        candidate_hit.disease_id,
        candidate_hit.breadth
),

breadth_cell as (
    select
        counted.slate_id,
        counted.subset,
        counted.evidence_window,
        counted.population,
        disease_breadth_count.disease_id,
        disease_breadth_count.breadth_group as breadth,
        disease_breadth_count.n_candidates,
        if(
            counted.subset = 'all',
            disease_breadth_count.n_candidate_hits,
            coalesce(kind_cell.n_hits, 0)
        ) as n_candidate_hits
    from counted
    inner join disease_breadth_count
        on
            counted.slate_id = disease_breadth_count.slate_id
            and counted.evidence_window = disease_breadth_count.evidence_window
            and counted.population = disease_breadth_count.population
    left join kind_cell
        on
            counted.slate_id = kind_cell.slate_id
            and counted.subset = kind_cell.subset
            and disease_breadth_count.disease_id = kind_cell.disease_id
            and disease_breadth_count.breadth_group = kind_cell.breadth
    where
        disease_breadth_count.grouping_kind = 'breadth' and disease_breadth_count.n_candidates > 0
),

candidate_cell as materialized (
    select
        breadth_cell.slate_id,
        breadth_cell.subset,
        breadth_cell.evidence_window,
        breadth_cell.population,
        breadth_cell.disease_id,
        disease_activity.degree_class,
        breadth_cell.breadth,
        breadth_cell.n_candidates,
        breadth_cell.n_candidate_hits
    from breadth_cell
    inner join disease_activity
        on
            breadth_cell.slate_id = disease_activity.slate_id
            and breadth_cell.disease_id = disease_activity.disease_id
),

stratum_rate as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        breadth,
        sum(n_candidate_hits) / sum(n_candidates) as hit_rate
    from candidate_cell
    group by slate_id, subset, evidence_window, population, degree_class, breadth
),

crude_disease as materialized (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        candidate_cell.disease_id,
        coalesce(
            sum(candidate_cell.n_candidate_hits)
            / nullif(
                list_sum(list_sort(list(candidate_cell.n_candidates * stratum_rate.hit_rate))), 0
            ),
            0
        ) as crude_activity
    from candidate_cell
    inner join stratum_rate
        using (slate_id, subset, evidence_window, population, degree_class, breadth)
    group by slate_id, subset, evidence_window, population, candidate_cell.disease_id
),

crude_stratum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        candidate_cell.degree_class,
        candidate_cell.breadth,
        sum(candidate_cell.n_candidate_hits) as stratum_hits,
        list_sum(list_sort(list(candidate_cell.n_candidates * crude_disease.crude_activity)))
            as exposure
    from candidate_cell
    inner join crude_disease using (slate_id, subset, evidence_window, population, disease_id)
    group by
        slate_id,
        subset,
        evidence_window,
        population,
        candidate_cell.degree_class,
        candidate_cell.breadth
)

select
    candidate_cell.slate_id,
    candidate_cell.subset,
    candidate_cell.evidence_window,
    candidate_cell.population,
    candidate_cell.disease_id,
    candidate_cell.breadth,
    candidate_cell.degree_class,
    candidate_cell.n_candidates,
    candidate_cell.n_candidate_hits,
    crude_disease.crude_activity,
    coalesce(crude_stratum.stratum_hits / nullif(crude_stratum.exposure, 0), 0) as crude_rate
from candidate_cell
inner join crude_disease
    on
        candidate_cell.slate_id = crude_disease.slate_id
        and candidate_cell.subset = crude_disease.subset
        and candidate_cell.evidence_window = crude_disease.evidence_window
        and candidate_cell.population = crude_disease.population
        and candidate_cell.disease_id = crude_disease.disease_id
inner join crude_stratum
    on
        candidate_cell.slate_id = crude_stratum.slate_id
        and candidate_cell.subset = crude_stratum.subset
        and candidate_cell.evidence_window = crude_stratum.evidence_window
        and candidate_cell.population = crude_stratum.population
        and candidate_cell.degree_class = crude_stratum.degree_class
        and candidate_cell.breadth = crude_stratum.breadth
