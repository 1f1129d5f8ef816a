"""Finds what was altered, removed, inserted or backdated in a store since it was sealed.

The leaves are computed again from the rows and compared with the entries of the log, the roots
from the entries and compared with the heads. If someone recomputes the whole log, only a head kept
outside the store reveals it (tracker.log.tree_proofs).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import clock, schema, temp_tables
from tracker.errors import CheckFailed
from tracker.log import blocks, leaf_data, merkle, moving, sealing
from tracker.log.sealing import Head
from tracker.progress import Progress, silent

# Each chunk is a branch of one expression.
_MAX_CHUNKS = 64

# The rows of a table that one head sealed, and between which instants they were written.
_span = temp_tables.define(
    "log_span",
    "table_name",
    first_row=sa.BigInteger,
    last_row=sa.BigInteger,
    written_after=sa.TIMESTAMP(timezone=True),
    sealed_at=sa.TIMESTAMP(timezone=True),
)


def verify(connection: Connection, progress: Progress = silent) -> list[str]:
    """Return what was altered, in a line each: the first finding of the log and of each table.

    An empty list means that every covered row is as it was sealed and every head fits the entries.
    """
    heads = sealing.heads(connection)
    if not heads:
        return ["the log is missing: its heads were removed"]
    broken = _misplaced_entry(connection)
    if broken is not None:
        return [f"entry {broken:,} of the log was altered, or one before it removed or inserted"]
    progress("checking the log: its heads")
    found = [*_altered_heads(connection, heads)]
    # Where the entries themselves were altered, rows that differ from them may be as they were.
    verb = "differs from its entry, sealed on" if found else "was altered after it was sealed on"
    n_sealed = sealing.sealed_counts(connection)
    sound = set()
    for table in leaf_data.tables():
        progress(f"checking the log: {table.name}")
        compare = _by_row if table.name in leaf_data.BY_ROW else _by_chunk
        finding = compare(
            connection, table, n_sealed.get(leaf_data.log_name(table), 0), heads, verb
        )
        if finding is None:
            sound.add(table.name)
        else:
            found.append(finding)
    return [*found, *_misdated(connection, sound)]


def require_sound(connection: Connection, table: sa.Table) -> None:
    """Raise CheckFailed if a row of a table, with an entry for each, is not as it was sealed."""
    n_sealed = sealing.sealed_counts(connection).get(leaf_data.log_name(table), 0)
    heads = sealing.heads(connection)
    finding = _by_row(connection, table, n_sealed, heads, "was altered after it was sealed on")
    if finding is not None:
        raise CheckFailed(f"{finding}; run 'tracker check'")


def _misplaced_entry(connection: Connection) -> int | None:
    """Return the place of the first entry that does not follow on from those before it."""
    entry = schema.log_entry.c
    place = sa.func.row_number().over(order_by=entry.entry_id) - 1
    n_before = sa.func.sum(entry.n_rows).over(
        partition_by=entry.table_name, order_by=entry.entry_id, rows=(None, -1)
    )
    placed = sa.select(
        *schema.log_entry.c, place.label("place"), sa.func.coalesce(n_before, 0).label("n_before")
    ).subquery()
    is_of_one_row = placed.c.table_name.in_(sorted(leaf_data.BY_ROW))
    is_misplaced = sa.or_(
        placed.c.entry_id != placed.c.place,
        placed.c.first_row != placed.c.n_before,
        placed.c.n_rows < 1,
        sa.and_(is_of_one_row, placed.c.n_rows != 1),
        placed.c.table_name.not_in([*leaf_data.stored_names()]),
        sa.not_(sa.func.regexp_full_match(placed.c.leaf_sha256, "[0-9a-f]{64}")),
    )
    return connection.execute(sa.select(sa.func.min(placed.c.place)).where(is_misplaced)).scalar()


def _altered_heads(connection: Connection, heads: Sequence[Head]) -> Iterator[str]:
    """Yield the first head, or the entries of one, that was altered, if any was."""
    n_entries = sealing.sum_of_entries(connection)
    trees = _trees(connection, [head.n_entries for head in heads], n_entries)
    previous = None
    for number, (head, peaks) in enumerate(zip(heads, trees, strict=True), 1):
        is_next = previous is None or (
            head.log_id == previous.log_id
            and head.n_entries > previous.n_entries
            and head.sealed_at > previous.sealed_at
        )
        is_whole = head.head_sha256 == sealing.head_sha256(sealing.head_line(head))
        if head.head_id != number or not is_next or not is_whole:
            yield f"head {number:,} of the log was altered, or one before it removed or inserted"
            return
        if peaks is None:
            n_missing = head.n_entries - n_entries
            yield f"entries of the log, sealed on {head.sealed_on}, were removed ({n_missing:,})"
            return
        if head.root_sha256 != merkle.root_of_peaks(peaks).hex():
            first = previous.n_entries if previous is not None else 0
            yield (
                f"the entries {first:,} to {head.n_entries - 1:,} of the log, sealed on "
                f"{head.sealed_on}, were altered: head {number:,} has another root"
            )
            return
        if head.peaks != [peak.hex() for peak in peaks]:
            yield f"head {number:,} of the log was altered: its peaks are not those of its entries"
            return
        previous = head
    if previous is not None and previous.n_entries < n_entries:
        n_more = n_entries - previous.n_entries
        yield f"entries were added to the log after its last head ({n_more:,})"


def _trees(
    connection: Connection, sizes: Sequence[int], n_entries: int
) -> Iterator[list[bytes] | None]:
    """Yield the peaks of the tree of each size, in order; None for one that lacks entries."""
    peaks: list[bytes] = []
    pending: list[bytes] = []
    n_done = n_read = 0
    for size in sizes:
        if not n_done <= size <= n_entries:
            yield None
            continue
        while n_read < size:
            until = min(n_read + leaf_data.SLICE_ROWS, n_entries)
            pending += sealing.stored_leaves(connection, n_read, until)
            n_read = until
        peaks = merkle.appended(peaks, n_done, pending[: size - n_done])
        del pending[: size - n_done]
        n_done = size
        yield peaks


def _by_row(
    connection: Connection, table: sa.Table, n_sealed: int, heads: Sequence[Head], verb: str
) -> str | None:
    """Return what is wrong with a table that has an entry for each row, if anything is."""
    n_sealed_yet = n_sealed
    if table is schema.log_head:
        # The last head is sealed with the next rows.
        n_sealed_yet += 1
    n_rows, last_row = sealing.extent(connection, table)
    if n_rows == n_sealed_yet == last_row + 1:
        slices = range(0, n_sealed, leaf_data.SLICE_ROWS)
        if all(_is_slice_sound(connection, table, first, n_sealed) for first in slices):
            return None
    sealed = sealing.split_hashes(_sealed_leaves(connection, table, 0, n_sealed))
    leaf = leaf_data.leaves(table, 0, last_row + 1).subquery()
    rows = [*connection.execute(sa.select(leaf.c.place, leaf.c.leaf_sha256).order_by(leaf.c.place))]
    if table is schema.log_head:
        rows = rows[:n_sealed] if n_rows == n_sealed_yet else rows
    actual = [bytes.fromhex(row.leaf_sha256) for row in rows]
    place = next(
        (n for n, pair in enumerate(zip(sealed, actual, strict=False)) if pair[0] != pair[1]),
        min(len(sealed), len(actual)),
    )
    if place == len(sealed) == len(actual):
        return None
    counts = ""
    if len(actual) != len(sealed):
        counts = f"{table.name} has {n_rows:,} rows, {n_sealed_yet:,} were sealed: "
    known, kept = Counter(sealed[place:]), Counter(actual[place:])
    is_gone = place < len(sealed) and not kept[sealed[place]]
    # DuckDB writes a changed row of a table with a key at the end.
    new = next((n for n, leaf in enumerate(actual[place:], place) if not known[leaf]), None)
    before = _named(connection, table, rows[place - 1].place) if place else ""
    after = f"after {before}" if before else "first"
    sealed_on = _sealed_on(connection, table, place, heads) if place < len(sealed) else ""
    if new is not None and is_gone and (new == place or len(actual) == len(sealed)):
        moved = "" if new == place else f" (or put in place of the row that stood {after})"
        return f"{counts}{_named(connection, table, rows[new].place)} {verb} {sealed_on}{moved}"
    if is_gone:
        return f"{counts}the row that stood {after}, sealed on {sealed_on}, was removed"
    here = _named(connection, table, rows[place].place)
    if new == place:
        return f"{counts}{here} was inserted by another program"
    return f"{counts}{here} stands where another row was sealed on {sealed_on}"


def _is_slice_sound(connection: Connection, table: sa.Table, first: int, n_sealed: int) -> bool:
    last = min(first + leaf_data.SLICE_ROWS, n_sealed)
    leaf = leaf_data.leaves(table, first, last).subquery()
    joined = sa.func.string_agg(leaf.c.leaf_sha256, "").aggregate_order_by(leaf.c.place)
    found = connection.execute(sa.select(joined)).scalar_one()
    return bool(found == _sealed_leaves(connection, table, first, last))


def _sealed_leaves(connection: Connection, table: sa.Table, first: int, last: int) -> str | None:
    """Return the hashes of a table's entries for the rows from `first` up to `last`, joined."""
    entry = moving.standing(table).c
    joined = sa.func.string_agg(entry.leaf_sha256, "").aggregate_order_by(entry.entry_id)
    is_wanted = entry.first_row.between(first, last - 1)
    found: str | None = connection.execute(sa.select(joined).where(is_wanted)).scalar_one()
    return found


