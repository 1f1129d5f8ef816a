-- Title:      Values too far outside the range of the truth to be the target's
-- Reads:      benchmark_target, staged_value, truth
-- Parameters: benchmark_id, is_long, max_deviations
-- Note:       The margin beyond the range is in standard deviations of the truth. A value that is
--             not finite is a problem of its cell.
with truth_range as (
    select
        benchmark_target.name as target,
        min(truth.value) as lowest,
        max(truth.value) as highest,
        :max_deviations * coalesce(stddev_samp(truth.value), 0) as margin
    from truth
    inner join benchmark_target using (target_id)
    where benchmark_target.benchmark_id = :benchmark_id
    group by benchmark_target.name
)

select
    staged_value.row_number,
    if(:is_long, 'value', target) as column_name,
    concat(
        '''', staged_value.value, ''' is more than ', :max_deviations,
        ' standard deviations outside the truth''s range ', truth_range.lowest,
        ' to ', truth_range.highest
    ) as message
from staged_value
inner join truth_range using (target)
where
    isfinite(staged_value.value)
    and (
        staged_value.value > truth_range.highest + truth_range.margin
        or staged_value.value < truth_range.lowest - truth_range.margin
    )
