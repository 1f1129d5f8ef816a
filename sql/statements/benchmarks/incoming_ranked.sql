-- Title:      The predicted labels of a staged submission in the order of their positions
-- Reads:      benchmark_item, benchmark_label, staged_label
-- Creates:    incoming_ranked
-- Note:       Ranks sort in ascending order, scores in descending order; equal ones by the MD5 of
--             the names of instance and label, a line feed (chr(10)) between.
with positioned as (
    select
        item,
        label,
        score,
        row_number() over (
            partition by item
            order by
                coalesce(cast(rank as double), -score), md5(concat(item, chr(10), label)), label
        ) as position
    from staged_label
)

select
    cast(:submission_id as integer) as submission_id,
    benchmark_item.item_id,
    cast(positioned.position as integer) as position,
    benchmark_label.label_id,
    positioned.score,
    cast(null as bigint) as line_checksum
from positioned
inner join benchmark_item
    on positioned.item = benchmark_item.name and benchmark_item.benchmark_id = :benchmark_id
inner join benchmark_label
    on positioned.label = benchmark_label.name and benchmark_label.benchmark_id = :benchmark_id
