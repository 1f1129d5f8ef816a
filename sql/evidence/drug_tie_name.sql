-- Title:   The name by which a drug stands among equals, from when to when
-- Formula: the first, in the order of their bytes, of the folded names that the drug had by then;
--          a row begins where a name was added that sorts before the others
-- Source:  docs/metrics.md#tie-order
-- Units:   instants in UTC; named_until is NULL while the name is the first; name 1 stands for what
--          was before it, too
-- Grain:   drug_id, name_number
with added_name as (
    select
        drug_id,
        added_at,
        min(value) as folded_name
    from drug_alias
    where kind = 'name'
    group by drug_id, added_at
),

first_name as (
    select
        drug_id,
        added_at,
        min(folded_name) over (partition by drug_id order by added_at) as folded_name
    from added_name
),

changed_name as (
    select
        drug_id,
        added_at,
        folded_name
    from first_name
    qualify
        lag(folded_name) over (partition by drug_id order by added_at)
        is distinct from folded_name
)

select
    drug_id,
    row_number() over (partition by drug_id order by added_at) as name_number,
    folded_name,
    added_at as named_since,
    lead(added_at) over (partition by drug_id order by added_at) as named_until
from changed_name
