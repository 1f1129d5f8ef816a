"""The present instant and a store's recorded past: neither may run ahead of the other."""

import functools
import os
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.errors import InputRefused

MAX_AHEAD = timedelta(minutes=1)
ACCEPT = "TRACKER_ACCEPT_CLOCK"

# The columns that date the writing of a row.
WRITTEN = (
    ("annulment", "annulled_at"),
    ("candidate_set", "loaded_at"),
    ("disease_alias", "added_at"),
    ("drug_alias", "added_at"),
    ("estimate", "computed_at"),
    ("evaluation", "created_at"),
    ("event", "recorded_at"),
    ("label_set", "loaded_at"),
    ("log_head", "sealed_at"),
    ("matching", "matched_at"),
    ("publication", "published_at"),
    ("recorded_verdict", "recorded_at"),
    ("refresh", "refreshed_at"),
    ("refused_file", "refused_at"),
    ("release", "ingested_at"),
    ("scoreboard", "recorded_at"),
    ("round", "opened_at"),
    ("round_deposit", "deposited_at"),
    ("round_entry", "entered_at"),
    ("round_extension", "extended_at"),
    ("sealed_set", "sealed_at"),
    ("slate", "recorded_at"),
    ("slate_attachment", "attached_at"),
    ("submission", "submitted_at"),
    ("timestamp_root", "added_at"),
    ("timestamp_token", "recorded_at"),
    ("truth_set", "loaded_at"),
)


def now(connection: Connection) -> datetime:
    """Return the present instant, always after those already in the store.

    Instants show what was in the store at a freeze, so a clock set back must not make a later
    row look earlier. Only in a store far ahead of the clock is it the clock's instant: the time
    of a freeze or an observed outcome must be true.
    """
    present, latest = read(), _latest(connection)
    if latest is None or latest - present > MAX_AHEAD:
        return present
    return max(present, _after(latest))


def in_order(connection: Connection, present: datetime | None = None) -> datetime:
    """Return the present instant, or one just after the latest of the store if that is later.

    For the instants that only record the order of entry into the store: when an alias was added
    and when a slate was recorded.
    """
    latest, instant = _latest(connection), present or read()
    return instant if latest is None else max(instant, _after(latest))


def require_not_behind(connection: Connection) -> None:
    """Raise InputRefused if the store is ahead of the clock and that is not accepted."""
    present, latest = read(), _latest(connection)
    if latest is None or latest - present <= MAX_AHEAD or os.environ.get(ACCEPT) == "1":
        return
    raise InputRefused(
        f"has rows written at {shown(latest)}, but the clock of this machine shows "
        f"{shown(present)}; if the clock is wrong, set it; if it was wrong when the rows were "
        f"written, restore an earlier copy of the store, or set {ACCEPT}=1 to go on "
        "(see docs/guides/operation.md)"
    )


def is_behind(connection: Connection) -> bool:
    """Whether the store is so far ahead of the clock that writing it has to be accepted."""
    latest = _latest(connection)
    return latest is not None and latest - read() > MAX_AHEAD


def read() -> datetime:
    """Return the time on this machine's clock."""
    return datetime.now(UTC)


def _latest(connection: Connection) -> datetime | None:
    """Return the latest instant at which the store records a write."""
    latest: datetime | None = connection.exec_driver_sql(_newest()).scalar_one()
    return None if latest is None else latest.astimezone(UTC)


@functools.cache
def _newest() -> str:
    """Return the query of _latest, which every write runs, compiled once."""
    newest = [
        sa.select(sa.func.max(schema.metadata.tables[table].c[column]).label("written_at"))
        for table, column in WRITTEN
    ]
    written = sa.union_all(*newest).subquery()
    return schema.compiled(sa.select(sa.func.max(written.c.written_at)))


def _after(instant: datetime) -> datetime:
    return instant + timedelta(microseconds=1)


def shown(instant: datetime) -> str:
    """Return an instant for a reader, to the second, in UTC."""
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
