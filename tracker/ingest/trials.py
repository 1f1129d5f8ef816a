"""Ingests a snapshot of ClinicalTrials.gov: each study stored when it is new or changed."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from sqlalchemy import Connection, text

from tracker import folding
from tracker.errors import InputRefused
from tracker.ingest import ledger
from tracker.loads import Progress, silent
from tracker.sources import aact, clinicaltrials, names

# A study's hash covers all that is stored of it but the order of its names and the source's own
# row numbers: AACT gives new ones with every export. A sum over the rows needs no sorting.
_GIVEN_TRIAL = text(
    """
create or replace temp table given_trial as
with entry as (
    select
        source_key,
        concat_ws(
            chr(31),
            name,
            if(is_mesh_term, 'mesh term', 'condition'),
            coalesce(mesh_id, chr(30))
        ) as content
    from staged_condition
    union all
    select
        source_key,
        concat_ws(
            chr(31),
            name,
            if(is_other_name, 'other name', 'intervention'),
            coalesce(intervention_type, chr(30))
        ) as content
    from staged_intervention
),

entry_digest as (
    select
        source_key,
        concat_ws(':', count(*), sum(md5_number_lower(content))) as digest
    from entry
    group by source_key
),

study as (
    select
        staged_study.nct_id,
        staged_study.source_key,
        trim(staged_study.title) as title,
        code_word(staged_study.study_type) as study_type,
        phase_word(staged_study.phase) as phase,
        status_word(staged_study.overall_status) as overall_status,
        as_date(staged_study.start_date) as start_date,
        date_precision(staged_study.start_date) as start_precision,
        code_word(staged_study.start_type) as start_type,
        as_date(staged_study.primary_completion_date) as primary_completion_date,
        date_precision(staged_study.primary_completion_date) as primary_completion_precision,
        as_date(staged_study.completion_date) as completion_date,
        date_precision(staged_study.completion_date) as completion_precision,
        strict_date(staged_study.first_posted_on) as first_posted_on,
        strict_date(staged_study.last_update_posted_on) as last_update_posted_on,
        entry_digest.digest
    from staged_study
    left join entry_digest on entry_digest.source_key = staged_study.source_key
)

select
    * exclude (digest),
    sha256(
        concat_ws(
            chr(31),
            coalesce(title, chr(30)),
            coalesce(study_type, chr(30)),
            coalesce(phase, chr(30)),
            coalesce(overall_status, chr(30)),
            coalesce(cast(start_date as varchar), chr(30)),
            coalesce(start_precision, chr(30)),
            coalesce(start_type, chr(30)),
            coalesce(cast(primary_completion_date as varchar), chr(30)),
            coalesce(primary_completion_precision, chr(30)),
            coalesce(cast(completion_date as varchar), chr(30)),
            coalesce(completion_precision, chr(30)),
            coalesce(cast(first_posted_on as varchar), chr(30)),
            coalesce(cast(last_update_posted_on as varchar), chr(30)),
            coalesce(digest, chr(30))
        )
    ) as content_sha256
from study
"""
)

# Several files may hold one study: the one updated last counts, whatever the files' order. Narrow
# rows for what needs sorting: which version counts, and the key it gets.
_PREPARE_TRIAL = text(
    """
create or replace temp table new_trial as
with counted as (
    select
        nct_id,
        source_key,
        content_sha256,
        case
            when contains(phase, 'PHASE4') then 4
            when contains(phase, 'PHASE3') then 3
            when contains(phase, 'PHASE2') then 2
            when contains(replace(phase, 'EARLY_PHASE1', ''), 'PHASE1') then 1
            when contains(phase, 'EARLY_PHASE1') then 0.5
        end as reached_phase,
        row_number() over (
            partition by nct_id
            order by last_update_posted_on desc nulls last, content_sha256, source_key
        ) as nth
    from given_trial
),

held as (
    select nct_id, arg_max(content_sha256, trial_id) as content_sha256
    from trial
    group by nct_id
)

select
    counted.nct_id,
    counted.source_key,
    counted.reached_phase,
    held.content_sha256 is distinct from counted.content_sha256 as is_changed,
    (select coalesce(max(trial_id), 0) from trial)
    + row_number() over (order by is_changed desc, counted.nct_id) as trial_id
from counted
left join held on held.nct_id = counted.nct_id
where counted.nth = 1
"""
)

_TRIAL_NAMES = text(
    """
select name from staged_condition
union all
select name from staged_intervention
"""
)

_INSERT_TRIAL = text(
    """
