"""The ledger of releases: what each contained, what was new, what vanished or came back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import schema, store, temp_tables
from tracker.errors import InputRefused, ProblemsFound, RefusedForNow
from tracker.store import statements


@dataclass(frozen=True)
class Ingested:
    """The result of an ingestion; `is_new` is False if the store already had the content.

    `notes` are sentences on records that do not count or have changed; `remark` is a warning about
    the release as a whole.
    """

    source: str
    version: str
    released_on: date
    is_new: bool
    n_rows: int
    n_versions: int = 0
    n_vanished: int = 0
    n_returned: int = 0
    n_aliases: int = 0
    n_ambiguous: int = 0
    notes: tuple[str, ...] = ()
    remark: str | None = None


def releases(connection: Connection) -> sa.CursorResult[tuple[object, ...]]:
    """Return every release in order of source and date, with what it added."""
    release, coverage = schema.release, schema.release_coverage
    return connection.execute(
        sa.select(
            release.c.release_id,
            release.c.source,
            release.c.version,
            release.c.released_on,
            release.c.ingested_at,
            coverage.c.form,
            coverage.c.is_complete,
            release.c.n_rows,
            coverage.c.n_versions,
            coverage.c.n_vanished,
            coverage.c.n_returned,
            release.c.origin,
            release.c.sha256,
        )
        .outerjoin(coverage, coverage.c.release_id == release.c.release_id)
        .order_by(release.c.source, release.c.released_on, release.c.release_id)
    )


def find_same(
    connection: Connection,
    source: str,
    sha256: str | None,
    *,
    released_on: date | None = None,
    version: str | None = None,
) -> Ingested | None:
    """Return the newest release in the store with the same content, None if there is none.

    A date or a version restricts the search: a later release may repeat an earlier one.
    """
    release = schema.release
    wanted = sa.select(release).where(release.c.source == source, release.c.sha256 == sha256)
    if released_on is not None:
        wanted = wanted.where(release.c.released_on == released_on)
    if version is not None:
        wanted = wanted.where(release.c.version == version)
    row = connection.execute(wanted.order_by(release.c.release_id.desc()).limit(1)).first()
    if row is None:
        return None
    return Ingested(source, row.version, row.released_on, False, row.n_rows)


def refuse_future(released_on: date) -> None:
    """Raise RefusedForNow for a release date in the future."""
    if released_on > today():
        raise RefusedForNow(f"the release date {released_on} is in the future")


def refuse_older(connection: Connection, source: str, origin: str, released_on: date) -> None:
    """Raise InputRefused for a snapshot older than one in the store.

    Versions are found by comparison with the previous state, so snapshots must come in order.
    """
    latest = newest_date(connection, source)
    if released_on < latest:
        raise InputRefused(
            f"{origin}: is dated {released_on}, older than the {source} release of {latest} in the "
            "store; ingest snapshots in the order of their dates"
        )


def newest_date(connection: Connection, source: str) -> date:
    """Return the date of the newest release of a source, the first of all days if it has none."""
    release = schema.release
    latest = connection.execute(
        sa.select(sa.func.max(release.c.released_on)).where(release.c.source == source)
    ).scalar_one()
    return latest if isinstance(latest, date) else date.min


def today() -> date:
    """Return the present date in UTC."""
    return datetime.now(UTC).date()


def refuse_found(found: Sequence[sa.Row[Any]], line: Callable[[sa.Row[Any]], str]) -> None:
    """Raise ProblemsFound with a line for each of these rows, which state `n_problems` in all."""
    if found:
        raise ProblemsFound(list(map(line, found)), found[0].n_problems)


def add_release(
    connection: Connection,
    source: str,
    version: str,
    released_on: date,
    sha256: str,
    origin: str,
    n_rows: int,
) -> int:
    """Append a release to the ledger and return its key."""
    release = schema.release
    release_id = temp_tables.next_key(connection, release.c.release_id)
    connection.execute(
        release.insert(),
        {
            "release_id": release_id,
            "source": source,
            "version": version,
            "released_on": released_on,
            "ingested_at": store.now(connection),
            "sha256": sha256,
            "origin": origin,
            "n_rows": n_rows,
        },
    )
    return release_id


def add_coverage(
    connection: Connection,
    release_id: int,
    form: str,
    is_complete: bool,
    n_records: int,
    n_versions: int,
    n_vanished: int = 0,
    n_returned: int = 0,
) -> None:
    """Record what an appended release contained and added."""
    connection.execute(
        schema.release_coverage.insert(),
        {
            "release_id": release_id,
            "form": form,
            "is_complete": is_complete,
            "n_records": n_records,
            "n_versions": n_versions,
            "n_vanished": n_vanished,
            "n_returned": n_returned,
        },
    )


def record_presence(connection: Connection, release_id: int, is_complete: bool) -> tuple[int, int]:
    """Record which known records vanished from a complete release, and which came back.

    Compares the temporary tables known_record, the records of the store before this release, and
    given_record, those of this release. Returns the number of each.
    """
    statements.run(connection, "presence_change", {"is_complete": is_complete})
    connection.execute(
        text(
            "insert into record_presence by name select cast(:release_id as integer) as "
            "release_id, kind, record_key, is_present from presence_change"
        ),
        {"release_id": release_id},
    )
    counts = connection.execute(
        text(
            "select count(*) filter (where not is_present), count(*) filter (where is_present) "
            "from presence_change"
        )
    ).one()
    return int(counts[0]), int(counts[1])
