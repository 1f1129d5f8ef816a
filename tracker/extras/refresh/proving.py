"""Asks the authorities of a configuration for timestamps of new slates and of the log's head."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from tracker import slates, store
from tracker.errors import CheckFailed
from tracker.extras.refresh.configuration import Configuration
from tracker.extras.refresh.sources import Found, Log
from tracker.log import timestamp_proofs, timestamps, tree_proofs
from tracker.log.timestamps import REQUEST_LIMITS
from tracker.progress import Progress, silent


def prove(
    path: Path,
    config: Configuration,
    slate_ids: Sequence[UUID],
    *,
    wait: float,
    log: Log,
    progress: Progress = silent,
) -> list[Found]:
    """Ask for tokens of slates without proof and of a head with news; store those that verify.

    The head's token proves all that was recorded before it: slates, releases, events. A result is
    proved or not proved, with the problem. An authority that fails is asked for no further hash in
    this run; the next run asks again.
    """
    if not config.authorities or not path.exists():
        return []
    with store.reader(path) as connection:
        try:
            trusted = timestamp_proofs.roots(connection)
        except CheckFailed as error:
            return [Found("timestamp", "the trusted roots", "failed", problem=str(error))]
        unproved = [
            (row.content_sha256, f"slate {str(row.slate_id)[:8]}")
            for row in [slates.find(connection, str(slate_id)) for slate_id in slate_ids]
            if not timestamps.of_hash(connection, row.content_sha256)
        ]
        head = tree_proofs.unstamped_head(connection)
        if head is not None:
            unproved.append((head.head_sha256, f"head {head.head_id:,} of the log"))
    limits = replace(
        REQUEST_LIMITS,
        attempts=min(REQUEST_LIMITS.attempts, config.limits.attempts),
        first_wait=config.limits.first_wait,
        timeout=config.limits.timeout,
    )
    asked, found, obtained = list(config.authorities), [], []
    for sha256, origin in unproved:
        for one in timestamps.obtain(tuple(asked), sha256, trusted, limits, progress):
            if one.url is not None and one.problem is not None:
                asked.remove(one.url)
            obtained.append(one)
            status = "not proved" if one.problem else "proved"
            found.append(Found("timestamp", origin, status, problem=one.problem))
    if any(one.verified for one in obtained):
        with store.writer(path, wait=wait) as connection:
            timestamp_proofs.record(connection, obtained)
    for entry in found:
        entry.report(log)
    return found
