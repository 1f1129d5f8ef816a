"""Seals what was written: the log is a Merkle tree in which every covered row is part of a leaf.

The tree is that of RFC 9162 (tracker.log.merkle); what its leaves are is in tracker.log.leaf_data.
Each command that writes appends entries for its rows and a head with the root over all entries so
far. The head before it is one of those rows: altering any head but the last shows.
"""

import functools
import hashlib
import json
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import clock, schema
from tracker.errors import CheckFailed
from tracker.log import blocks, leaf_data, merkle, moving
from tracker.version import VERSION

_HASH_BYTES = 32
# What a head's canonical line leaves out: the peaks follow from the entries.
_NOT_IN_LINE = ("peaks", "head_sha256")


@dataclass(frozen=True)
class Head:
    """A row of log_head: the root over the first `n_entries` entries, and when it was made."""

    head_id: int
    log_id: uuid.UUID
    n_entries: int
    root_sha256: str
    peaks: list[str]
    sealed_at: datetime
    reason: str
    tracker_version: str
    head_sha256: str = ""

    @property
    def sealed_on(self) -> str:
        """The instant of sealing for a reader."""
        return clock.shown(self.sealed_at)


def seal(connection: Connection, reason: str = "written") -> None:
    """Append entries for the rows that none covers yet, and a head over all entries.

    Nothing is appended where the last head is the only such row. The rows must be committed:
    before that DuckDB numbers them otherwise. Raises CheckFailed if another program removed rows
    of a table that has new ones.
    """
    n_rows, n_sealed = row_counts(connection), sealed_counts(connection)
    grown = {
        name: table
        for table in leaf_data.tables()
        if n_rows[name := leaf_data.log_name(table)] > n_sealed.get(name, 0)
    }
    if grown.keys() <= {schema.log_head.name}:
        return
    last = last_head(connection)
    n_before = n_entries = last.n_entries if last else 0
    for name, table in grown.items():
        n_entries = _seal_rows(connection, table, n_sealed.get(name, 0), n_rows[name], n_entries)
    peaks = [bytes.fromhex(peak) for peak in last.peaks] if last else []
    for first in range(n_before, n_entries, leaf_data.SLICE_ROWS):
        leaves = stored_leaves(connection, first, min(first + leaf_data.SLICE_ROWS, n_entries))
        peaks = merkle.appended(peaks, first, leaves)
    is_accepted = reason == "written" and clock.is_behind(connection)
    head = Head(
        head_id=last.head_id + 1 if last else 1,
        log_id=last.log_id if last else uuid.uuid4(),
        n_entries=n_entries,
        root_sha256=merkle.root_of_peaks(peaks).hex(),
        peaks=[peak.hex() for peak in peaks],
        sealed_at=clock.in_order(connection),
        reason="clock_accepted" if is_accepted else reason,
        tracker_version=VERSION,
    )
    stored = {**vars(head), "head_sha256": head_sha256(head_line(head))}
    connection.execute(schema.log_head.insert(), stored)


def require_counts(connection: Connection, present: set[str] | None = None) -> None:
    """Raise CheckFailed unless every covered table has the rows that were sealed, no more or less.

    Rows that another program inserted are thus never sealed as tracker's. `present` are the tables
    of a store of an earlier version. A row that was altered is found by tracker.log.tampering.
    """
    last = last_head(connection)
    if last is None:
        raise CheckFailed(
            "the log of this store is missing: another program removed it; restore an earlier copy"
        )
    n_sealed = sealed_counts(connection, present)
    # The last head is sealed with the next rows.
    n_sealed["log_head"] = n_sealed.get("log_head", 0) + 1
    stored = leaf_data.stored_names(present)
    for name, n_rows in row_counts(connection, present).items():
        expected = n_sealed.get(name, 0)
        if n_rows != expected:
            what = "added" if n_rows > expected else "removed"
            raise CheckFailed(
                f"the table {stored[name]} has {n_rows:,} rows and {expected:,} were sealed: "
                f"another program {what} rows; run 'tracker check'"
            )
    n_entries = sum_of_entries(connection)
    if n_entries != last.n_entries:
        raise CheckFailed(
            f"the log has {n_entries:,} entries and its last head covers {last.n_entries:,}: "
            "another program changed it; run 'tracker check'"
        )


def heads(connection: Connection) -> list[Head]:
    """Return the heads, the first one first."""
    table = schema.log_head
    rows = connection.execute(sa.select(table).order_by(table.c.head_id))
    return [Head(*row) for row in rows]


def last_head(connection: Connection) -> Head | None:
    """Return the latest head; None if nothing was sealed yet."""
    table = schema.log_head
    row = connection.execute(sa.select(table).order_by(table.c.head_id.desc()).limit(1)).first()
    return None if row is None else Head(*row)


def head_line(head: Head) -> str:
    """Return the canonical line of a head: JSON by name, the instant in ISO 8601 in UTC."""
    fields = {
        **{name: value for name, value in vars(head).items() if name not in _NOT_IN_LINE},
        "log_id": str(head.log_id),
        "sealed_at": head.sealed_at.astimezone(UTC).isoformat(timespec="microseconds"),
    }
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def head_sha256(line: str) -> str:
    """Return the SHA-256 of a head: of its canonical line and the line end, as a file has them."""
    return hashlib.sha256(f"{line}\n".encode()).hexdigest()


