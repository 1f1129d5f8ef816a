-- Title:   Trials of pairs without results a year after completion
-- Formula: the first release dated more than 365 days after the completion date of a study, by
--          which its version then current shows it as completed, or as terminated after it began,
--          and no day on which results were posted, if it names the pair; and again the first
--          through aliases that were known earlier
-- Units:   as in the ledger; event date is 365 days after the primary completion date, or without
--          one the completion date, a partial date taken for its last day, of a year 12/31; public
--          after the preceding release, if it had the study and its results would have been read,
--          or the day before the event date, whichever is later
-- Grain:   disease_id, drug_id, record, drug_alias, disease_alias, match_kind
-- Note:    of versions that ClinicalTrials.gov shows alone, since no other registry says when
--          results were due; a version counts from where it is known to have no results: its own
--          release, or a complete one that has it unchanged, ingested once releases of that form
--          had shown any
with registry_release as (
    select
        *,
        lag(position) over (order by position) as previous_position
    from release_order
    where source = 'ctgov'
),

first_reading as (
    select
        release_coverage.form,
        min(trial.release_id) as release_id
    from trial
    inner join release_coverage using (release_id)
    where trial.results_posted_on is not null
    group by release_coverage.form
),

reading_release as (
    select
        registry_release.release_id,
        registry_release.position,
        release_coverage.is_complete
    from registry_release
    inner join release_coverage using (release_id)
    inner join first_reading
        on
            release_coverage.form = first_reading.form
            and release_coverage.release_id >= first_reading.release_id
),

complete_reading as (
    select position
    from reading_release
    where is_complete
),

registry_day as (
    select
        released_on,
        min(position) as position
    from registry_release
    group by released_on
),

-- Only studies that name a pair of the store are looked at.
ended_version as (
    select distinct
        trial_pair_version.nct_id,
        trial_pair_version.from_position,
        trial_pair_version.trial_id,
        trial.release_id,
        trial.overall_status,
        trial.start_date,
        trial_pair_version.started_position is not null as has_begun,
        coalesce(trial.primary_completion_date, trial.completion_date) as ended_on,
        if(
            trial.primary_completion_date is null,
            trial.completion_precision,
            trial.primary_completion_precision
        ) as ended_precision
    from trial_pair_version
    inner join trial using (trial_id)
    semi join registry_release on trial.release_id = registry_release.release_id
    where
        trial.results_posted_on is null
        and trial.overall_status in ('COMPLETED', 'TERMINATED')
),

dated_version as (
    select
        *,
        cast(
            case ended_precision
                when 'month' then last_day(ended_on)
                when 'year' then make_date(year(ended_on), 12, 31)
                else ended_on
            end as date
        ) as last_ended_on
    from ended_version
    where ended_on is not null
),

due_version as (
    select
        *,
        cast(last_ended_on + 365 as date) as due_on
    from dated_version
    where
        overall_status = 'COMPLETED'
        or (has_begun and coalesce(start_date <= last_ended_on, true))
),

read_version as (
    select
        due_version.nct_id,
        due_version.from_position,
        due_version.trial_id,
        due_version.due_on,
        cast(due_version.due_on + 1 as date) as overdue_on,
        trial_state.until_position,
        own_release.position is not null as is_read_itself,
        if(
            own_release.position is null, complete_reading.position, due_version.from_position
        ) as read_position
    from due_version
    inner join trial_state using (nct_id, from_position)
    left join reading_release as own_release on due_version.release_id = own_release.release_id
    asof left join complete_reading on due_version.from_position <= complete_reading.position
),

overdue_version as (
    select
        read_version.*,
        greatest(read_version.read_position, registry_day.position) as position
    from read_version
    asof inner join registry_day on read_version.overdue_on <= registry_day.released_on
    where read_version.read_position is not null
),

unreported_trial as (
    select
        trial_pair_version.*,
        overdue_version.due_on,
        overdue_version.read_position,
        overdue_version.is_read_itself,
        overdue_version.position
    from trial_pair_version
    inner join overdue_version using (nct_id, from_position)
    where coalesce(overdue_version.position < overdue_version.until_position, true)
    qualify
        trial_pair_version.known_since < coalesce(
            min(trial_pair_version.known_since) over (
                partition by
                    trial_pair_version.disease_id,
                    trial_pair_version.drug_id,
                    trial_pair_version.nct_id,
                    trial_pair_version.level,
                    trial_pair_version.is_shared
                order by overdue_version.position, trial_pair_version.from_position
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
)

select
    unreported_trial.disease_id,
    unreported_trial.drug_id,
    'trial_unreported' as event_type,
    cast(null as double) as phase,
    unreported_trial.due_on as event_date,
    cast(
        greatest(
            unreported_trial.due_on - 1,
            if(
                earlier_release.position is null
                or (
                    unreported_trial.position = unreported_trial.from_position
                    and trial_version.is_first
                )
                or (
                    unreported_trial.position = unreported_trial.read_position
                    and not unreported_trial.is_read_itself
                ),
                null,
                least(registry_release.previous_released_on, registry_release.released_on - 1)
            )
        ) as date
    ) as public_after,
    registry_release.released_on as public_by,
    'ctgov' as source,
    registry_release.release_id,
    unreported_trial.nct_id as record,
    unreported_trial.drug_alias,
    unreported_trial.disease_alias,
    unreported_trial.match_kind,
    json_object(
        'record', unreported_trial.nct_id,
        'status', unreported_trial.overall_status,
        'use', unreported_trial.study_use,
        'n_conditions', unreported_trial.n_conditions,
        'drug_alias', unreported_trial.drug_alias,
        'disease_alias', unreported_trial.disease_alias
    ) as detail
from unreported_trial
inner join trial_version using (trial_id)
inner join registry_release
    on unreported_trial.position = registry_release.position
left join reading_release as earlier_release
    on registry_release.previous_position = earlier_release.position
