-- Title:   Candidates of a stratum, listed by disease
-- Formula: candidates of breadth_cell for each disease of the degree class, in the order of
--          disease_id; of population 'novel' those that are not known pairs
-- Source:  docs/metrics.md#stratum_candidates
-- Units:   counts, 0 for a disease without candidates of the breadth; a stratum is a breadth x
--          degree_class
-- Grain:   slate_id, population, degree_class, breadth
with candidate_cell as materialized (
    select * from breadth_cell
),

slate_breadth as (
    select distinct
        slate_id,
        breadth
    from candidate_cell
),

slate_disease as (
    select distinct
        candidate_cell.slate_id,
        candidate_cell.disease_id,
        disease_activity.degree_class
    from candidate_cell
    inner join disease_activity
        on
            candidate_cell.slate_id = disease_activity.slate_id
            and candidate_cell.disease_id = disease_activity.disease_id
),

listed as (
    select
        slate_disease.slate_id,
        slate_disease.degree_class,
        slate_breadth.breadth,
        list(
            cast(coalesce(candidate_cell.n_candidates, 0) as double)
            order by slate_disease.disease_id
        ) as pairs_by_disease,
        list(
            cast(coalesce(candidate_cell.n_candidates - candidate_cell.n_known, 0) as double)
            order by slate_disease.disease_id
        ) as novel_by_disease
    from slate_disease
    inner join slate_breadth on slate_disease.slate_id = slate_breadth.slate_id
    left join candidate_cell
        on
            slate_disease.slate_id = candidate_cell.slate_id
            and slate_disease.disease_id = candidate_cell.disease_id
            and slate_breadth.breadth = candidate_cell.breadth
    group by slate_disease.slate_id, slate_disease.degree_class, slate_breadth.breadth
)

select
    slate_id,
    unnest(['all', 'novel']) as population,
    degree_class,
    breadth,
    unnest([pairs_by_disease, novel_by_disease]) as candidates_by_disease
from listed
