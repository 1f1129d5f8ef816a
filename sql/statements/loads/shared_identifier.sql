-- Title:      The drugs and diseases whose several names make a file repeat pairs
-- Reads:      disease_identifier, drug_identifier, shared_pair, synonymous_name
-- Note:       Those that come first in the file, each with the first row of its pairs that repeat,
--             its names, and the number of such drugs and diseases in all.
with entity_row as (
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        min(first_row) as row_number
    from shared_pair
    where has_disease_names
    group by disease_id
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        min(first_row) as row_number
    from shared_pair
    where has_drug_names
    group by drug_id
),

identified as (
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        identifier
    from disease_identifier
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        identifier
    from drug_identifier
),

entity_name as (
    select
        entity_kind,
        entity_id,
        list(name order by name) as names
    from synonymous_name
    group by entity_kind, entity_id
)

select
    entity_row.row_number,
    entity_row.entity_kind,
    identified.identifier,
    entity_name.names,
    count(*) over () as n_found
from entity_row
inner join identified
    on
        entity_row.entity_kind = identified.entity_kind
        and entity_row.entity_id = identified.entity_id
inner join entity_name
    on
        entity_row.entity_kind = entity_name.entity_kind
        and entity_row.entity_id = entity_name.entity_id
order by entity_row.row_number asc, entity_row.entity_kind desc, identified.identifier asc
limit :limit
