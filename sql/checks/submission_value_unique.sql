-- Title:   An item has one value of a target in a submission
-- When:    audit
-- Grain:   submission_id, target_id
select
    submission_id,
    target_id,
    'an item has more than one value' as reason
from submission_value
group by submission_id, target_id
having count(*) <> count(distinct item_id)
