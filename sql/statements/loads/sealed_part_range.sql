-- Title:      The parts in which the pairs of a candidate set are sealed
-- Reads:      sealing_row
-- Note:       Diseases stay whole and in order: a part begins with the first disease that has
--             a multiple of part_rows pairs, or more, before it.
with disease_count as (
    select
        disease_id,
        count(*) as n_rows
    from sealing_row
    group by disease_id
),

placed_disease as (
    select
        disease_id,
        n_rows,
        cast(
            coalesce(
                sum(n_rows) over (
                    order by disease_id rows between unbounded preceding and 1 preceding
                ),
                0
            ) as bigint
        ) // :part_rows as place
    from disease_count
)

select
    cast(row_number() over (order by place) as integer) as part_number,
    min(disease_id) as first_disease_id,
    max(disease_id) as last_disease_id,
    cast(sum(n_rows) as bigint) as n_rows
from placed_disease
group by place
order by part_number
