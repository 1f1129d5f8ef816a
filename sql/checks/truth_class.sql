-- Title:   The truth of a binary or ordinal benchmark is a class index
-- When:    write
-- Grain:   target_id, item_id
select
    truth.target_id,
    truth.item_id,
    'the class is not one of 0 .. n_classes - 1' as reason
from truth
inner join benchmark_target using (target_id)
inner join benchmark using (benchmark_id)
where
    benchmark.kind in ('binary', 'ordinal')
    and (
        truth.value < 0
        or truth.value >= benchmark.n_classes
        or truth.value <> floor(truth.value)
    )