def _by_chunk(
    connection: Connection, table: sa.Table, n_sealed: int, heads: Sequence[Head], verb: str
) -> str | None:
    """Return what is wrong with a table sealed in chunks, if anything is."""
    n_rows, last_row = sealing.extent(connection, table)
    counts = ""
    if n_rows != n_sealed:
        counts = f"{table.name} has {n_rows:,} rows, {n_sealed:,} were sealed: "
    for chunks in _slices(connection, table):
        starts = [chunk.first_row for chunk in chunks]
        last = chunks[-1].first_row + chunks[-1].n_rows
        sealed = [chunk.leaf_sha256 for chunk in chunks]
        hashed: list[str | None] = []
        if table.name in leaf_data.BY_COLUMN:
            hashed = blocks.leaves(connection, table, starts, last)
            if hashed == sealed and None not in hashed:
                continue
        # With lines, too: what earlier versions sealed, and what is left of an entry.
        leaves = leaf_data.leaves(table, starts[0], last, starts)
        lines = {row.place: row.leaf_sha256 for row in connection.execute(leaves)}
        for place, chunk in enumerate(chunks):
            found = {lines.get(place), *hashed[place : place + 1]} - {None}
            if chunk.leaf_sha256 not in found:
                sealed_on = _sealed_on(connection, table, chunk.first_row, heads)
                return f"{counts}{_of_chunk(connection, table, chunk, verb)} {sealed_on}"
    if last_row >= n_sealed:
        later = sa.select(sa.func.min(leaf_data.ROW_ID)).select_from(table)
        first = connection.execute(later.where(n_sealed <= leaf_data.ROW_ID)).scalar_one()
        return f"{counts}{_named(connection, table, first)} was inserted by another program"
    return f"{counts}an entry of the log says otherwise than its hash" if counts else None


