-- Title:      The version of each study that counts, its key, and whether it is new or changed
-- Reads:      given_trial, release, staged_revision, trial
-- Creates:    new_trial
-- Note:       If several files contain a study, the version updated last counts, whatever the
--             order of the files. Only narrow rows are sorted, to find that version and its key.
--             A past version has a number, and is compared with what the store has of that number;
--             a study of a snapshot is compared with the snapshots before. Of two snapshots of
--             one day the one that shows a change counts, whichever comes first: the other repeats
--             what stood before the day.
with numbered as (
    select
        given_trial.*,
        staged_revision.version_number,
        staged_revision.submitted_on
    from given_trial
    left join staged_revision on given_trial.source_key = staged_revision.source_key
),

counted as (
    select
        nct_id,
        source_key,
        content_sha256,
        version_number,
        submitted_on,
        case
            when contains(phase, 'PHASE4') then 4
            when contains(phase, 'PHASE3') then 3
            when contains(phase, 'PHASE2') then 2
            when contains(replace(phase, 'EARLY_PHASE1', ''), 'PHASE1') then 1
            when contains(phase, 'EARLY_PHASE1') then 0.5
        end as reached_phase,
        row_number() over (
            partition by nct_id, version_number
            order by last_update_posted_on desc nulls last, content_sha256 asc, source_key asc
        ) as nth
    from numbered
),

held as (
    select
        trial.nct_id,
        trial.version_number,
        arg_max(trial.content_sha256, trial.trial_id) as content_sha256,
        arg_max(release.released_on, trial.trial_id) = cast(:released_on as date) as is_of_day,
        arg_max(trial.content_sha256, trial.trial_id) filter (
            where release.released_on < cast(:released_on as date)
        ) as earlier_sha256
    from trial
    inner join release using (release_id)
    group by trial.nct_id, trial.version_number
)

select
    counted.nct_id,
    counted.source_key,
    counted.reached_phase,
    (
        held.content_sha256 is distinct from counted.content_sha256
        and not coalesce(held.is_of_day and held.earlier_sha256 = counted.content_sha256, false)
    ) as is_changed,
    :first_id - 1 + row_number() over (
        order by is_changed desc, counted.nct_id asc, counted.version_number asc
    ) as trial_id,
    counted.version_number,
    counted.submitted_on
from counted
left join held
    on
        counted.nct_id = held.nct_id
        and counted.version_number is not distinct from held.version_number
where counted.nth = 1
