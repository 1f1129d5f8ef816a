-- Title:   Corrections of FDA approvals in the ledger
-- Formula: recorded approvals of drugs that rest on an action which approves neither a new
--          molecular entity nor a new use: each once more, without a phase
-- Units:   as in the ledger; all but phase and detail are those of the row that is corrected
-- Grain:   drug_id, record, event_date, release_id, drug_alias
-- Note:    versions up to 0.2.0 recorded every approved original, a generic's too
with read_action as (
    select
        record,
        status_date,
        release_id,
        min(submission_kind) as submission_kind
    from approval_action
    group by record, status_date, release_id
    having not bool_or(meaning = 'approval')
)

select distinct
    event.disease_id,
    event.drug_id,
    event.event_type,
    cast(null as double) as phase,
    event.event_date,
    event.public_after,
    event.public_by,
    event.source,
    event.release_id,
    event.record,
    event.drug_alias,
    event.disease_alias,
    event.match_kind,
    json_object(
        'record', event.record,
        'drug_alias', event.drug_alias,
        'corrects', 'approval',
        'kind', read_action.submission_kind
    ) as detail
from event
inner join read_action
    on
        event.record = read_action.record
        and event.event_date = read_action.status_date
        and event.release_id = read_action.release_id
where
    event.event_type = 'drug_approval'
    and event.event_origin = 'detected'
    and event.phase is not null
