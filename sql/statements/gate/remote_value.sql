-- Title:      Values of a submission's file more than a thousand times the truth's range outside it
-- Reads:      benchmark, benchmark_target, staged_value, truth
-- Note:       A bound that is not finite is beyond every value. A truth with one value has no
--             range. The range of held-out truth is not told.
with truth_range as (
    select
        benchmark_target.name as target,
        min(truth.value) as lowest,
        max(truth.value) as highest,
        min(truth.value) - 1000 * (max(truth.value) - min(truth.value)) as low,
        max(truth.value) + 1000 * (max(truth.value) - min(truth.value)) as high
    from truth
    inner join benchmark_target using (target_id)
    inner join benchmark using (benchmark_id)
    where benchmark_id = :benchmark_id and benchmark.kind = 'regression'
    group by benchmark_target.name
)

select
    staged_value.row_number,
    if(:is_long, 'value', staged_value.target) as column_name,
    concat(
        '''', staged_value.value,
        ''' is more than a thousand times the truth''s range outside it',
        if(
            :is_held_out, null, concat(' (', truth_range.lowest, ' to ', truth_range.highest, ')')
        )
    ) as message
from staged_value
inner join truth_range using (target)
where
    truth_range.highest > truth_range.lowest
    and isfinite(staged_value.value)
    and (staged_value.value < truth_range.low or staged_value.value > truth_range.high)
