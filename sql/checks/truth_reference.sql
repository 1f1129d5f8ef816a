-- Title:   True values belong to an item and a target of one benchmark
-- When:    audit
-- Grain:   target_id, item_id
select
    truth.target_id,
    truth.item_id,
    'the target or the item is not of the benchmark' as reason
from truth
left join benchmark_target using (target_id)
left join benchmark_item using (benchmark_id, item_id)
where benchmark_target.target_id is null or benchmark_item.item_id is null
