-- Title:   FDA actions on a slate's drugs that approve nothing new
-- Result:  Evidence and matching
-- Formula: current actions on predicted drugs that are no approval of a new molecular entity or a
--          new use
-- Units:   submission_kind and meaning as in submission_kind; reason says why the action dates no
--          approval
-- Grain:   slate_id, drug_id, record
with predicted_drug as (
    select distinct
        slate_id,
        drug_id
    from prediction
)

select distinct
    predicted_drug.slate_id,
    predicted_drug.drug_id,
    approval_action.record,
    approval_action.status_date,
    approval_action.submission_kind,
    approval_action.meaning,
    if(
        approval_action.meaning = 'uncertain',
        'the FDA''s class does not say that a new use was approved',
        'approves no new molecular entity and no new use'
    ) as reason
from predicted_drug
inner join slate_entity_key
    on
        slate_entity_key.entity_kind = 'drug'
        and predicted_drug.slate_id = slate_entity_key.slate_id
        and predicted_drug.drug_id = slate_entity_key.entity_id
inner join approval_action on slate_entity_key.value = approval_action.name
where approval_action.is_current and approval_action.meaning <> 'approval'
