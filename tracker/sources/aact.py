"""Reads studies from AACT's pipe-delimited files, a folder or a zip, into the staged tables.

AACT is the database that the Clinical Trials Transformation Initiative makes of the registry.
"""

import glob
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import scratch
from tracker.errors import InputRefused
from tracker.sources import archives

FILES = (
    "studies.txt",
    "conditions.txt",
    "interventions.txt",
    "intervention_other_names.txt",
    "browse_conditions.txt",
)
_READ = (
    "from read_csv(:path, delim='|', quote='\"', escape='\"', header=true, all_varchar=true, "
    "auto_detect=false, columns=:columns, strict_mode=true)"
)

# AACT writes a month's date as its last day beside the month itself; the month is what counts.
_DATE = """
create or replace temp macro aact_date(day, month) as
case
    when regexp_full_match(trim(month), '\\d{4}-\\d{2}') then trim(month)
    when regexp_full_match(trim(month), '[A-Za-z]+ \\d{4}') then coalesce(
        strftime(try_strptime(trim(month), '%B %Y'), '%Y-%m'), trim(month)
    )
    else trim(day)
end
"""

_INSERTS = {
    "studies.txt": (
        """
insert into staged_study by name
select
    nct_id,
    coalesce(
        nullif(nct_id, ''), 'the study titled ''' || coalesce(brief_title, '') || ''''
    ) as source_key,
    nullif(brief_title, '') as title,
    nullif(study_type, '') as study_type,
    nullif(phase, '') as phase,
    nullif(overall_status, '') as overall_status,
    nullif(aact_date(start_date, start_month_year), '') as start_date,
    nullif(start_date_type, '') as start_type,
    nullif(
        aact_date(primary_completion_date, primary_completion_month_year), ''
    ) as primary_completion_date,
    nullif(aact_date(completion_date, completion_month_year), '') as completion_date,
    nullif(study_first_posted_date, '') as first_posted_on,
    nullif(last_update_posted_date, '') as last_update_posted_on
""",
        (
            "nct_id",
            "brief_title",
            "study_type",
            "phase",
            "overall_status",
            "start_date",
            "start_month_year",
            "start_date_type",
            "primary_completion_date",
            "primary_completion_month_year",
            "completion_date",
            "completion_month_year",
            "study_first_posted_date",
            "last_update_posted_date",
        ),
    ),
    "conditions.txt": (
        """
insert into staged_condition by name
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    trim(name) as name,
    false as is_mesh_term,
    cast(null as varchar) as mesh_id
""",
        ("id", "nct_id", "name"),
    ),
    "browse_conditions.txt": (
        """
insert into staged_condition by name
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    trim(mesh_term) as name,
    true as is_mesh_term,
    cast(null as varchar) as mesh_id
""",
        ("id", "nct_id", "mesh_term", "mesh_type"),
    ),
    "interventions.txt": (
        """
insert into staged_intervention by name
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    code_word(nullif(intervention_type, '')) as intervention_type,
    trim(name) as name,
    false as is_other_name
""",
        ("id", "nct_id", "intervention_type", "name"),
    ),
    "intervention_other_names.txt": (
        """
insert into staged_intervention by name
select
    nct_id as source_key,
    try_cast(intervention_id as bigint) as ordinal,
    cast(null as varchar) as intervention_type,
    trim(name) as name,
    true as is_other_name
""",
        ("nct_id", "intervention_id", "name"),
    ),
}
# The registry lists a term's ancestors too; a study of asthma is not one of lung diseases.
_CONDITIONS = {
    "conditions.txt": "where trim(name) <> ''",
    "browse_conditions.txt": "where trim(mesh_term) <> '' "
    "and coalesce(mesh_type, 'mesh-list') = 'mesh-list'",
    "interventions.txt": "where trim(name) <> ''",
    "intervention_other_names.txt": "where trim(name) <> ''",
}

_STRANGERS = text(
    """
with named as (
    select source_key from staged_condition
    union
    select source_key from staged_intervention
)

select
    named.source_key,
    count(*) over () as n_studies
from named
anti join staged_study on staged_study.source_key = named.source_key
order by named.source_key
limit 1
"""
)


def is_aact(path: Path) -> bool:
    """Whether a folder or zip holds AACT's table of studies."""
    if path.is_dir():
        return (path / "studies.txt").is_file()
    if not path.is_file() or not archives.is_zip(path):
        return False
    return "studies.txt" in [PurePosixPath(name).name for name in archives.zip_names(path)]


def files_of(path: Path) -> list[Path]:
    """Return the files that an AACT folder or zip consists of."""
    if path.is_dir():
        return [path / name for name in FILES if (path / name).is_file()]
    return [path]


def stage(connection: Connection, paths: Sequence[Path]) -> None:
    """Read the files, or the one zip of them; raises InputRefused naming file and line."""
    with scratch.folder() as unpacked:
        folder, origin = paths[0].parent, str(paths[0].parent)
        if archives.is_zip(paths[0]):
            folder, origin = unpacked, paths[0].name
            archives.unzip(paths[0], FILES, folder)
        connection.exec_driver_sql(_DATE)
        for file in FILES:
            if not (folder / file).is_file():
                raise InputRefused(f"{origin}: lacks {file}")
            _insert(connection, folder / file)


def refuse_strangers(connection: Connection) -> None:
    """Raise InputRefused if a row belongs to a study that studies.txt lacks.

    A complete export has none; one whose studies.txt was cut short has.
    """
    found = connection.execute(_STRANGERS).first()
    if found is not None:
        raise InputRefused(
            f"studies.txt: lacks {found.n_studies:,} studies that the other files describe, "
            f"{found.source_key} for one; it may be cut short, or give --partial"
        )


def _insert(connection: Connection, path: Path) -> None:
    insert, needed = _INSERTS[path.name]
    with path.open("rb") as handle:
        header = handle.readline(1 << 20).decode("utf-8-sig", errors="replace")
        if not header.endswith("\n") or not _ends_a_line(path):
            raise InputRefused(f"{path.name}: is cut short: its last line does not end")
    columns = [column.strip().strip('"').lower() for column in header.rstrip("\r\n").split("|")]
    for column in columns:
        if columns.count(column) > 1:
            raise InputRefused(f"{path.name}: two columns are named {column}")
    missing = [column for column in needed if column not in columns]
    if missing:
        raise InputRefused(f"{path.name}: the column {', '.join(missing)} is missing")
    statement = insert + _READ + _CONDITIONS.get(path.name, "")
    parameters = {
        "path": glob.escape(str(path.resolve())),
        "columns": dict.fromkeys(columns, "VARCHAR"),
    }
    try:
        connection.execute(text(statement), parameters)
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        line = re.search(r"CSV Error on Line: (\d+)", str(getattr(error, "orig", error)))
        if line is None:
            raise
        raise InputRefused(
            f"{path.name}, line {line[1]}: is not a row of {len(columns)} fields in UTF-8"
        ) from error


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as handle:
        handle.seek(-1, 2)
        return handle.read() == b"\n"
