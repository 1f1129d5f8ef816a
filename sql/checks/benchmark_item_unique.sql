-- Title:   Items of a benchmark are unique by key and by name
-- When:    audit
-- Grain:   benchmark_id, problem
select
    benchmark_id,
    'an item_id' as problem,
    'the item_id occurs more than once' as reason
from benchmark_item
group by benchmark_id
having count(*) <> count(distinct item_id)
union all
select
    benchmark_id,
    'a name' as problem,
    'the item name occurs more than once' as reason
from benchmark_item
group by benchmark_id
having count(*) <> count(distinct name)
