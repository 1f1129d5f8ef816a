"""Reads studies from AACT's pipe-delimited files, a folder or a zip, into the staged tables.

AACT is the Clinical Trials Transformation Initiative's database of the registry.
"""

import glob
import mmap
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import scratch
from tracker.errors import InputRefused
from tracker.files import archives
from tracker.store import statements

FILES = (
    "studies.txt",
    "conditions.txt",
    "interventions.txt",
    "intervention_other_names.txt",
    "browse_conditions.txt",
    "browse_interventions.txt",
)
# Exports made for earlier versions of tracker may lack it.
_OPTIONAL = ("browse_interventions.txt",)
# Which interventions each arm has; older extracts lack these tables.
ARM_FILES = ("design_groups.txt", "design_group_interventions.txt")
# What a study is for; exports made for earlier versions of tracker may lack it, too.
_LATER_FILES = (*ARM_FILES, "designs.txt")

# AACT writes a date without a day as the month's last day, next to the month; the month counts.
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

# The statement that reads each file and the columns it needs.
_STATEMENTS = {
    "studies.txt": (
        "aact_study",
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
    "conditions.txt": ("aact_condition", ("id", "nct_id", "name")),
    "browse_conditions.txt": ("aact_mesh_condition", ("id", "nct_id", "mesh_term", "mesh_type")),
    "browse_interventions.txt": (
        "aact_mesh_intervention",
        ("id", "nct_id", "mesh_term", "mesh_type"),
    ),
    "interventions.txt": ("aact_intervention", ("id", "nct_id", "intervention_type", "name")),
    "intervention_other_names.txt": ("aact_other_name", ("nct_id", "intervention_id", "name")),
    "design_groups.txt": ("aact_arm", ("id", "nct_id", "group_type")),
    "design_group_interventions.txt": (
        "aact_arm_intervention",
        ("nct_id", "design_group_id", "intervention_id"),
    ),
    "designs.txt": ("aact_design", ("nct_id", "primary_purpose")),
}
# What else is read from a file that has these columns.
_FURTHER_STATEMENTS = {
    "studies.txt": (
        ("aact_study_detail", ("why_stopped", "results_first_posted_date")),
        ("aact_last_known_status", ("last_known_status",)),
    )
}


def is_aact(path: Path) -> bool:
    """Whether a folder or zip contains AACT's table of studies."""
    if path.is_dir():
        return (path / "studies.txt").is_file()
    if not path.is_file() or not archives.is_zip(path):
        return False
    return "studies.txt" in [PurePosixPath(name).name for name in archives.zip_names(path)]


def files_of(path: Path) -> list[Path]:
    """Return the files that an AACT folder or zip consists of."""
    if path.is_dir():
        return [path / name for name in (*FILES, *_LATER_FILES) if (path / name).is_file()]
    return [path]


def stage(connection: Connection, paths: Sequence[Path]) -> None:
    """Read the files, or the one zip of them; raises InputRefused naming file and line."""
    with scratch.folder() as unpacked:
        folder, origin = paths[0].parent, str(paths[0].parent)
        if archives.is_zip(paths[0]):
            folder, origin = unpacked, paths[0].name
            archives.unzip(paths[0], (*FILES, *_LATER_FILES), folder)
        connection.exec_driver_sql(_DATE)
        for file in (*FILES, *_LATER_FILES):
            if (folder / file).is_file():
                _insert(connection, folder / file)
            elif file in FILES and file not in _OPTIONAL:
                raise InputRefused(f"{origin}: lacks {file}")


def refuse_unlisted_studies(connection: Connection) -> None:
    """Raise InputRefused if a row belongs to a study that studies.txt lacks.

    A complete export has no such row; one whose studies.txt was cut short does.
    """
    found = statements.run(connection, "aact_unlisted_study").first()
    if found is not None:
        raise InputRefused(
            f"studies.txt: lacks {found.n_studies:,} studies that the other files describe, "
            f"{found.source_key} for one; it may be cut short, or give --partial"
        )


def _insert(connection: Connection, path: Path) -> None:
    name, needed = _STATEMENTS[path.name]
    with path.open("rb") as handle:
        header = handle.readline(1 << 20).decode("utf-8-sig", errors="replace")
        if not header.endswith("\n") or not _ends_a_line(path):
            raise InputRefused(f"{path.name}: is cut short: its last line does not end")
        with mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as content:
            at = content.find(b"\0")
            if at >= 0:
                number = content[:at].count(b"\n") + 1
                raise InputRefused(f"{path.name}, line {number}: contains a NUL character")
    if header.count('"') % 2:
        raise InputRefused(f"{path.name}, line 1: a quotation mark is never closed")
    columns = [column.strip().strip('"').lower() for column in header.rstrip("\r\n").split("|")]
    for column in columns:
        if columns.count(column) > 1:
            raise InputRefused(f"{path.name}: two columns are named {column}")
    missing = [column for column in needed if column not in columns]
    if missing:
        raise InputRefused(f"{path.name}: the column {', '.join(missing)} is missing")
    parameters = {
        "path": glob.escape(str(path.resolve())),
        "columns": dict.fromkeys(columns, "VARCHAR"),
    }
    try:
        statements.run(connection, name, parameters)
        for further, optional in _FURTHER_STATEMENTS.get(path.name, ()):
            if set(optional) <= set(columns):
                statements.run(connection, further, parameters)
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        line = re.search(r"CSV Error on Line: (\d+)", str(getattr(error, "orig", error)))
        if line is None and "state machine" in str(error):
            raise InputRefused(f"{path.name}: its lines have different endings") from error
        if line is None:
            raise
        raise InputRefused(
            f"{path.name}, line {line[1]}: is not a row of {len(columns)} fields in UTF-8"
        ) from error


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as handle:
        handle.seek(-1, 2)
        return handle.read() == b"\n"
