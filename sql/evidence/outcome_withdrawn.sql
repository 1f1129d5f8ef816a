-- Title:   Outcomes whose evidence has since been withdrawn
-- Result:  Hits, pair by pair
-- Formula: the newest release of the source no longer shows what the outcome rests on: the phase,
--          the study of the pair, that it began, and after the freeze, its end, the approval, the
--          medicine
-- Units:   withdrawal describes how; the outcome stays in the ledger and counts
-- Grain:   slate_id, disease_id, drug_id, outcome_id
-- Stored:  evidence
with newest_chembl as (
    select max_by(version, position) as version
    from release_order
    where source = 'chembl'
),

shown_approval as (
    select distinct
        record,
        true as is_shown
    from approval_action
    where is_current and meaning = 'approval'
),

shown_medicine as (
    select
        product_number as record,
        medicine_id as shown_medicine_id
    from medicine_state
    where until_position is null
),

paired_medicine as (
    select distinct
        disease_id,
        drug_id,
        medicine_id as shown_medicine_id,
        true as is_medicine_of_pair
    from medicine_pair
),

-- Studies that were found to be another, under whose number they are kept since.
known_study as (
    select
        study_number.number as record,
        max(study_number.nct_id) as same_study
    from study_number
    inner join release_order using (release_id)
    where study_number.number <> study_number.nct_id
    group by study_number.number
),

evidence as (
    select
        outcome_id,
        slate_id,
        disease_id,
        drug_id,
        outcome.outcome_type,
        outcome.source,
        release_order.tells_of,
        known_study.same_study,
        slate_date.counted_from,
        outcome.record,
        outcome.detail ->> 'status' as status,
        outcome.phase,
        newest_chembl.version as chembl_version,
        coalesce(outcome_shown_phase.phase, outcome_shown_trial.phase, 0) as shown_phase,
        outcome_shown_trial.nct_id as shown_nct_id,
        outcome_shown_trial.is_of_pair,
        outcome_shown_trial.overall_status as shown_status,
        outcome_shown_trial.start_date as shown_start_date,
        outcome_shown_trial.has_begun,
        shown_approval.is_shown,
        shown_medicine.shown_medicine_id,
        paired_medicine.is_medicine_of_pair
    from outcome
    inner join release_order using (release_id)
    inner join slate_date using (slate_id)
    cross join newest_chembl
    left join outcome_shown_phase using (slate_id, disease_id, drug_id, outcome_id)
    left join outcome_shown_trial using (slate_id, disease_id, drug_id, outcome_id)
    left join known_study using (record)
    left join shown_approval using (record)
    left join shown_medicine using (record)
    left join paired_medicine using (disease_id, drug_id, shown_medicine_id)
),

judged as (
    select
        *,
        case
            when tells_of = 'indications' and shown_phase < phase
                then concat('ChEMBL ', chembl_version, ' shows phase ', shown_phase)
            when tells_of = 'approvals' and is_shown is null
                then concat(record, ' is no longer an approval')
            when tells_of = 'medicines' and shown_medicine_id is null
                then concat(record, ' has vanished')
            when tells_of = 'medicines' and is_medicine_of_pair is null
                then concat(record, ' no longer names the pair')
            when coalesce(tells_of, '') <> 'studies' then null
            when shown_nct_id is null
                then concat(record, coalesce(' is ' || same_study || ' now', ' has vanished'))
            when not is_of_pair then concat(record, ' is no longer a trial of the pair')
            when outcome_type = 'status_transition'
                then if(
                    shown_status is distinct from status,
                    concat(record, ' is now ', coalesce(shown_status, 'without a status')),
                    null
                )
            when outcome_type = 'trial_failed'
                then if(
                    coalesce(shown_status in ('TERMINATED', 'WITHDRAWN'), false),
                    null,
                    concat(record, ' is now ', coalesce(shown_status, 'without a status'))
                )
            when shown_status = 'WITHDRAWN' then concat(record, ' was withdrawn before it began')
            when not has_begun then concat(record, ' has not begun')
            when outcome_type = 'phase_advanced'
                then if(shown_phase < phase, concat(record, ' is now in a lower phase'), null)
            when coalesce(shown_start_date <= counted_from, true)
                then concat(record, ' does not start after the freeze')
        end as withdrawal
    from evidence
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
