"""Asks the authorities of a configuration for timestamps of slates that have none."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from tracker import slates, store, timestamps
from tracker.errors import CheckFailed
from tracker.progress import Progress, silent
from tracker.refresh.configuration import Configuration
from tracker.refresh.sources import Found, Log
from tracker.slates import proofs
from tracker.timestamps import Patience


def prove(
    path: Path,
    config: Configuration,
    slate_ids: Sequence[UUID],
    *,
    wait: float,
    log: Log,
    progress: Progress = silent,
) -> list[Found]:
    """Ask for tokens of the slates that have none, and store those that verify.

    A result is proved or not proved, with the problem. An authority that fails is asked for no
    further slate in this run; the next run asks again.
    """
    if not config.authorities or not path.exists():
        return []
    with store.reader(path) as connection:
        try:
            trusted = proofs.roots(connection)
        except CheckFailed as error:
            return [Found("timestamp", "the trusted roots", "failed", problem=str(error))]
        rows = [slates.find(connection, str(slate_id)) for slate_id in slate_ids]
        unproved = [row for row in rows if not timestamps.of_hash(connection, row.content_sha256)]
    patience = Patience(
        min(Patience.attempts, config.patience.attempts),
        config.patience.first_wait,
        config.patience.timeout,
    )
    asked, found, obtained = list(config.authorities), [], []
    for row in unproved:
        for one in timestamps.obtain(tuple(asked), row.content_sha256, trusted, patience, progress):
            if one.url is not None and one.problem is not None:
                asked.remove(one.url)
            obtained.append(one)
            status = "not proved" if one.problem else "proved"
            found.append(
                Found("timestamp", f"slate {str(row.slate_id)[:8]}", status, problem=one.problem)
            )
    if any(one.verified for one in obtained):
        with store.writer(path, wait=wait) as connection:
            proofs.record(connection, obtained)
    for entry in found:
        log(entry.status, {"kind": entry.kind, "origin": entry.origin, "problem": entry.problem})
    return found
