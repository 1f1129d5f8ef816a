-- Title:   Lists of predictions that are compared with equally popular drugs
-- Formula: in each window and population of counted_subset, its tier or else every tier and 'all';
--          in those of the primary endpoint each part of part_count
-- Source:  docs/metrics.md#matched_list
-- Units:   list_number counts a slate's lists from 1; tier may be a part; a list has a prediction
--          whose drug has a breadth
-- Grain:   slate_id, subset, evidence_window, population, tier
with filled_part as materialized (
    select * from part_count
),

filled_list as (
    select distinct
        slate_id,
        population,
        tier
    from predicted_cell
),

compared_list as (
    select
        counted_subset.slate_id,
        counted_subset.subset,
        counted_subset.evidence_window,
        counted_subset.population,
        filled_list.tier
    from counted_subset
    inner join filled_list
        on
            counted_subset.slate_id = filled_list.slate_id
            and counted_subset.population = filled_list.population
            and coalesce(counted_subset.tier = filled_list.tier, true)
    anti join filled_part
        on
            filled_list.slate_id = filled_part.slate_id
            and filled_list.tier = filled_part.part
    union all
    select
        filled_part.slate_id,
        'all' as subset,
        filled_part.evidence_window,
        filled_part.population,
        filled_list.tier
    from filled_part
    inner join filled_list
        on
            filled_part.slate_id = filled_list.slate_id
            and filled_part.population = filled_list.population
            and filled_part.part = filled_list.tier
)

select
    slate_id,
    subset,
    evidence_window,
    population,
    tier,
    row_number() over (
        partition by slate_id order by subset, evidence_window, population, tier
    ) as list_number
from compared_list
