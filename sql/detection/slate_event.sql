-- Title:   Events of a slate's pairs
-- Formula: the recorded events of pairs that the slate predicted, or scored for a disease that it
--          predicts, through texts that it knows, and what its own publisher claims
-- Units:   as in the ledger; position is that of the release; labeled_phase is 0 to 4;
--          is_shown_by_freeze of a release that is dated by then, and of claims;
--          match_strength as in match_kind, the strongest of one fact, NULL for a claim; study_use
--          as in study_use, of events of studies; has_several_conditions of those of a study whose
--          version listed more than one; stop_reason of stopped ones, as in stop_reason; dated_by
--          is 'registry' or 'number' of what ChEMBL dates by a study, 'release' of what it does not
--          date, 'source' of all else; reference_types are ChEMBL's
-- Grain:   slate_id, disease_id, drug_id, event_id
-- Stored:  evidence
-- Note:    events recorded after the as-of instant are left out, and claims annulled by it; of one
--          fact recorded more than once, the record that was public first, then a dated one, one
--          with references, the narrower one, then by release, record, and the names that were
--          known first; a start, and the phase that the registration has, is public with it, a
--          claim without public_by by its date, an action that names no disease never, and it
--          counts only if the plan opted in; corrections, and what they correct, are left out
with recorded_pair as (
    select distinct
        disease_id,
        drug_id
    from event
    where slate_id is null
),

corrected_event as (
    select event_id
    from event_correction
    where corrected_at <= (select report_instant.as_of from report_instant)
),

acted_drug as (
    select distinct drug_id
    from event
    where disease_id is null and phase is not null
),

slate_plan as (
    select
        slate_id,
        slate_sets.candidate_set_id,
        coalesce((slate.plan ->> 'fda_drug_level') = 'true', false) as is_drug_level,
        coalesce((slate.plan ->> '$.studies.one_condition') = 'true', false) as is_one_condition
    from slate
    inner join slate_sets using (slate_id)
),

-- Sets of candidates are large and may serve many slates: each is read once, and only if it does.
recorded_candidate as (
    select
        candidate.candidate_set_id,
        candidate.disease_id,
        candidate.drug_id
    from candidate
    semi join recorded_pair using (disease_id, drug_id)
    semi join slate_plan using (candidate_set_id)
),

acted_candidate as (
    select
        candidate.candidate_set_id,
        candidate.disease_id,
        candidate.drug_id
    from candidate
    semi join acted_drug using (drug_id)
    semi join slate_plan using (candidate_set_id)
),

slate_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

slate_pair as (
    select
        slate_plan.slate_id,
        prediction.disease_id,
        prediction.drug_id,
        slate_plan.is_drug_level
    from slate_plan
    inner join prediction using (slate_id)
    left join acted_drug on prediction.drug_id = acted_drug.drug_id
    left join recorded_pair
        on
            prediction.disease_id = recorded_pair.disease_id
            and prediction.drug_id = recorded_pair.drug_id
    where
        recorded_pair.drug_id is not null
        or (slate_plan.is_drug_level and acted_drug.drug_id is not null)
    union
    select
        slate_plan.slate_id,
        recorded_candidate.disease_id,
        recorded_candidate.drug_id,
        slate_plan.is_drug_level
    from slate_plan
    inner join recorded_candidate using (candidate_set_id)
    semi join slate_disease using (slate_id, disease_id)
    union
    select
        slate_plan.slate_id,
        acted_candidate.disease_id,
        acted_candidate.drug_id,
        slate_plan.is_drug_level
    from slate_plan
    inner join acted_candidate using (candidate_set_id)
    semi join slate_disease using (slate_id, disease_id)
    where slate_plan.is_drug_level
),

-- Each row is distinct anyway: the word keeps the planner from joining the texts of all drugs with
-- those of all diseases before it looks at events.
drug_event as (
    select distinct
        slate_pair.slate_id,
        slate_pair.disease_id,
        slate_pair.drug_id,
        event.event_id,
        event.disease_alias,
        drug_text.strength,
        drug_text.known_since
    from event
    inner join slate_pair using (disease_id, drug_id)
    inner join slate_entity_text as drug_text
        on
            drug_text.entity_kind = 'drug'
            and slate_pair.slate_id = drug_text.slate_id
            and event.drug_id = drug_text.entity_id
            and event.drug_alias = drug_text.value
    where event.event_origin = 'detected' and event.slate_id is null
),

seen_event as (
    select
        drug_event.slate_id,
        drug_event.disease_id,
        drug_event.drug_id,
        drug_event.event_id,
        greatest(drug_event.strength, disease_text.strength) as match_strength,
        drug_event.known_since as drug_known_since,
        disease_text.known_since as disease_known_since
    from drug_event
    inner join slate_entity_text as disease_text
        on
            disease_text.entity_kind = 'disease'
            and drug_event.slate_id = disease_text.slate_id
            and drug_event.disease_id = disease_text.entity_id
            and drug_event.disease_alias = disease_text.value
    union all
    select
        slate_pair.slate_id,
        slate_pair.disease_id,
        slate_pair.drug_id,
        event.event_id,
        drug_text.strength as match_strength,
        drug_text.known_since as drug_known_since,
        null as disease_known_since
    from event
    inner join slate_pair using (drug_id)
    inner join slate_entity_text as drug_text
        on
            drug_text.entity_kind = 'drug'
            and slate_pair.slate_id = drug_text.slate_id
            and event.drug_id = drug_text.entity_id
            and event.drug_alias = drug_text.value
    anti join corrected_event on event.event_id = corrected_event.event_id
    where event.disease_id is null and event.phase is not null and slate_pair.is_drug_level
    union all
    select
        slate_pair.slate_id,
        slate_pair.disease_id,
        slate_pair.drug_id,
        event.event_id,
        null as match_strength,
        null as drug_known_since,
        null as disease_known_since
    from event
    inner join slate_pair using (disease_id, drug_id)
    where event.event_origin <> 'detected' and event.slate_id is null
    union all
    select
        slate_id,
        disease_id,
        drug_id,
        event_id,
        null as match_strength,
        null as drug_known_since,
        null as disease_known_since
    from event
    where slate_id is not null
),

