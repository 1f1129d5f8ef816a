-- Title:   Candidates of a disease, listed by breadth
-- Formula: candidates of breadth_cell for each breadth of the slate's candidates, in ascending
--          order; of population 'novel' those that are not known pairs
-- Source:  docs/metrics.md#disease_candidates
-- Units:   counts, 0 for a breadth that only other diseases have; degree_class as in
--          disease_activity
-- Grain:   slate_id, population, disease_id
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
        slate_id,
        disease_id
    from candidate_cell
),

listed as (
    select
        slate_disease.slate_id,
        slate_disease.disease_id,
        list(
            cast(coalesce(candidate_cell.n_candidates, 0) as double)
            order by slate_breadth.breadth
        ) as pairs_by_breadth,
        list(
            cast(coalesce(candidate_cell.n_candidates - candidate_cell.n_known, 0) as double)
            order by slate_breadth.breadth
        ) as novel_by_breadth
    from slate_disease
    inner join slate_breadth on slate_disease.slate_id = slate_breadth.slate_id
    left join candidate_cell
        on
            slate_disease.slate_id = candidate_cell.slate_id
            and slate_disease.disease_id = candidate_cell.disease_id
            and slate_breadth.breadth = candidate_cell.breadth
    group by slate_disease.slate_id, slate_disease.disease_id
)

select
    listed.slate_id,
    unnest(['all', 'novel']) as population,
    listed.disease_id,
    disease_activity.degree_class,
    unnest([listed.pairs_by_breadth, listed.novel_by_breadth]) as candidates_by_breadth
from listed
inner join disease_activity
    on
        listed.slate_id = disease_activity.slate_id
        and listed.disease_id = disease_activity.disease_id