insert into trial by name
select
    new_trial.trial_id,
    cast(:release_id as integer) as release_id,
    new_trial.nct_id,
    new_trial.source_key,
    given_trial.title,
    given_trial.study_type,
    given_trial.phase,
    new_trial.reached_phase,
    given_trial.overall_status,
    given_trial.start_date,
    given_trial.start_precision,
    given_trial.start_type,
    given_trial.primary_completion_date,
    given_trial.primary_completion_precision,
    given_trial.completion_date,
    given_trial.completion_precision,
    given_trial.first_posted_on,
    given_trial.last_update_posted_on,
    given_trial.content_sha256
from new_trial
join given_trial on given_trial.source_key = new_trial.source_key
where new_trial.is_changed
"""
)

_INSERT_TRIAL_CONDITION = text(
    """
insert into trial_condition by name
select
    new_trial.trial_id,
    row_number() over (
        partition by new_trial.trial_id
        order by
            staged_condition.is_mesh_term,
            staged_condition.ordinal,
            staged_condition.rowid
    ) as position,
    staged_condition.name,
    fold_name(staged_condition.name) as folded_name,
    staged_condition.is_mesh_term,
    staged_condition.mesh_id
from staged_condition
join new_trial on new_trial.source_key = staged_condition.source_key
where new_trial.is_changed
"""
)

_INSERT_TRIAL_INTERVENTION = text(
    """
insert into trial_intervention by name
select
    new_trial.trial_id,
    row_number() over (
        partition by new_trial.trial_id
        order by
            staged_intervention.ordinal,
            staged_intervention.is_other_name,
            staged_intervention.rowid
    ) as position,
    staged_intervention.intervention_type,
    staged_intervention.name,
    fold_name(staged_intervention.name) as folded_name,
    staged_intervention.is_other_name
from staged_intervention
join new_trial on new_trial.source_key = staged_intervention.source_key
where new_trial.is_changed
"""
)

_TRIAL_KEYS = text("select distinct 'trial' as kind, nct_id as record_key from trial")
_NEW_TRIAL_KEYS = text("select 'trial' as kind, nct_id as record_key from new_trial")


def ingest_trials(
    connection: Connection,
    paths: Sequence[Path],
    *,
    released_on: date | None = None,
    is_complete: bool | None = None,
    progress: Progress = silent,
) -> ledger.Ingested:
    """Store the studies of a snapshot of ClinicalTrials.gov that are new or changed.

    The snapshot's date is `released_on`, else the latest in the names of `paths`, else today in
    UTC. A study that a complete snapshot
    lacks has vanished; AACT files are taken as complete unless `is_complete` says otherwise.
    Raises InputRefused or ProblemsFound naming file and record; the same content adds nothing.
    """
    progress("hashing")
    source = clinicaltrials.locate(paths)
    held = ledger.held(connection, "ctgov", source.sha256)
    if held is not None:
        return held
    named = max(filter(None, map(names.date_in, paths)), default=None)
    released_on = released_on or named or ledger.today()
    ledger.refuse_future(released_on)
    ledger.refuse_older(connection, "ctgov", source.origin, released_on)
    progress("reading the studies")
    clinicaltrials.stage(connection, source, progress)
    clinicaltrials.refuse_problems(connection, source)
    complete = source.form == "AACT" if is_complete is None else is_complete
    if complete and source.form == "AACT":
        aact.refuse_strangers(connection)
    progress("storing what is new")
    folding.prepare(connection, _TRIAL_NAMES)
    connection.execute(_GIVEN_TRIAL)
    connection.execute(_PREPARE_TRIAL)
    n_rows = ledger.count_rows(connection, "new_trial")
    if n_rows == 0:
        raise InputRefused(f"{source.origin}: holds no study")
    version = released_on.isoformat()
    release_id = ledger.add_release(
        connection, "ctgov", version, released_on, source.sha256, source.origin, n_rows
    )
    moved = ledger.record_presence(connection, release_id, _TRIAL_KEYS, _NEW_TRIAL_KEYS, complete)
    n_before = ledger.count_rows(connection, "trial")
    connection.execute(_INSERT_TRIAL, {"release_id": release_id})
    connection.execute(_INSERT_TRIAL_CONDITION)
    connection.execute(_INSERT_TRIAL_INTERVENTION)
    n_versions = ledger.count_rows(connection, "trial") - n_before
    ledger.add_coverage(connection, release_id, source.form, complete, n_rows, n_versions, *moved)
    return ledger.Ingested("ctgov", version, released_on, True, n_rows, n_versions, *moved)
