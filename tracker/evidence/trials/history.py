"""Reads past versions of studies, as the registry's history has them, into the staged tables.

A line of a file of history is a version: `nctId`, `version` (its number, from 0), `date` (the day
on which it was submitted) and `study`, in the form of the API version 2; null where the registry
lists the version and does not deliver it. `tracker refresh fetch` writes such files.
"""

import html
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from tracker import temp_tables
from tracker.errors import InputRefused
from tracker.evidence.trials import api, staged
from tracker.files import archives, json_file

KEYS = frozenset(("nctId", "version", "date", "study"))
# Beyond this, a number is no version: the most edited studies have some hundreds.
_MOST_VERSIONS = 100_000
_HEAD_BYTES = 1 << 26


def is_history(path: Path) -> bool:
    """Whether the first line of a file is a version of a study."""
    if not path.is_file() or archives.is_zip(path):
        return False
    if not path.name.lower().endswith(api.LINES):
        return False
    try:
        with path.open("rb") as handle:
            first = json_file.document(path.name, handle.readline(_HEAD_BYTES))
    except (OSError, InputRefused):
        return False
    return isinstance(first, dict) and first.keys() >= KEYS


def stage(
    connection: Connection, paths: Sequence[Path], progress: Callable[[str], None]
) -> list[str]:
    """Read every version of the files; return those that are listed and were not delivered.

    Raises InputRefused naming file and record.
    """
    batch = api.Batch()
    revisions: list[tuple[object, ...]] = []
    missing = []
    n_versions = 0
    for place, line in api.lines_of(paths):
        nct_id, number, submitted_on, study = _version(place, line)
        label = f"{place}, {nct_id} version {number}"
        if study is None:
            missing.append(f"{nct_id} version {number}")
            continue
        batch.add(_plain(study), label)
        if batch.studies[-1][0] != nct_id:
            raise InputRefused(f"{label}: is of another study, {batch.studies[-1][0]}")
        revisions.append((label, number, submitted_on))
        n_versions += 1
        if len(batch.studies) == api.CHUNK_STUDIES:
            _insert(connection, batch, revisions)
            progress(f"read {n_versions:,} past versions")
    _insert(connection, batch, revisions)
    if n_versions == 0:
        raise InputRefused(f"{paths[0].name}: contains no version of a study")
    return missing


def _insert(connection: Connection, batch: api.Batch, revisions: list[tuple[object, ...]]) -> None:
    batch.insert(connection)
    temp_tables.insert_tuples(connection, staged.REVISION, revisions)
    revisions.clear()


def _version(place: str, line: Any) -> tuple[str, int, date, Any]:
    """Return the parts of a line; raises InputRefused if it is not a version of a study."""
    if not isinstance(line, dict) or not line.keys() >= KEYS:
        raise InputRefused(f"{place}: is not a version of a study ({', '.join(sorted(KEYS))})")
    nct_id, number = json_file.text(line, "nctId", place), line["version"]
    if not nct_id or not api.NCT_ID.fullmatch(nct_id):
        raise InputRefused(f"{place}: '{nct_id or ''}' is not an NCT id")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < _MOST_VERSIONS:
        raise InputRefused(f"{place}, {nct_id}: the version is not a number of a version")
    return nct_id, number, day(line["date"], f"{place}, {nct_id}"), line["study"]


def day(stated: object, place: str) -> date:
    """Return a date that is written as 2020-01-31; raises InputRefused, naming `place`."""
    try:
        if isinstance(stated, str) and len(stated) == len("2020-01-31"):
            return date.fromisoformat(stated)
    except ValueError:
        pass
    raise InputRefused(f"{place}: the day of a version is not a date")


def _plain(value: Any) -> Any:
    """Return JSON with its texts as the API has them: the history has them escaped for HTML."""
    if isinstance(value, str):
        return html.unescape(value)
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value
