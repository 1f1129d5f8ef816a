-- Title:   An item has one true value of a target
-- When:    audit
-- Grain:   target_id
select
    target_id,
    'an item has more than one true value' as reason
from truth
group by target_id
having count(*) <> count(distinct item_id)
