-- Title:      Appends the names in a file that were merged, diseases before drugs
-- Reads:      shared_name, shared_pair
-- Writes:     merged_name
-- Parameters: merged_set_id
with merged_entity as (
    select
        'disease' as entity_kind,
        disease_id as entity_id
    from shared_pair
    where has_disease_names
    union
    select
        'drug' as entity_kind,
        drug_id as entity_id
    from shared_pair
    where has_drug_names
)

select
    cast(:merged_set_id as integer) as merged_set_id,
    row_number() over (
        order by shared_name.entity_kind, shared_name.entity_id, shared_name.name
    ) as position,
    if(shared_name.entity_kind = 'disease', shared_name.entity_id, null) as disease_id,
    if(shared_name.entity_kind = 'drug', shared_name.entity_id, null) as drug_id,
    shared_name.name
from shared_name
inner join merged_entity
    on
        shared_name.entity_kind = merged_entity.entity_kind
        and shared_name.entity_id = merged_entity.entity_id
