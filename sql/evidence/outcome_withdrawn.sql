-- Title:   Outcomes whose evidence was withdrawn since
-- Formula: the newest release of the source no longer shows what the outcome rests on
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
        outcome.event_date,
        outcome.detail ->> 'record' as record,
        outcome.detail ->> 'status' as status,
        try_cast(outcome.detail ->> 'phase' as double) as phase
    from outcome
    inner join release_order using (release_id)
),

newest_release as (
    select
        source,
        version,
        position
    from release_order
    qualify position = max(position) over (partition by source)
),

shown_phase as (
    select
        indication_pair.slate_id,
        indication_pair.disease_id,
        indication_pair.drug_id,
        max(indication_phase.phase) as phase
    from indication_pair
    inner join indication_phase using (indication_id)
    inner join newest_release
        on
            newest_release.source = 'chembl'
            and indication_phase.position = newest_release.position
    group by indication_pair.slate_id, indication_pair.disease_id, indication_pair.drug_id
),

shown_trial as (
    select
        trial_state.nct_id,
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
        evidence.outcome_id,
        evidence.slate_id,
        evidence.disease_id,
        evidence.drug_id,
        evidence.outcome_type,
        evidence.source,
        case
            when evidence.source = 'chembl' and coalesce(shown_phase.phase, 0) < evidence.phase
                then concat(
                    'ChEMBL ', newest_release.version, ' shows phase ',
                    coalesce(shown_phase.phase, 0)
                )
            when evidence.source = 'fda' and shown_approval.record is null
                then concat(evidence.record, ' is no longer an approval')
            when evidence.source <> 'ctgov' then null
            when shown_trial.nct_id is null then concat(evidence.record, ' has vanished')
            when evidence.outcome_type = 'status_transition'
                then if(
                    shown_trial.overall_status <> evidence.status,
                    concat(evidence.record, ' is now ', shown_trial.overall_status),
                    null
                )
            when shown_trial.overall_status = 'WITHDRAWN'
                then concat(evidence.record, ' was withdrawn before it began')
            when coalesce(shown_trial.reached_phase, 0) < evidence.phase
                then concat(evidence.record, ' is now in a lower phase')
        end as withdrawal
    from evidence
    left join newest_release on evidence.source = newest_release.source
    left join shown_phase using (slate_id, disease_id, drug_id)
    left join shown_trial on evidence.record = shown_trial.nct_id
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
