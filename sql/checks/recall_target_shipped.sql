-- Title:   No recall target that every store is made with is missing
-- When:    audit
-- Grain:   recall
with shipped as (
    select unnest([0.25, 0.5, 0.75, 1.0]) as recall
)

select
    shipped.recall,
    'the recall target was removed' as reason
from shipped
left join recall_target using (recall)
where recall_target.recall is null
