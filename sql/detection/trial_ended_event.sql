-- Title:   Ended and stopped trials of pairs
-- Formula: the first version of a study in the status COMPLETED, TERMINATED or WITHDRAWN, and the
--          first of a terminated or withdrawn one that states a reason, if it names the pair
-- Units:   as in the ledger; event date is the completion if it is not after the release, else
--          public_by; a withdrawn trial has none; a reason as in stop_reason
-- Grain:   disease_id, drug_id, record, detail, drug_alias, disease_alias, match_kind
-- Note:    public_after is the latest of the preceding release, if the study had an earlier
--          version, and the days before the first posting and before that completion
with first_end as (
    select
        trial_state.nct_id,
        'trial_ended' as event_type,
        trial.overall_status as stated,
        min(trial_state.from_position) as from_position
    from trial_state
    inner join trial using (trial_id)
    where trial.overall_status in ('COMPLETED', 'TERMINATED', 'WITHDRAWN')
    group by trial_state.nct_id, trial.overall_status
    union all
    select
        trial_state.nct_id,
        'trial_stopped' as event_type,
        trial.why_stopped as stated,
        min(trial_state.from_position) as from_position
    from trial_state
    inner join trial using (trial_id)
    where trial.overall_status in ('TERMINATED', 'WITHDRAWN') and trial.why_stopped is not null
    group by trial_state.nct_id, trial.why_stopped
),

ended_trial as (
    select
        trial_pair_version.*,
        first_end.event_type,
        stop_reason.why_stopped,
        stop_reason.stop_reason
    from trial_pair_version
    inner join first_end using (nct_id, from_position)
    left join stop_reason
        on
            first_end.event_type = 'trial_stopped'
            and first_end.stated = stop_reason.why_stopped
),

dated_trial as (
    select
        ended_trial.*,
        trial.release_id,
        release_order.source,
        trial.completion_precision,
        trial.last_update_posted_on,
        trial_version.released_on,
        trial_version.posted_on,
        if(
            trial_version.is_first or trial_version.previous_released_on is null,
            null,
            least(trial_version.previous_released_on, trial_version.released_on - 1)
        ) as earlier_on,
        if(
            ended_trial.overall_status <> 'WITHDRAWN'
            and trial.completion_date <= trial_version.released_on,
            trial.completion_date,
            null
        ) as completed_on
    from ended_trial
    inner join trial using (trial_id)
    inner join trial_version using (trial_id)
    inner join release_order on trial.release_id = release_order.release_id
),

bounded_trial as (
    select
        *,
        cast(greatest(earlier_on, posted_on - 1, completed_on - 1) as date) as public_after
    from dated_trial
),

published_trial as (
    select
        *,
        if(
            last_update_posted_on <= released_on
            and last_update_posted_on > coalesce(public_after, '-infinity'),
            last_update_posted_on,
            released_on
        ) as public_by
    from bounded_trial
)

select
    disease_id,
    drug_id,
    event_type,
    cast(null as double) as phase,
    coalesce(completed_on, public_by) as event_date,
    public_after,
    public_by,
    source,
    release_id,
    nct_id as record,
    drug_alias,
    disease_alias,
    match_kind,
    if(
        event_type = 'trial_ended',
        json_object(
            'record', nct_id,
            'status', overall_status,
            'completion_precision', completion_precision,
            'use', study_use,
            'n_conditions', n_conditions,
            'drug_alias', drug_alias,
            'disease_alias', disease_alias
        ),
        json_object(
            'record', nct_id,
            'studied_phase', reached_phase,
            'why_stopped', why_stopped,
            'stop_reason', stop_reason,
            'use', study_use,
            'n_conditions', n_conditions,
            'drug_alias', drug_alias,
            'disease_alias', disease_alias
        )
    ) as detail
from published_trial
