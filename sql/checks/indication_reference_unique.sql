-- Title:   A reference belongs to a known indication and occurs once
-- When:    audit
-- Grain:   indication_id, ref_type, ref_id
select
    indication_reference.indication_id,
    indication_reference.ref_type,
    indication_reference.ref_id,
    'the indication is unknown, or the reference occurs more than once' as reason
from indication_reference
left join indication using (indication_id)
group by
    indication_reference.indication_id,
    indication_reference.ref_type,
    indication_reference.ref_id
having count(*) > 1 or count(indication.indication_id) = 0
