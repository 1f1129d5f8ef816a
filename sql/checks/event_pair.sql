-- Title:   What a publisher claims of a slate belongs to a pair of the slate
-- When:    write
-- Grain:   event_id
with unpredicted as (
    select
        event.event_id,
        slate_sets.candidate_set_id,
        event.disease_id,
        event.drug_id
    from event
    inner join slate_sets using (slate_id)
    anti join prediction using (slate_id, disease_id, drug_id)
)

select
    unpredicted.event_id,
    'the pair is neither predicted by the slate nor in its candidate set' as reason
from unpredicted
anti join candidate using (candidate_set_id, disease_id, drug_id)
