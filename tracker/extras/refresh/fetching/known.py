"""What a store and a folder have of a source, so that only what is new is fetched."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.extras.refresh.fetching.landing import Landed, landed
from tracker.store import statements


@dataclass(frozen=True)
class Known:
    """The versions and the newest date of a source's releases, and what was fetched, by URL.

    `names` are those of the drugs whose studies are wanted, None for all studies. `studies` are
    those whose history is wanted, each with the day of its last update, empty if it has none;
    `past_versions` are the numbers of the versions that the store has of them.
    """

    versions: frozenset[str] = frozenset()
    newest: date | None = None
    fetched: Mapping[str, Landed] = field(default_factory=dict)
    names: Sequence[str] | None = None
    studies: Mapping[str, str] = field(default_factory=dict)
    past_versions: Mapping[str, Collection[int]] = field(default_factory=dict)

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


def of_studies(connection: Connection, slate_ids: Sequence[UUID] | None) -> Known:
    """Return the studies of the ledger, or those of slates, and what there is of their history."""
    wanted = [None] if slate_ids is None else [str(slate_id) for slate_id in slate_ids]
    studies = {
        row.nct_id: "" if row.updated_on is None else row.updated_on.isoformat()
        for slate_id in wanted
        for row in statements.run(connection, "followed_study", {"slate_id": slate_id})
    }
    trial = schema.trial
    past_versions: dict[str, set[int]] = defaultdict(set)
    held = sa.select(trial.c.nct_id, trial.c.version_number).where(trial.c.version_number >= 0)
    for row in connection.execute(held):
        past_versions[row.nct_id].add(row.version_number)
    return Known(studies=dict(sorted(studies.items())), past_versions=past_versions)


def in_folder(folder: Path, pattern: str) -> dict[str, Landed]:
    """Return the newest fetched file of each URL among those in a folder."""
    found = [one for path in sorted(folder.glob(pattern)) if (one := landed(path)) is not None]
    return {one.url: one for one in sorted(found, key=lambda one: one.fetched_at)}
