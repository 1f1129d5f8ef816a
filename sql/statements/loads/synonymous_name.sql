-- Title:      The names in a file of each drug or disease to which it gives several
-- Reads:      resolved_disease, resolved_drug
-- Creates:    synonymous_name
-- Note:       A number stands for all spellings of a name that fold alike.
with named as (
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        name_number,
        name
    from resolved_disease
    union all
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        name_number,
        name
    from resolved_drug
),

numbered as (
    select
        entity_kind,
        entity_id,
        name_number,
        min(name) as name
    from named
    group by entity_kind, entity_id, name_number
)

select
    entity_kind,
    entity_id,
    name_number,
    name
from numbered
qualify count(*) over (partition by entity_kind, entity_id) > 1