def _slices(connection: Connection, table: sa.Table) -> Iterator[list[Row[Any]]]:
    """Yield a table's entries in order, as many at once as may be read together."""
    entry = moving.standing(table)
    wanted = sa.select(entry).order_by(entry.c.entry_id)
    chunks: list[Row[Any]] = []
    n_rows = 0
    for chunk in connection.execute(wanted).all():
        if chunks and (n_rows + chunk.n_rows > leaf_data.SLICE_ROWS or len(chunks) == _MAX_CHUNKS):
            yield chunks
            chunks, n_rows = [], 0
        chunks.append(chunk)
        n_rows += chunk.n_rows
    if chunks:
        yield chunks


def _of_chunk(connection: Connection, table: sa.Table, chunk: Row[Any], verb: str) -> str:
    """Return in words that rows of a chunk differ, up to when they were sealed."""
    last = chunk.first_row + chunk.n_rows
    owner = next(iter(table.c))
    row = leaf_data.ROW_ID
    found = connection.execute(
        sa.select(sa.func.count().label("n"), sa.func.min(owner), sa.func.max(owner))
        .select_from(table)
        .where(row.between(chunk.first_row, last - 1))
    ).one()
    if found.n < chunk.n_rows:
        numbered = (
            sa.select(row.label("row_id"), sa.func.row_number().over(order_by=row).label("place"))
            .select_from(table)
            .where(row.between(chunk.first_row, last - 1))
            .subquery()
        )
        is_shifted = numbered.c.row_id - chunk.first_row != numbered.c.place - 1
        shifted = sa.select(sa.func.min(numbered.c.place)).where(is_shifted)
        place = connection.execute(shifted).scalar() or found.n + 1
        return f"row {chunk.first_row + place:,} of {table.name} was removed after it was sealed on"
    owners = found[1] if found[1] == found[2] else f"{found[1]} to {found[2]}"
    if chunk.n_rows == 1:
        return f"{_named(connection, table, chunk.first_row)} {verb}"
    return (
        f"one or more of the rows {chunk.first_row + 1:,} to {last:,} of {table.name} "
        f"({owner.name} {owners}) {verb}"
    )


