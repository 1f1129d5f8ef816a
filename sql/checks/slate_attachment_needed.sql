-- Title:   A set is attached only to a slate that was frozen without one
-- When:    write
-- Grain:   slate_id, set_kind
select
    slate_id,
    slate_attachment.set_kind,
    'the slate had a set of this kind when it was frozen' as reason
from slate_attachment
inner join slate using (slate_id)
where
    (slate_attachment.candidate_set_id is not null and slate.candidate_set_id is not null)
    or (slate_attachment.label_set_id is not null and slate.label_set_id is not null)
