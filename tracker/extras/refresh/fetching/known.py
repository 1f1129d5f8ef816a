"""What a store and a folder have of a source, so that only what is new is fetched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.extras.refresh.fetching.landing import Landed, landed
from tracker.store import schema


@dataclass(frozen=True)
class Known:
    """The versions and the newest date of a source's releases, and what was fetched, by URL.

    `names` are those of the drugs whose studies are wanted, None for all studies.
    """

    versions: frozenset[str] = frozenset()
    newest: date | None = None
    fetched: Mapping[str, Landed] = field(default_factory=dict)
    names: Sequence[str] | None = None

    def has(self, done: Landed) -> bool:
        """Whether a file of the same content was fetched before."""
        return any(one.sha256 == done.sha256 for one in self.fetched.values())


# The source of a kind's releases; those of a vocabulary are never asked for by date or version.
_SOURCES = {"chembl": "chembl", "trials": "ctgov", "fda": "fda"}


def of_kind(connection: Connection, kind: str, folder: Path, pattern: str) -> Known:
    """Return what a store has of a kind of source, and what a folder has of its files."""
    source = _SOURCES.get(kind)
    release, fetch = schema.release, schema.release_fetch
    rows = connection.execute(
        sa.select(release.c.version, release.c.released_on).where(release.c.source == source)
    ).all()
    fetched = {
        row.url: Landed(row.url, "", row.sha256, row.n_bytes, row.etag, row.last_modified)
        for row in connection.execute(sa.select(fetch).order_by(fetch.c.fetched_at))
    }
    return Known(
        frozenset(row.version for row in rows),
        max((row.released_on for row in rows), default=None),
        {**fetched, **in_folder(folder, pattern)},
    )


def in_folder(folder: Path, pattern: str) -> dict[str, Landed]:
    """Return the newest fetched file of each URL among those in a folder."""
    found = [one for path in sorted(folder.glob(pattern)) if (one := landed(path)) is not None]
    return {one.url: one for one in sorted(found, key=lambda one: one.fetched_at)}
