"""Checks a whole store: the invariants of sql/checks, its slates, and its rows against the log."""

import itertools

from sqlalchemy import Connection

from tracker.errors import CheckFailed
from tracker.progress import Progress, silent
from tracker.slates import frozen, seals
from tracker.store import catalog, impossible, opening, scope, sealed_sets, tampering

_MAX_SHOWN = 20


def check(connection: Connection, progress: Progress = silent) -> dict[str, list[object]]:
    """Return what is wrong by the name of the check; a sound one has an empty list.

    That is the rows that violate an invariant, under 'slates' what is not as it was frozen, under
    'sealed_sets' files that are not as they were sealed, and under 'log' what was altered since it
    was written. Invariants of candidates are left out where files are wrong, and all but 'values'
    where the store has some that cannot be read.
    """
    progress("reading the tables")
    if unreadable := impossible.problems(connection):
        return {"values": [*unreadable]}
    spoiled = [*seals.problems(connection, progress)]
    progress("running the checks")
    # Some read deep views many times over: to plan them would take longer than all others.
    checks = [
        one
        for one in catalog.read_checks()
        if not spoiled or sealed_sets.VIEW not in catalog.read_below(one)
    ]
    asked = itertools.chain.from_iterable(catalog.reads_of(checks).values())
    with scope.computed_once(connection, scope.shared(asked, "slate_id")):
        found: dict[str, list[object]] = {
            one.name: [*opening.violations(connection, one, _MAX_SHOWN)] for one in checks
        }
    progress("verifying the slates")
    try:
        found["slates"] = [*frozen.problems(connection)]
    except CheckFailed as error:
        found["slates"] = [str(error)]
    found["sealed_sets"] = [*spoiled]
    found["log"] = [*tampering.verify(connection, progress)]
    return {"values": [], **found}
