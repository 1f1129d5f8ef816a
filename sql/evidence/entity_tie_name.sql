-- Title:   The name by which a drug or disease stands among equals, from when to when
-- Formula: the first, in the order of their bytes, of the folded names that it had by then; a row
--          begins where a name was added that sorts before the others
-- Source:  docs/metrics.md#tie-order
-- Units:   instants in UTC; named_until is NULL while the name is the first; name 1 stands for what
--          was before it, too
-- Grain:   entity_kind, entity_id, name_number
with added_name as (
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        added_at,
        min(value) as folded_name
    from drug_alias
    where kind = 'name'
    group by drug_id, added_at
    union all
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        added_at,
        min(value) as folded_name
    from disease_alias
    where kind = 'name'
    group by disease_id, added_at
),

first_name as (
    select
        entity_kind,
        entity_id,
        added_at,
        min(folded_name) over (
            partition by entity_id, entity_kind order by added_at
        ) as folded_name
    from added_name
),

changed_name as (
    select
        entity_kind,
        entity_id,
        added_at,
        folded_name
    from first_name
    qualify
        lag(folded_name) over (partition by entity_id, entity_kind order by added_at)
        is distinct from folded_name
)

select
    entity_kind,
    entity_id,
    row_number() over (partition by entity_id, entity_kind order by added_at) as name_number,
    folded_name,
    added_at as named_since,
    lead(added_at) over (partition by entity_id, entity_kind order by added_at) as named_until
from changed_name
