-- Title:   Evidence of a slate's predictions that the slate does not count
-- Result:  Evidence and matching
-- Formula: events of predicted pairs that are of no fact that the slate counts, by whatever record
--          or text; facts are those of slate_event
-- Units:   cause is late (matched through names or vocabularies that came after the slate was
--          recorded, or that mean another since) or kind (a kind of match that its plan does not
--          count)
-- Grain:   slate_id, disease_id, drug_id, event_id
with aliased_event as (
    select event.event_id
    from event
    semi join entity_key as drug_key
        on
            drug_key.entity_kind = 'drug'
            and event.drug_id = drug_key.entity_id
            and event.drug_alias = drug_key.value
    semi join entity_key as disease_key
        on
            disease_key.entity_kind = 'disease'
            and event.disease_id = disease_key.entity_id
            and event.disease_alias = disease_key.value
)

select
    prediction.slate_id,
    prediction.disease_id,
    prediction.drug_id,
    event.event_id,
    event.event_type,
    event.phase,
    event.event_date,
    event.public_by,
    event.record,
    event.drug_alias,
    event.disease_alias,
    event.match_kind,
    if(
        slate_match_kind.match_kind is null and aliased_event.event_id is null, 'kind', 'late'
    ) as cause
from event
inner join prediction using (disease_id, drug_id)
left join aliased_event on event.event_id = aliased_event.event_id
left join slate_match_kind
    on
        prediction.slate_id = slate_match_kind.slate_id
        and event.match_kind = slate_match_kind.match_kind
anti join slate_event
    on
        prediction.slate_id = slate_event.slate_id
        and event.disease_id = slate_event.disease_id
        and event.drug_id = slate_event.drug_id
        and event.event_type = slate_event.event_type
        and (event.event_type = 'indication_phase' or event.record = slate_event.record)
        and (
            event.event_type not in ('indication_phase', 'trial_phase')
            or event.phase is not distinct from slate_event.phase
        )
        and (
            event.event_type not in ('trial_ended', 'ema_withdrawn')
            or (event.detail ->> 'status') is not distinct from slate_event.status
        )
where
    event.event_origin = 'detected'
    and event.slate_id is null
    and event.recorded_at <= (select report_instant.as_of from report_instant)
