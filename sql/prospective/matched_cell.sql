-- Title:   Candidates by disease and breadth, and what they lead to expect
-- Formula: crude_activity = a disease's hits / sum over its candidates of their stratum's hit rate;
--          crude_rate of a stratum = its hits / sum of crude_activity over its candidates
-- Source:  docs/metrics.md#matched_cell
-- Units:   counts; crude_activity is 1 in a disease as active as its strata, crude_rate is hits per
--          candidate there
-- Grain:   slate_id, subset, evidence_window, population, disease_id, breadth
-- Note:    a stratum is a breadth x degree_class; hits are those of counted_subset; subsets other
--          than 'all' have the cells of diseases and strata with hits, and of predictions
with subset_hit as materialized (
    select * from counted_hit
),

hit_subset as materialized (
    select * from counted_subset
),

-- Its two lists are read here: matched_disease and matched_stratum would plan it twice.
crude_class as materialized (
    select * from matched_class
),

crude_disease as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        unnest(diseases) as disease_id,
        unnest(crude_activity_by_disease) as crude_activity
    from crude_class
),

crude_stratum as (
    select
        slate_id,
        subset,
        evidence_window,
        population,
        degree_class,
        unnest(breadths) as breadth,
        unnest(crude_rate_by_breadth) as crude_rate
    from crude_class
),

population_cell as (
    select
        slate_id,
        unnest(['all', 'novel']) as population,
        disease_id,
        breadth,
        unnest([n_candidates, n_candidates - n_known]) as n_candidates
    from breadth_cell
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
    where subset <> 'all'
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
    where subset <> 'all'
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
        hit_subset.slate_id,
        hit_subset.subset,
        hit_subset.evidence_window,
        hit_subset.population,
        predicted_cell.disease_id,
        predicted_cell.breadth
    from hit_subset
    inner join predicted_cell
        on
            hit_subset.slate_id = predicted_cell.slate_id
            and hit_subset.tier = predicted_cell.tier
    where hit_subset.subset <> 'all' and predicted_cell.population = 'all'
),

candidate_cell as (
    select
        population_cell.slate_id,
        hit_subset.subset,
        hit_subset.evidence_window,
        population_cell.population,
        population_cell.disease_id,
        population_cell.breadth,
        population_cell.n_candidates
    from population_cell
    inner join hit_subset
        on
            population_cell.slate_id = hit_subset.slate_id
            and population_cell.population = hit_subset.population
    where hit_subset.subset = 'all'
    union all
    select
        slate_id,
        subset_member.subset,
        subset_member.evidence_window,
        population,
        disease_id,
        breadth,
        population_cell.n_candidates
    from subset_member
    inner join population_cell using (slate_id, population, disease_id, breadth)
)

select
    candidate_cell.slate_id,
    candidate_cell.subset,
    candidate_cell.evidence_window,
    candidate_cell.population,
    candidate_cell.disease_id,
    candidate_cell.breadth,
    disease_activity.degree_class,
    candidate_cell.n_candidates,
    coalesce(subset_hit.n_hits, 0) as n_candidate_hits,
    coalesce(crude_disease.crude_activity, 0) as crude_activity,
    crude_stratum.crude_rate
from candidate_cell
inner join disease_activity
    on
        candidate_cell.slate_id = disease_activity.slate_id
        and candidate_cell.disease_id = disease_activity.disease_id
inner join crude_stratum
    on
        candidate_cell.slate_id = crude_stratum.slate_id
        and candidate_cell.subset = crude_stratum.subset
        and candidate_cell.evidence_window = crude_stratum.evidence_window
        and candidate_cell.population = crude_stratum.population
        and disease_activity.degree_class = crude_stratum.degree_class
        and candidate_cell.breadth = crude_stratum.breadth
left join crude_disease
    on
        candidate_cell.slate_id = crude_disease.slate_id
        and candidate_cell.subset = crude_disease.subset
        and candidate_cell.evidence_window = crude_disease.evidence_window
        and candidate_cell.population = crude_disease.population
        and candidate_cell.disease_id = crude_disease.disease_id
left join subset_hit
    on
        candidate_cell.slate_id = subset_hit.slate_id
        and candidate_cell.subset = subset_hit.subset
        and candidate_cell.evidence_window = subset_hit.evidence_window
        and candidate_cell.population = subset_hit.population
        and candidate_cell.disease_id = subset_hit.disease_id
        and candidate_cell.breadth = subset_hit.breadth
where candidate_cell.n_candidates > 0
