"""Checks a whole store: the invariants of sql/checks, its slates, and its rows against the log."""

from sqlalchemy import Connection

from tracker.errors import CheckFailed
from tracker.progress import Progress, silent
from tracker.slates import frozen
from tracker.store import catalog, opening, tampering

_MAX_SHOWN = 20


def check(connection: Connection, progress: Progress = silent) -> dict[str, list[object]]:
    """Return what is wrong by the name of the check; a sound one has an empty list.

    That is the rows that violate an invariant, under 'slates' what is not as it was frozen, and
    under 'log' what was altered since it was sealed.
    """
    found: dict[str, list[object]] = {
        one.name: [*opening.violations(connection, one, _MAX_SHOWN)]
        for one in catalog.read_checks()
    }
    progress("verifying the slates")
    try:
        found["slates"] = [*frozen.problems(connection)]
    except CheckFailed as error:
        found["slates"] = [str(error)]
    found["log"] = [*tampering.verify(connection, progress)]
    return found
