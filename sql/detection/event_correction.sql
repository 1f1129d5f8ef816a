-- Title:   Events that a later row of the ledger corrects
-- Result:  Evidence and matching
-- Formula: an FDA approval that a row without a phase repeats: the action is no approval of a new
--          molecular entity or a new use
-- Units:   submission_kind is what the action is; corrected_at the instant of the correction
-- Grain:   event_id
-- Note:    corrections of every instant: readers leave out those after the as-of instant
select
    event.event_id,
    event.drug_id,
    event.record,
    event.event_date,
    event.release_id,
    min(correction.event_id) as correction_id,
    min(correction.recorded_at) as corrected_at,
    min(correction.detail ->> 'kind') as submission_kind
from event
inner join event as correction
    on
        event.drug_id = correction.drug_id
        and event.event_type = correction.event_type
        and event.record = correction.record
        and event.event_date = correction.event_date
        and event.release_id = correction.release_id
        and event.drug_alias = correction.drug_alias
where
    event.event_type = 'drug_approval'
    and event.event_origin = 'detected'
    and event.phase is not null
    and correction.event_origin = 'detected'
    and correction.phase is null
group by
    event.event_id,
    event.drug_id,
    event.record,
    event.event_date,
    event.release_id
