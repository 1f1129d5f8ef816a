-- Title:   An event is recorded once
-- When:    write
-- Grain:   event_id
select
    min(event_id) as event_id,
    count(*) as n_rows,
    'the same event is recorded more than once' as reason
from event
group by
    slate_id,
    disease_id,
    drug_id,
    event_type,
    phase,
    event_date,
    public_after,
    public_by,
    source,
    release_id,
    record,
    drug_alias,
    disease_alias,
    detail
having count(*) > 1
