-- Title:      Appends the labels of a staged file that are not in the benchmark
-- Reads:      benchmark_label, staged_label
-- Writes:     benchmark_label
-- Note:       They stay outside the mapping: no frequency, no decile.
with unlisted as (
    select distinct label
    from staged_label
    where
        label is not null
        and label not in (
            select benchmark_label.name
            from benchmark_label
            where benchmark_label.benchmark_id = :benchmark_id
        )
)

select
    :first_id - 1 + row_number() over (order by label) as label_id,
    cast(:benchmark_id as integer) as benchmark_id,
    label as name
from unlisted