standing_event as (
    select
        event.*,
        evidence_source.tells_of
    from event
    left join evidence_source on event.source = evidence_source.source
    anti join annulled_event on event.event_id = annulled_event.event_id
),

-- Read here, a detail is read once for all slates.
described_event as (
    select
        *,
        detail ->> 'status' as status,
        detail ->> 'stop_reason' as stop_reason,
        detail ->> 'why_stopped' as why_stopped,
        detail ->> 'references' as reference_types,
        if(
            event_origin = 'detected' and tells_of = 'indications',
            coalesce(detail ->> 'dated_by', 'release'),
            'source'
        ) as dated_by,
        if(
            event_origin = 'detected' and tells_of = 'studies',
            coalesce(detail ->> 'use', 'not stated'),
            null
        ) as study_use,
        event_origin = 'detected'
        and coalesce(tells_of = 'studies', false)
        and coalesce(try_cast(detail ->> 'n_conditions' as integer) > 1, false)
            as has_several_conditions
    from standing_event
    where recorded_at <= (select report_instant.as_of from report_instant)
),

known_event as (
    select
        seen_event.slate_id,
        seen_event.disease_id,
        seen_event.drug_id,
        event.event_id,
        event.event_type,
        event.event_origin,
        event.phase,
        event.event_date,
        event.public_after,
        event.public_by,
        event.source,
        event.release_id,
        release_order.position,
        release_order.released_on,
        event.record,
        event.status,
        event.stop_reason,
        if(
            slate_plan.is_one_condition and event.has_several_conditions,
            'several conditions',
            event.study_use
        ) as study_use,
        event.has_several_conditions,
        event.dated_by,
        event.reference_types,
        event.disease_id is not null as has_disease,
        min(seen_event.match_strength) over same_fact as match_strength
    from seen_event
    inner join described_event as event on seen_event.event_id = event.event_id
    inner join slate_plan on seen_event.slate_id = slate_plan.slate_id
    left join release_order on event.release_id = release_order.release_id
    window
        same_fact as (
            partition by
                seen_event.slate_id,
                seen_event.disease_id,
                seen_event.drug_id,
                event.event_type,
                event.event_origin,
                if(event.event_type = 'indication_phase', null, event.record),
                if(event.event_type in ('trial_phase', 'indication_phase'), event.phase, null),
                if(event.event_type in ('trial_ended', 'ema_withdrawn'), event.status, null),
                if(event.event_type = 'trial_stopped', event.why_stopped, null),
                if(event.event_type = 'drug_approval', event.event_date, null)
        )
    qualify
        event.slate_id is not null
        or event.event_origin <> 'detected'
        or row_number() over (
            same_fact
            order by
                event.public_by asc,
                event.dated_by = 'release' asc,
                event.reference_types is null asc,
                event.public_after desc nulls last,
                release_order.position asc,
                event.record asc,
                seen_event.drug_known_since asc,
                seen_event.disease_known_since asc,
                event.event_id asc
        ) = 1
),

-- A start became public with the registration, and so did the phase that it shows; other aliases of
-- the slate may have found it.
registration as (
    select
        slate_id,
        disease_id,
        drug_id,
        record,
        phase,
        public_after,
        public_by
    from known_event
    where event_type = 'trial_registered' and event_origin = 'detected'
)

select
    known_event.slate_id,
    known_event.disease_id,
    known_event.drug_id,
    known_event.event_id,
    known_event.event_type,
    known_event.phase,
    known_event.event_date,
    if(
        registration.public_by < known_event.public_by,
        registration.public_after,
        known_event.public_after
    ) as public_after,
    least(known_event.public_by, registration.public_by) as public_by,
    known_event.source,
    known_event.release_id,
    known_event.position,
    known_event.record,
    known_event.status,
    known_event.stop_reason,
    known_event.study_use,
    known_event.dated_by,
    known_event.reference_types,
    known_event.has_several_conditions,
    known_event.match_strength,
    slate_date.counted_from,
    known_event.event_type in ('fda_approved', 'ema_approved', 'ema_authorised')
    or (
        known_event.event_type = 'indication_phase' and coalesce(known_event.phase = 4, false)
    ) as is_approval,
    known_event.has_disease
    and coalesce(
        coalesce(
            least(known_event.public_by, registration.public_by), known_event.event_date
        ) <= slate_date.counted_from,
        false
    ) as is_public_by_freeze,
    coalesce(known_event.released_on <= slate_date.counted_from, true) as is_shown_by_freeze,
    coalesce(labeled_phase.labeled_phase, 0) as labeled_phase
from known_event
inner join slate_date on known_event.slate_id = slate_date.slate_id
left join registration
    on
        known_event.slate_id = registration.slate_id
        and known_event.disease_id = registration.disease_id
        and known_event.drug_id = registration.drug_id
        and known_event.record = registration.record
        and (
            known_event.event_type = 'trial_started'
            or (known_event.event_type = 'trial_phase' and known_event.phase = registration.phase)
        )
left join labeled_phase
    on
        known_event.slate_id = labeled_phase.slate_id
        and known_event.disease_id = labeled_phase.disease_id
        and known_event.drug_id = labeled_phase.drug_id
