"""Finds statistics in a store's file that are not those of its rows.

DuckDB leaves out the rows of a segment, or a condition, by what the file states of it: the least
and the greatest value, whether any is NULL, whether text is ASCII. Whoever rewrites that changes
what every query answers, and no row.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.store import covered, schema

# An estimate, by which queries are planned: nothing is left out by it.
_ESTIMATE = re.compile(r"\[Approx Unique: \d+\]")
_SEGMENTS = (
    "select column_name, row_group_id, column_path, segment_type = 'VALIDITY' as is_validity, "
    '"start", "count", stats from pragma_storage_info(?) '
    "order by column_name, row_group_id, column_path, segment_id"
)
# Questions asked in one statement.
_MOST_ASKED = 50


@dataclass(frozen=True)
class _Stated:
    """What a file states of a column: of the whole, of its segments, and where these are."""

    whole: str
    segments: tuple[tuple[Any, ...], ...]
    # The first row of each segment and the one after its last, counted as DuckDB's rowid.
    ranges: tuple[tuple[int, int], ...]


def problems(stored: Connection, rows: Connection) -> Iterator[str]:
    """Yield a line for each column in which conditions do not find the rows that are there.

    `stored` reads a store, `rows` one that was made of its rows (tracker.store.opening.reader with
    `from_rows`), whose statistics are therefore true.
    """
    for table in schema.metadata.sorted_tables:
        stated, true = _stated(stored, table), _stated(rows, table)
        for name, expected in true.items():
            found = stated[name]
            # Rows that were written one after the other may be in other segments than those that
            # were copied at once; a query then tells whether it finds the least and the greatest.
            is_same = (found.whole, found.segments) == (expected.whole, expected.segments)
            if not is_same and not _is_found(stored, rows, table.c[name], found.ranges):
                yield (
                    f"table {table.name}: the file states other values of {name} than its rows "
                    "have, so that queries leave out some of them"
                )


def _stated(connection: Connection, table: sa.Table) -> dict[str, _Stated]:
    """Return what the file states of each column; nothing of a table without rows."""
    names = [*table.c.keys()]
    wholes = connection.execute(
        sa.select(*[sa.func.stats(table.c[name]) for name in names])
    ).first()
    if wholes is None:
        return {}
    segments, ranges = defaultdict(list), defaultdict(list)
    for row in connection.exec_driver_sql(_SEGMENTS, (table.name,)):
        segments[row.column_name].append(tuple(row))
        if not row.is_validity:
            ranges[row.column_name].append((row.row_group_id, row.start, row[5]))
    return {
        name: _Stated(_ESTIMATE.sub("", whole), tuple(segments[name]), tuple(_placed(ranges[name])))
        for name, whole in zip(names, wholes, strict=True)
    }


def _placed(segments: list[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the rows of segments, given by row group, first row in it and number of rows."""
    n_before = n_in_group = 0
    group = None
    for row_group, _, n_rows in segments:
        if row_group != group:
            n_before, n_in_group, group = n_before + n_in_group, 0, row_group
        yield n_before + n_in_group, n_before + n_in_group + n_rows
        n_in_group += n_rows


def _is_found(
    stored: Connection,
    rows: Connection,
    column: sa.Column[Any],
    ranges: tuple[tuple[int, int], ...],
) -> bool:
    """Whether conditions on a column find as many rows in the store as there are."""
    questions = [*_questions(rows, column, ranges)]
    for first in range(0, len(questions), _MOST_ASKED):
        query = sa.select(
            *[one.scalar_subquery() for one in questions[first : first + _MOST_ASKED]]
        )
        if stored.execute(query).one() != rows.execute(query).one():
            return False
    return True


def _questions(
    rows: Connection, column: sa.Column[Any], ranges: tuple[tuple[int, int], ...]
) -> Iterator[sa.Select[*tuple[Any, ...]]]:
    """Yield counts of rows, each by a condition that narrowed or false statistics would answer."""
    conditions: list[sa.ColumnElement[bool]] = [column.is_(None), column.is_not(None)]
    is_text = isinstance(column.type, sa.String | sa.JSON)
    # DuckDB keeps JSON as text, and its bounds are those of text.
    value_of = sa.type_coerce(column, sa.String) if is_text else column
    for place in (None, *ranges):
        is_there = sa.true() if place is None else covered.ROW_ID.between(place[0], place[1] - 1)
        extremes = rows.execute(
            sa.select(sa.func.min(value_of), sa.func.max(value_of)).where(is_there)
        ).one()
        conditions += [
            (value_of == sa.literal(value, value_of.type)) & is_there
            for value in dict.fromkeys(extremes)
            if value is not None
        ]
        if place is not None:
            conditions.append(column.is_(None) & is_there)
    yield from (
        sa.select(sa.func.count()).select_from(column.table).where(one) for one in conditions
    )
    if is_text:
        # Of text that is said to be ASCII, DuckDB counts the bytes.
        yield sa.select(sa.func.sum(sa.func.length(sa.cast(column, sa.String))))
