"""Compares a ledger with the one that was rebuilt, row by row; the comparison is SQL."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import schema, temp_tables
from tracker.entities import folding
from tracker.extras.replay import stored
from tracker.extras.replay.rebuilding import Rebuilt
from tracker.rows import Rows, rows_from
from tracker.store import statements

# Each statement returns the rows of some tables in one form.
_LINES = (
    "event_line",
    "claim_line",
    "release_line",
    "alias_line",
    "chembl_line",
    "registry_line",
    "fda_line",
    "ema_line",
    "vocabulary_line",
)
_HASHES = ("release", "content_sha256")
# A hash in a sentence is recognised by its beginning.
_SHOWN_OF_HASH = 8
_LONGEST_VALUE = 120
# Fields that follow from others: they are mentioned where nothing else differs.
_REST = ("detail", "observed_at", "content_sha256", "folded_name")
DIFFERENCE_COLUMNS = ("kind", "record", "difference", "stored", "files_give")


@dataclass(frozen=True)
class Compared:
    """How many rows of each kind agree, and every difference, in words and in full."""

    counts: Rows
    differences: Rows


def compare(connection: Connection, rebuilt: Rebuilt) -> Compared:
    """Compare the attached store's ledger with that of the connection's own store."""
    # An earlier version may have folded names otherwise.
    folding.prepare(connection)
    with stored.first(connection):
        _keep_lines(connection, "held_line")
    _keep_lines(connection, "given_line")
    _keep_unchecked(connection, rebuilt)
    statements.run(connection, "unequal_line")
    statements.run(connection, "ledger_difference")
    counted = rows_from(statements.run(connection, "line_count"))
    found = [_difference(row) for row in statements.run(connection, "listed_difference")]
    return Compared(counted, Rows(list(DIFFERENCE_COLUMNS), [*_lost(connection), *found]))


def _keep_lines(connection: Connection, table: str) -> None:
    selects = [f"({statements.find(name).select})" for name in _LINES]
    joined = "\nunion all\n".join(selects)
    connection.execute(text(f"create or replace temp table {table} as\n{joined}"))


def _keep_unchecked(connection: Connection, rebuilt: Rebuilt) -> None:
    """Put the parts of the ledger that were taken from the store into unchecked_part."""
    parts = [
        f"{one.release.source} {one.release.sha256}"
        for one in rebuilt.sources
        if not one.is_checked
    ]
    for at in rebuilt.unchecked_claims:
        shown = connection.execute(
            text("select concat(make_timestamp(epoch_us(cast(:at as timestamptz))))"), {"at": at}
        ).scalar_one()
        parts += [f"{origin} {shown}" for origin in schema.EVENT_ORIGINS]
    frame = pd.DataFrame({"part": parts})
    temp_tables.temporary(connection, "unchecked_part", {"part": sa.String}, frame)


def _lost(connection: Connection) -> list[tuple[Any, ...]]:
    """Return the signs that a release was removed, as differences."""
    with stored.first(connection):
        rows = statements.run(connection, "lost_release").all()
    return [("release", row.record, f"{row.record} {row.problem}", None, None) for row in rows]


def _difference(row: sa.Row[Any]) -> tuple[Any, ...]:
    """Return a difference: its kind, its record, in words, and what either side has."""
    held, given = _fields(row.held_content), _fields(row.given_content)
    number = "" if row.row_id is None else f" {row.row_id}"
    what = f"{row.kind.replace('_', ' ')}{number} ({row.record})"
    if row.given_content is None:
        words = f"{what} is not what the files give: {_described(held)}"
    elif row.held_content is None:
        words = f"{what} is missing; the files give it: {_described(given)}"
    else:
        names = [name for name in {**held, **given} if held.get(name) != given.get(name)]
        told = [name for name in names if name not in _REST] or names
        changes = [
            f"{name} is {_value(name, held)}, by the files {_value(name, given)}" for name in told
        ]
        words = f"{what}: {'; '.join(changes)}"
    return row.kind, row.record, words, held or None, given or None


def _fields(content: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the known fields of a line by name, as text."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in (content or {}).items()
        if value is not None
    }


def _described(fields: dict[str, str]) -> str:
    told = [f"{name} {_value(name, fields)}" for name in fields if name not in _REST]
    return ", ".join(told) or "nothing is known of it"


def _value(name: str, fields: dict[str, str]) -> str:
    value = fields.get(name)
    if value is None:
        return "none"
    if name in _HASHES:
        return f"{value[:_SHOWN_OF_HASH]}..."
    return value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}..."