def row_counts(connection: Connection, present: set[str] | None = None) -> dict[str, int]:
    """Return the number of rows of every covered table, by its name in the log."""
    names = tuple(leaf_data.stored_names(present).items())
    return {row[0]: row[1] for row in connection.exec_driver_sql(_counting(names))}


@functools.cache
def _counting(names: tuple[tuple[str, str], ...]) -> str:
    """Return the query of row_counts, which every write runs twice, compiled once."""
    counts = [
        sa.select(sa.literal(name, sa.String), sa.func.count()).select_from(sa.table(stored))
        for name, stored in names
    ]
    return schema.compiled(sa.union_all(*counts))


def extent(connection: Connection, table: sa.Table) -> tuple[int, int]:
    """Return how many rows a table has, and the number of its last row from 0; -1 if empty."""
    last = sa.func.coalesce(sa.func.max(leaf_data.ROW_ID), -1)
    found = connection.execute(sa.select(sa.func.count(), last).select_from(table)).one()
    return found[0], found[1]


def sealed_counts(connection: Connection, present: set[str] | None = None) -> dict[str, int]:
    """Return how many rows of each table the entries cover, by its name in the log.

    Rows that were moved out of the table are not counted. `present` are the tables of a store of
    an earlier version.
    """
    entry = schema.log_entry.c
    total = sa.cast(sa.func.sum(entry.n_rows), sa.BigInteger)
    rows = connection.execute(sa.select(entry.table_name, total).group_by(entry.table_name))
    counts: dict[str, int] = {row[0]: row[1] for row in rows}
    if present is None or schema.moved_entry.name in present:
        name = leaf_data.log_name(schema.stored_candidate)
        counts[name] = counts.get(name, 0) - moving.n_moved(connection)
    return counts


def sum_of_entries(connection: Connection) -> int:
    """Return the number of entries."""
    found: int = connection.execute(
        sa.select(sa.func.count()).select_from(schema.log_entry)
    ).scalar_one()
    return found


def stored_leaves(connection: Connection, first: int, last: int) -> list[bytes]:
    """Return the hashes of the entries from `first` up to `last`."""
    entry = schema.log_entry.c
    # One text instead of a row for each entry: a store may have millions.
    joined = sa.func.string_agg(entry.leaf_sha256, "").aggregate_order_by(entry.entry_id)
    is_wanted = entry.entry_id.between(first, last - 1)
    return split_hashes(connection.execute(sa.select(joined).where(is_wanted)).scalar_one())


def split_hashes(joined: str | None) -> list[bytes]:
    """Return the hashes in a text of hexadecimal digits without anything between them."""
    digits = bytes.fromhex(joined or "")
    starts = range(0, len(digits), _HASH_BYTES)
    return [digits[start : start + _HASH_BYTES] for start in starts]


def _seal_rows(
    connection: Connection, table: sa.Table, first: int, last: int, n_entries: int
) -> int:
    """Append the entries of the rows from `first` up to `last`; return how many there are then."""
    if extent(connection, table) != (last, last - 1):
        raise CheckFailed(
            f"rows of the table {table.name} were removed by another program; run 'tracker check'"
        )
    n_moved = moving.n_moved(connection) if table is schema.stored_candidate else 0
    begun = first
    while begun < last:
        until = min(begun + leaf_data.SLICE_ROWS, last)
        if table.name in leaf_data.BY_COLUMN:
            n_entries += _append_blocks(connection, table, begun, until, n_entries, n_moved)
        else:
            n_entries += _append_lines(connection, table, begun, until, n_entries)
        begun = until
    return n_entries


def _append_lines(
    connection: Connection, table: sa.Table, first: int, last: int, n_entries: int
) -> int:
    """Append the entries of rows that are hashed as lines; return how many these are."""
    leaf = leaf_data.leaves(table, first, last).subquery()
    entries = sa.select(
        leaf.c.place + n_entries,
        sa.literal(leaf_data.log_name(table)),
        leaf.c.first_row,
        leaf.c.n_rows,
        leaf.c.leaf_sha256,
    )
    names = ["entry_id", "table_name", "first_row", "n_rows", "leaf_sha256"]
    return connection.execute(schema.log_entry.insert().from_select(names, entries)).rowcount


def _append_blocks(
    connection: Connection, table: sa.Table, first: int, last: int, n_entries: int, n_moved: int
) -> int:
    """Append the entries of rows that are hashed by column; return how many these are."""
    starts = [*range(first, last, leaf_data.CHUNK_ROWS)]
    entries = [
        {
            "entry_id": n_entries + place,
            "table_name": leaf_data.log_name(table),
            "first_row": start + n_moved,
            "n_rows": min(leaf_data.CHUNK_ROWS, last - start),
            "leaf_sha256": leaf,
        }
        for place, (start, leaf) in enumerate(
            zip(starts, blocks.leaves(connection, table, starts, last), strict=True)
        )
    ]
    connection.execute(schema.log_entry.insert(), entries)
    return len(entries)
