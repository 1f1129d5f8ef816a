-- Title:   No cut-off that every store is made with is missing
-- When:    audit
-- Grain:   k
with shipped as (
    select unnest([1, 5, 10, 20, 50, 100]) as k
)

select
    shipped.k,
    'the cut-off was removed' as reason
from shipped
left join cutoff using (k)
where cutoff.k is null
