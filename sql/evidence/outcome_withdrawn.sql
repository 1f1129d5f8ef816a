-- Title:   Outcomes whose evidence was withdrawn since
-- Formula: the newest release of the source no longer shows what the outcome rests on: the phase,
--          the study of the pair, its start after the freeze, its end, the approval
-- Source:  METRICS section 2, corrections
-- Units:   withdrawal says in words how; the outcome stays in the ledger and counts
-- Grain:   outcome_id
with evidence as (
    select
        outcome.outcome_id,
        outcome.slate_id,
        outcome.disease_id,
        outcome.drug_id,
        outcome.outcome_type,
        outcome.source,
        slate.frozen_on,
        outcome.detail ->> 'record' as record,
        outcome.detail ->> 'status' as status,
        try_cast(outcome.detail ->> 'phase' as double) as phase
    from outcome
    inner join release_order using (release_id)
    inner join slate using (slate_id)
),

newest_release as (
    select
        source,
        version
    from release_order
    qualify position = max(position) over (partition by source)
),

shown_trial as (
    select
        trial_id,
        trial.nct_id,
        trial.overall_status,
        trial.reached_phase,
        trial.start_date
    from trial_state
    inner join trial using (trial_id)
    where trial_state.until_position is null
),

shown_approval as (
    select distinct concat_ws('/', application_number, submission_type, submission_number) as record
    from approval_action
    where is_current
),

judged as (
    select
        evidence.*,
        case
            when evidence.source = 'chembl' and outcome_shown_phase.phase < evidence.phase
                then concat(
                    'ChEMBL ', newest_release.version, ' shows phase ', outcome_shown_phase.phase
                )
            when evidence.source = 'fda' and shown_approval.record is null
                then concat(evidence.record, ' is no longer an approval')
            when evidence.source <> 'ctgov' then null
            when shown_trial.nct_id is null then concat(evidence.record, ' has vanished')
            when trial_pair.trial_id is null
                then concat(evidence.record, ' is no longer a trial of the pair')
            when evidence.outcome_type = 'status_transition'
                then if(
                    shown_trial.overall_status <> evidence.status,
                    concat(evidence.record, ' is now ', shown_trial.overall_status),
                    null
                )
            when shown_trial.overall_status = 'WITHDRAWN'
                then concat(evidence.record, ' was withdrawn before it began')
            when evidence.outcome_type = 'first_trial_seen'
                then if(
                    coalesce(shown_trial.start_date <= evidence.frozen_on, true),
                    concat(evidence.record, ' does not start after the freeze'),
                    null
                )
            when coalesce(shown_trial.reached_phase, 0) < evidence.phase
                then concat(evidence.record, ' is now in a lower phase')
        end as withdrawal
    from evidence
    left join newest_release using (source)
    left join outcome_shown_phase using (outcome_id)
    left join shown_trial on evidence.record = shown_trial.nct_id
    left join trial_pair using (slate_id, disease_id, drug_id, trial_id)
    left join shown_approval on evidence.record = shown_approval.record
)

select
    outcome_id,
    slate_id,
    disease_id,
    drug_id,
    outcome_type,
    source,
    withdrawal
from judged
where withdrawal is not null
