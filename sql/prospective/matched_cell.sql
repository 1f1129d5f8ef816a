-- Title:   Candidates by disease and breadth, and what they lead to expect
-- Formula: crude_activity = a disease's hits / sum over its candidates of their stratum's hit rate;
--          crude_rate of a stratum = its hits / sum of crude_activity over its candidates
-- Source:  docs/metrics.md#matched_cell
-- Units:   counts; crude_activity is 1 in a disease as active as its strata, crude_rate is hits per
--          candidate there
-- Grain:   slate_id, subset, evidence_window, population, disease_id, breadth
-- Note:    a stratum is a breadth x degree_class; hits are those of counted_subset; subsets other
--          than 'all' have the cells of diseases and strata with hits, and of predictions
-- Portability: list_sum(list_sort(list(...))) adds in one order, whatever the number of threads, in
--          less memory than sum(... order by ...) over millions of rows
with counted as materialized (
    select * from counted_subset
),

base_cell as materialized (
    select
        disease_breadth_count.slate_id,
        disease_breadth_count.evidence_window,
        disease_breadth_count.population,
        disease_breadth_count.disease_id,
        disease_activity.degree_class,
        disease_breadth_count.breadth_group as breadth,
        disease_breadth_count.n_candidates,
        disease_breadth_count.n_candidate_hits
    from disease_breadth_count
    inner join disease_activity
        on
            disease_breadth_count.slate_id = disease_activity.slate_id
            and disease_breadth_count.disease_id = disease_activity.disease_id
    where
        disease_breadth_count.grouping_kind = 'breadth' and disease_breadth_count.n_candidates > 0
),

disease_class as (
    select distinct
        slate_id,
        disease_id,
        degree_class
    from base_cell
),

subset_hit as materialized (
    select
        counted.slate_id,
        counted.subset,
        counted.evidence_window,
        counted.population,
        candidate_hit.disease_id,
        disease_class.degree_class,
        candidate_hit.breadth,
        count(*) as n_hits
    from counted
    inner join candidate_hit
        on
            counted.slate_id = candidate_hit.slate_id
            and counted.evidence_window = candidate_hit.evidence_window
            and coalesce(counted.strength >= candidate_hit.match_strength, true)
            and coalesce(counted.until_date >= candidate_hit.first_event_date, true)
    inner join disease_class
        on
            candidate_hit.slate_id = disease_class.slate_id
            and candidate_hit.disease_id = disease_class.disease_id
    where
        counted.subset <> 'all'
        and (counted.population = 'all' or not candidate_hit.is_known)
    group by
        counted.slate_id,
        counted.subset,
        counted.evidence_window,
        counted.population,
        candidate_hit.disease_id,
        disease_class.degree_class,
        candidate_hit.breadth
),

hit_disease as (
    select distinct
        slate_id,
        subset,
        evidence_window,
        population,
        disease_id,
        degree_class
    from subset_hit
),

hit_stratum as (
    select distinct
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        breadth
    from subset_hit
),

-- Of a subset only what can be expected in, and where predictions are: elsewhere it is 0.
subset_member as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        hit_disease.disease_id,
        hit_stratum.breadth
    from hit_disease
    inner join hit_stratum using (slate_id, subset, evidence_window, population, degree_class)
    union
    select
        counted.slate_id,
        counted.subset,
        counted.evidence_window,
        counted.population,
        prediction.disease_id,
        drug_breadth.breadth
    from counted
    inner join prediction
        on
            counted.slate_id = prediction.slate_id
            and (counted.tier = 'all' or counted.tier = prediction.tier)
    inner join drug_breadth
        on
            prediction.slate_id = drug_breadth.slate_id
            and prediction.drug_id = drug_breadth.drug_id
    where counted.subset <> 'all'
),

candidate_cell as materialized (
    select
        slate_id,
        'all' as subset,
        evidence_window,
        population,
        disease_id,
        degree_class,
        breadth,
        n_candidates,
        n_candidate_hits
    from base_cell
    union all
    select
        slate_id,
        subset_member.subset,
        evidence_window,
        population,
        disease_id,
        base_cell.degree_class,
        breadth,
        base_cell.n_candidates,
        coalesce(subset_hit.n_hits, 0) as n_candidate_hits
    from subset_member
    inner join base_cell using (slate_id, evidence_window, population, disease_id, breadth)
    left join subset_hit
        using (slate_id, subset, evidence_window, population, disease_id, breadth)
),

base_stratum as (
    select
        slate_id,
        evidence_window,
        population,
        degree_class,
        breadth,
        sum(n_candidates) as n_candidates
    from base_cell
    group by slate_id, evidence_window, population, degree_class, breadth
),

stratum_rate as (
    select
        slate_id,
        candidate_cell.subset,
        evidence_window,
        population,
        degree_class,
        breadth,
        sum(candidate_cell.n_candidate_hits) / min(base_stratum.n_candidates) as hit_rate
    from candidate_cell
    inner join base_stratum using (slate_id, evidence_window, population, degree_class, breadth)
    group by
        slate_id, candidate_cell.subset, evidence_window, population, degree_class, breadth
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
