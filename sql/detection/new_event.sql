-- Title:   Events not yet in the ledger
-- Formula: the rows of the event views that the ledger does not have, every column compared but
--          the kind of match: the strongest of one fact
-- Units:   as in the ledger
-- Grain:   drug_id, event_type, event_date, source, release_id, detail
with shown_event as (
    select * from trial_registered_event
    union all by name
    select * from trial_started_event
    union all by name
    select * from trial_phase_event
    union all by name
    select * from trial_ended_event
    union all by name
    select * from trial_results_event
    union all by name
    select * from trial_unreported_event
    union all by name
    select * from indication_phase_event
    union all by name
    select * from indication_study_event
    union all by name
    select * from drug_approval_event
    union all by name
    select * from drug_warning_event
    union all by name
    select * from medicine_event
    union all by name
    select * from drug_approval_correction
)

select
    shown_event.disease_id,
    shown_event.drug_id,
    shown_event.event_type,
    shown_event.phase,
    shown_event.event_date,
    shown_event.public_after,
    shown_event.public_by,
    shown_event.source,
    shown_event.release_id,
    shown_event.record,
    shown_event.drug_alias,
    shown_event.disease_alias,
    shown_event.match_kind,
    shown_event.detail
from shown_event
inner join match_kind on shown_event.match_kind = match_kind.match_kind
anti join event
    on
        shown_event.drug_id = event.drug_id
        and shown_event.disease_id is not distinct from event.disease_id
        and shown_event.event_type = event.event_type
        and shown_event.source = event.source
        and shown_event.record = event.record
        and shown_event.release_id = event.release_id
        and shown_event.phase is not distinct from event.phase
        and shown_event.event_date is not distinct from event.event_date
        and shown_event.public_after is not distinct from event.public_after
        and shown_event.public_by = event.public_by
        and shown_event.drug_alias = event.drug_alias
        and shown_event.disease_alias is not distinct from event.disease_alias
        and (shown_event.detail ->> 'status') is not distinct from (event.detail ->> 'status')
        and (shown_event.detail ->> 'why_stopped') is not distinct from (
            event.detail ->> 'why_stopped'
        )
        and (shown_event.detail ->> 'references') is not distinct from (
            event.detail ->> 'references'
        )
qualify
    row_number() over (
        partition by
            shown_event.drug_id,
            shown_event.disease_id,
            shown_event.event_type,
            shown_event.source,
            shown_event.record,
            shown_event.release_id,
            shown_event.phase,
            shown_event.event_date,
            shown_event.public_after,
            shown_event.public_by,
            shown_event.drug_alias,
            shown_event.disease_alias,
            shown_event.detail ->> 'status',
            shown_event.detail ->> 'why_stopped',
            shown_event.detail ->> 'references'
        order by match_kind.strength
    ) = 1
