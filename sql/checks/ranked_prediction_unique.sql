-- Title:   A ranked list contains each label once and has no gap
-- When:    audit
-- Grain:   submission_id, item_id
select
    submission_id,
    item_id,
    'a label or a position repeats, or a position is missing' as reason
from ranked_prediction
group by submission_id, item_id
having
    count(*) <> max(position)
    or count(*) <> count(distinct position)
    or count(*) <> count(distinct label_id)
