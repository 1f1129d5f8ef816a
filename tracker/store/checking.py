"""Checks a whole store: the invariants of sql/checks, and the rows against the log."""

from sqlalchemy import Connection

from tracker.progress import Progress, silent
from tracker.store import catalog, opening, tampering

_MAX_SHOWN = 20


def check(connection: Connection, progress: Progress = silent) -> dict[str, list[object]]:
    """Return what is wrong by the name of the check; a sound one has an empty list.

    That is the rows that violate an invariant, and under 'log' what was altered since it was
    sealed.
    """
    found: dict[str, list[object]] = {
        one.name: [*opening.violations(connection, one, _MAX_SHOWN)]
        for one in catalog.read_checks()
    }
    found["log"] = [*tampering.verify(connection, progress)]
    return found
