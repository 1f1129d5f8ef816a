-- Title:   FDA approvals of drugs
-- Formula: actions that approve a new molecular entity or a new use, of a drug named by one of its
--          keys; each at its first release
-- Units:   as in the ledger; event date is the day of the action, public on that day; no disease is
--          named; drug_alias is an unshared name, then the one known first, then the first
-- Grain:   drug_id, record, event_date
with named_action as (
    select
        entity_key.entity_id as drug_id,
        approval_action.record,
        approval_action.status_date,
        min_by(
            approval_action.release_id, (approval_action.position, approval_action.approval_id)
        ) as release_id,
        min_by(
            entity_key.value, (entity_key.is_shared, entity_key.known_since, entity_key.value)
        ) as drug_alias,
        min_by(
            entity_key.strength, (entity_key.is_shared, entity_key.known_since, entity_key.value)
        ) as strength
    from approval_action
    inner join entity_key on approval_action.name = entity_key.value
    where approval_action.meaning = 'approval' and entity_key.entity_kind = 'drug'
    group by entity_key.entity_id, approval_action.record, approval_action.status_date
)

select
    cast(null as integer) as disease_id,
    named_action.drug_id,
    'drug_approval' as event_type,
    cast(4 as double) as phase,
    named_action.status_date as event_date,
    cast(named_action.status_date - 1 as date) as public_after,
    named_action.status_date as public_by,
    'fda' as source,
    named_action.release_id,
    named_action.record,
    named_action.drug_alias,
    cast(null as varchar) as disease_alias,
    match_kind.match_kind,
    json_object(
        'phase', 4, 'record', named_action.record, 'drug_alias', named_action.drug_alias
    ) as detail
from named_action
inner join match_kind on named_action.strength = match_kind.strength
