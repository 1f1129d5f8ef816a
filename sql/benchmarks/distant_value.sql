-- Title:   Predicted values far outside the truth's range
-- Formula: values of regression benchmarks below the target's lowest true value or above its
--          highest by more than 10 sample standard deviations of the truth
-- Units:   units of the target; no rows for a target whose truth is constant or has one value; the
--          warning, which pages show, keeps the range of held-out truth to itself
-- Grain:   submission_id, target_id, item_id
with extreme as (
    select
        truth.target_id,
        min(truth.value) as lowest,
        max(truth.value) as highest,
        -- A power of two: dividing by it rounds nothing, and squares of what is left are finite.
        pow(2, floor(log2(nullif(max(abs(truth.value)), 0)))) as unit
    from truth
    inner join benchmark_target using (target_id)
    inner join benchmark
        on
            benchmark_target.benchmark_id = benchmark.benchmark_id
            and benchmark.kind = 'regression'
    group by truth.target_id
),

truth_range as (
    select
        extreme.target_id,
        extreme.lowest,
        extreme.highest,
        extreme.unit,
        stddev_samp(truth.value / extreme.unit order by truth.value) as deviation
    from extreme
    inner join truth using (target_id)
    group by extreme.target_id, extreme.lowest, extreme.highest, extreme.unit
)

select
    submission_value.submission_id,
    submission_value.target_id,
    submission_value.item_id,
    benchmark_target.name as target,
    benchmark_item.name as item,
    submission_value.value,
    truth_range.lowest,
    truth_range.highest,
    concat(
        '''', submission_value.value,
        ''' is more than 10 standard deviations outside the truth''s range',
        if(
            submission.track = 'heldout',
            null,
            concat(' ', truth_range.lowest, ' to ', truth_range.highest)
        )
    ) as warning
from submission_value
inner join submission on submission_value.submission_id = submission.submission_id
inner join truth_range
    on
        submission_value.target_id = truth_range.target_id
        and truth_range.deviation > 0
        and (
            submission_value.value / truth_range.unit - truth_range.highest / truth_range.unit
            > 10 * truth_range.deviation
            or truth_range.lowest / truth_range.unit - submission_value.value / truth_range.unit
            > 10 * truth_range.deviation
        )
inner join benchmark_target on submission_value.target_id = benchmark_target.target_id
inner join benchmark_item
    on
        benchmark_target.benchmark_id = benchmark_item.benchmark_id
        and submission_value.item_id = benchmark_item.item_id
