-- Title:      Appends the names in a file that were merged, diseases before drugs
-- Reads:      shared_pair, synonymous_name
-- Writes:     merged_name
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
        order by synonymous_name.entity_kind, synonymous_name.entity_id, synonymous_name.name
    ) as position,
    if(synonymous_name.entity_kind = 'disease', synonymous_name.entity_id, null) as disease_id,
    if(synonymous_name.entity_kind = 'drug', synonymous_name.entity_id, null) as drug_id,
    synonymous_name.name
from synonymous_name
inner join merged_entity
    on
        synonymous_name.entity_kind = merged_entity.entity_kind
        and synonymous_name.entity_id = merged_entity.entity_id
