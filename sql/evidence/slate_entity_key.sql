-- Title:   Names and ids by which evidence refers to a slate's drugs and diseases
-- Formula: the aliases in the store when the slate was recorded, and for drugs that came with
--          attached candidates those of then; a value shared by two of the kind matches neither,
--          unless it is the ChEMBL id of drugs, but a drug that came later takes none from an
--          earlier one
-- Units:   value is a ChEMBL, EFO, MONDO or MeSH id or a folded name; the id of a parent may match
--          several salts; strength as in match_kind; known_since is when the alias was first added
-- Grain:   slate_id, entity_kind, entity_id, value
with entity_alias as (
    select
        'drug' as entity_kind,
        drug_id as entity_id,
        value,
        kind,
        added_at
    from drug_alias
    union all
    select
        'disease' as entity_kind,
        disease_id as entity_id,
        value,
        kind,
        added_at
    from disease_alias
),

-- A drug that came with attached candidates had no alias when the slate was recorded.
new_entity as (
    select
        slate_id,
        'drug' as entity_kind,
        drug_id as entity_id,
        known_by
    from attached_drug
),

slate_alias as (
    select
        slate.slate_id,
        entity_alias.entity_kind,
        entity_alias.entity_id,
        entity_alias.value,
        new_entity.entity_id is not null as is_new,
        min(entity_alias.kind) as kind,
        min(entity_alias.added_at) as known_since
    from slate
    cross join entity_alias
    left join new_entity
        on
            slate.slate_id = new_entity.slate_id
            and entity_alias.entity_kind = new_entity.entity_kind
            and entity_alias.entity_id = new_entity.entity_id
    where coalesce(new_entity.known_by, slate.recorded_at) >= entity_alias.added_at
    group by all
)

select
    slate_id,
    entity_kind,
    entity_id,
    value,
    kind,
    case kind
        when 'name' then 2
        when 'synonym' then 3
        else 1
    end as strength,
    known_since
from slate_alias
window same_value as (partition by slate_id, value, entity_kind)
qualify
    kind in ('chembl_id', 'parent_chembl_id')
    or count(*) over same_value = 1
    or (not is_new and count(*) filter (where not is_new) over same_value = 1)
