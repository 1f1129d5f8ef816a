"""Finds, reads and checks studies of ClinicalTrials.gov.

They come as JSON of the registry's API version 2 or as AACT's pipe-delimited files, past versions
as files of history. A partial date keeps its precision and counts as its first day.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from tracker.errors import MAX_LISTED, InputRefused
from tracker.evidence import release_ledger
from tracker.evidence.trials import aact, api, history, staged
from tracker.files import archives
from tracker.files.archives import Stamp
from tracker.store import statements


@dataclass(frozen=True)
class Source:
    """Studies not yet read: their files, their form and the SHA-256 of all the content.

    The form is "AACT", "API JSON" or "history".
    """

    paths: Sequence[Path]
    form: str
    origin: str
    sha256: str
    stamps: Sequence[Stamp]


def locate(paths: Sequence[Path]) -> Source:
    """Return the source at `paths`: JSON files, folders or zips of them, or one AACT export.

    Raises InputRefused where past versions stand beside studies of a snapshot.
    """
    is_aact, files = files_of(paths)
    origin = paths[0].resolve().name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    stamps = archives.stamped(files)
    digest = archives.content_sha256(files)
    past = [] if is_aact else [path for path in files if history.is_history(path)]
    if past and len(past) < len(files):
        raise InputRefused(
            f"{past[0].name}: has past versions of studies; ingest them apart from snapshots"
        )
    form = "history" if past else "AACT" if is_aact else "API JSON"
    return Source(files, form, origin, digest, stamps)


def files_of(paths: Sequence[Path]) -> tuple[bool, Sequence[Path]]:
    """Return whether `paths` are an AACT export, and the files whose content counts."""
    found = [path for path in paths if aact.is_aact(path)]
    if not found:
        return False, archives.files_below(paths, (*api.SUFFIXES, ".zip"))
    if len(paths) > 1:
        raise InputRefused(f"{found[0]}: AACT files are ingested alone; give no other path")
    return True, aact.files_of(found[0])


def stage(
    connection: Connection,
    source: Source,
    progress: Callable[[str], None],
    *,
    is_complete: bool,
) -> list[str]:
    """Read every study into the staged tables; raises InputRefused naming file and record.

    Returns the past versions that the registry lists and did not deliver.
    """
    prepare_staging(connection)
    missing: list[str] = []
    if source.form == "AACT":
        aact.stage(connection, source.paths)
    elif source.form == "history":
        missing = history.stage(connection, source.paths, progress)
    else:
        api.stage(connection, source.paths, progress, is_complete=is_complete)
    archives.refuse_changed(source.stamps)
    return missing


def prepare_staging(connection: Connection) -> None:
    """Make the staged tables, empty.

    Afterwards the macros strict_date, as_date, date_precision, phase_word, code_word and
    status_word are usable.
    """
    for statement in _MACROS:
        connection.exec_driver_sql(statement)
    staged.create(connection)


# Phases and statuses in the API's vocabulary, whichever form they came in; dates as dates.
_MACROS = (
    """
create or replace temp macro strict_date(given) as
case
    when given like '____-__-__' and cast(try_cast(given as date) as varchar) = given
        then try_cast(given as date)
end
""",
    """
create or replace temp macro as_date(given) as
strict_date(
    given || case length(given) when 10 then '' when 7 then '-01' when 4 then '-01-01' end
)
""",
    """
create or replace temp macro date_precision(given) as
case length(given) when 10 then 'day' when 7 then 'month' when 4 then 'year' end
""",
    """
create or replace temp macro phase_word(given) as
nullif(
    replace(
        replace(
            replace(
                replace(
                    replace(replace(upper(given), 'NOT APPLICABLE', 'NA'), 'N/A', 'NA'),
                    'EARLY ',
                    'EARLY_'
                ),
                ' ',
                ''
            ),
            'PHASE0',
            'EARLY_PHASE1'
        ),
        '/',
        '|'
    ),
    ''
)
""",
    """
create or replace temp macro code_word(given) as upper(replace(trim(given), ' ', '_'))
""",
    """
create or replace temp macro status_word(given) as
replace(
    replace(replace(upper(trim(given)), ', ', '_'), ' ', '_'), 'UNKNOWN_STATUS', 'UNKNOWN'
)
""",
)


def refuse_problems(connection: Connection, source: Source) -> None:
    """Raise ProblemsFound with the problems of staged studies, each named by its record."""
    prefix = "studies.txt, " if source.form == "AACT" else ""
    release_ledger.refuse_found(
        statements.run(connection, "study_problem", {"limit": MAX_LISTED}).all(),
        lambda row: f"{prefix}{row.source_key}: {row.message}",
    )