def _misdated(connection: Connection, sound: set[str]) -> Iterator[str]:
    """Yield the first row of each sound table that is dated outside the writing that sealed it."""
    head, entry = schema.log_head.c, schema.log_entry.c
    n_before = sa.func.lag(head.n_entries).over(order_by=head.head_id)
    bound = sa.select(
        head.n_entries,
        head.sealed_at,
        sa.func.coalesce(n_before, 0).label("n_before"),
        # A clock that was accepted, and rows of before the log, have no earliest instant.
        sa.case(
            (head.reason == "written", sa.func.lag(head.sealed_at).over(order_by=head.head_id))
        ).label("written_after"),
    ).subquery()
    is_in = (entry.entry_id >= bound.c.n_before) & (entry.entry_id < bound.c.n_entries)
    # A head is sealed with the rows after it; heads are compared with one another.
    names = [name for name, _ in clock.WRITTEN if name in sound and name != "log_head"]
    span = (
        sa.select(
            entry.table_name,
            sa.func.min(entry.first_row).label("first_row"),
            sa.func.max(entry.first_row + entry.n_rows - 1).label("last_row"),
            bound.c.written_after,
            bound.c.sealed_at,
        )
        .select_from(schema.log_entry)
        .join(bound, is_in)
        .where(entry.table_name.in_(names))
        .group_by(entry.table_name, bound.c.written_after, bound.c.sealed_at)
        .subquery()
    )
    temp_tables.refill(connection, _span, span)
    for name, column in clock.WRITTEN:
        if name not in names:
            continue
        table = schema.metadata.tables[name]
        row = sa.select(leaf_data.ROW_ID.label("place"), table.c[column].label("written_at"))
        row_of = row.select_from(table).subquery()
        is_of_span = row_of.c.place.between(_span.c.first_row, _span.c.last_row)
        is_late = row_of.c.written_at > _span.c.sealed_at
        is_early = row_of.c.written_at <= _span.c.written_after
        found = connection.execute(
            sa.select(row_of, is_late.label("is_late"), _span.c.sealed_at, _span.c.written_after)
            .join_from(row_of, _span, is_of_span & (_span.c.table_name == name))
            .where(is_late | is_early)
            .order_by(row_of.c.place)
            .limit(1)
        ).first()
        if found is not None:
            dated = f"is dated {clock.shown(found.written_at)} ({column})"
            limit = f"after it was sealed on {clock.shown(found.sealed_at)}"
            if not found.is_late:
                ended = clock.shown(found.written_after)
                limit = f"before the write ahead of it, which ended {ended}"
            yield f"{_named(connection, table, found.place)} {dated}, {limit}"


def _named(connection: Connection, table: sa.Table, row_id: int) -> str:
    """Return a row's name for a user: the table and the key, or else its number from 1."""
    keys = [*table.primary_key.columns]
    if not keys:
        return f"row {row_id + 1:,} of {table.name}"
    row = connection.execute(
        sa.select(*keys).select_from(table).where(leaf_data.ROW_ID.in_([row_id]))
    ).one()
    return f"{table.name} {', '.join(map(str, row))}"


def _sealed_on(connection: Connection, table: sa.Table, place: int, heads: Sequence[Head]) -> str:
    """Return when a row was sealed."""
    entry = moving.standing(table).c
    is_of_row = entry.first_row == place
    found = connection.execute(sa.select(entry.entry_id).where(is_of_row)).scalar_one()
    return next((head.sealed_on for head in heads if found < head.n_entries), "an unknown day")
