-- Title:   Drugs that are new to a slate with attached candidates
-- Formula: the drugs that came into the store between the recording of the slate and the
--          attachment, as those of a candidate set loaded for it do
-- Units:   known_by is the instant of the attachment: the slate knows such a drug by its names of
--          then, since it cannot have had any when the slate was recorded
-- Grain:   slate_id, drug_id
with drug_arrival as (
    select
        drug_id,
        min(added_at) as arrived_at
    from drug_alias
    group by drug_id
)

select
    slate_id,
    drug_arrival.drug_id,
    slate_sets.candidates_attached_at as known_by
from slate
inner join slate_sets using (slate_id)
inner join drug_arrival
    on
        slate.recorded_at < drug_arrival.arrived_at
        and slate_sets.candidates_attached_at >= drug_arrival.arrived_at
