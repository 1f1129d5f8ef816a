-- Title:   An item stands once in a benchmark, by key and by name
-- When:    audit
-- Grain:   benchmark_id, problem
select
    benchmark_id,
    'an item_id' as problem,
    'an item_id stands more than once' as reason
from benchmark_item
group by benchmark_id
having count(*) <> count(distinct item_id)
union all
select
    benchmark_id,
    'a name' as problem,
    'an item name stands more than once' as reason
from benchmark_item
group by benchmark_id
having count(*) <> count(distinct name)
