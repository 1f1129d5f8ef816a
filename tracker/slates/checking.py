"""Checks a whole store: the invariants of sql/checks, its slates, and its rows against the log."""

import contextlib
from pathlib import Path

from sqlalchemy import Connection

from tracker.errors import CheckFailed
from tracker.log import tampering
from tracker.progress import Progress, silent
from tracker.slates import frozen, seals
from tracker.store import catalog, opening, sealed_sets
from tracker.store.state import kept
from tracker.store.trust import impossible, statistics

_MAX_SHOWN = 20


def check(path: Path, progress: Progress = silent) -> dict[str, list[object]]:
    """Return what is wrong with a store by the name of the check; a sound one has an empty list."""
    progress("reading the rows")
    with opening.reader(path, from_rows=True) as rows:
        return of_rows(rows, progress, path)


def different(path: Path, rows: Connection, progress: Progress = silent) -> list[str]:
    """Return what the file of a store states otherwise than its `rows`, a line for each column."""
    progress("comparing the statistics in the file")
    with opening.reader(path) as stored:
        return [*statistics.problems(stored, rows)]


def require_sound(
    path: Path, rows: Connection, progress: Progress, computed: contextlib.ExitStack
) -> None:
    """Raise CheckFailed unless the `rows` of a store, and its file beside them, are sound.

    The stack keeps what was computed of them, as of now.
    """
    found = of_rows(rows, progress, path, computed)
    lines = [f"{name}: {row}" for name, wrong in found.items() for row in wrong]
    if lines:
        raise CheckFailed("\n".join([*lines, "nothing was written; see 'tracker check'"]))


def of_rows(
    connection: Connection,
    progress: Progress = silent,
    path: Path | None = None,
    computed: contextlib.ExitStack | None = None,
) -> dict[str, list[object]]:
    """Return what is wrong with the rows that a connection reads, by the name of the check.

    Under 'values' is what tracker never writes, then the rows that violate an invariant, under
    'slates' what is not as it was frozen, under 'sealed_sets' files that are not as they were
    sealed, and under 'log' what was altered since it was written. If `path` is given, the store
    whose rows the connection reads a copy of, 'state' has the kept rows that differ from what their
    views define, and 'statistics' what the file states of its columns otherwise than its rows.
    Invariants of candidates and the rows kept are left out where files are wrong, and all but
    'values' where there are some. A stack `computed` keeps what was computed for the checks.
    """
    progress("reading the tables")
    if unreadable := impossible.problems(connection):
        return {"values": [*unreadable]}
    spoiled = [*seals.problems(connection, progress)]
    progress("running the checks")
    checks = [
        one
        for one in catalog.read_checks()
        if not spoiled or sealed_sets.VIEW not in catalog.read_below(one)
    ]
    below = {read for one in checks for read in catalog.read_below(one)} & catalog.reads().keys()
    with contextlib.ExitStack() as within:
        names = below if spoiled or path is None else None
        (computed or within).enter_context(kept.computed(connection, names=names))
        found: dict[str, list[object]] = {
            one.name: [*opening.violations(connection, one, _MAX_SHOWN)] for one in checks
        }
        if path is not None and not spoiled:
            progress("comparing the rows that are kept of views")
            with opening.reader(path) as stored:
                found["state"] = [*kept.problems(stored, connection)]
    progress("verifying the slates")
    try:
        found["slates"] = [*frozen.problems(connection)]
    except CheckFailed as error:
        found["slates"] = [str(error)]
    found["sealed_sets"] = [*spoiled]
    found["log"] = [*tampering.verify(connection, progress)]
    if path is not None:
        found["statistics"] = [*different(path, connection, progress)]
    return {"values": [], **found}
