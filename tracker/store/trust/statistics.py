"""Finds statistics in a store's file that are not those of its rows.

DuckDB skips segments and conditions by what the file states: the least and the greatest value,
whether any is NULL, whether text is ASCII. Whoever rewrites these changes the answers to queries,
and no row.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.log import leaf_data

# An estimate, by which queries are planned: nothing is left out by it.
_ESTIMATE = re.compile(r"\[Approx Unique: \d+\]")
_SEGMENTS = (
    "select column_name, row_group_id, column_path, segment_type = 'VALIDITY' as is_validity, "
    '"start", "count" as n_rows, stats from pragma_storage_info(?) '
    "order by column_name, row_group_id, column_path, segment_id"
)
# Questions asked in one statement.
_MOST_ASKED = 50
_LONGEST = re.compile(r"Max String Length: (\d+)")
# As many bytes of text are stated.
_BOUND_LETTERS = 8


@dataclass(frozen=True)
class _Range:
    """The rows of a segment, as DuckDB's rowid counts them, and what the file states of them."""

    first: int
    last: int
    stated: str

    def has_bounds(self, least: str | None, greatest: str | None) -> bool:
        """Whether these, as text, are the bounds that are stated, as far as they are."""
        bounds = [str(one)[:_BOUND_LETTERS] for one in (least, greatest)]
        short = self.stated.startswith("[Min: {}, Max: {},".format(*bounds))
        return short or self.stated.startswith(f"[Min: {least}, Max: {greatest}]")


@dataclass(frozen=True)
class _Stated:
    """What a file states of a column: of the whole, of its segments, and where these are."""

    whole: str
    segments: tuple[tuple[Any, ...], ...]
    ranges: tuple["_Range", ...]


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
            if not is_same and not _is_found(stored, rows, table.c[name], found):
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
            ranges[row.column_name].append(row)
    return {
        name: _Stated(_ESTIMATE.sub("", whole), tuple(segments[name]), tuple(_placed(ranges[name])))
        for name, whole in zip(names, wholes, strict=True)
    }


def _placed(segments: list[Row[Any]]) -> Iterator[_Range]:
    """Yield the rows of the segments of a column, which come in the order of these."""
    first = 0
    for row in segments:
        yield _Range(first, first + row.n_rows - 1, row.stats)
        first += row.n_rows


def _is_found(stored: Connection, rows: Connection, column: sa.Column[Any], found: _Stated) -> bool:
    """Whether queries of a column answer in the store what its rows do."""
    if isinstance(column.type, sa.String | sa.JSON) and not _is_long_enough(rows, column, found):
        return False
    ranges = found.ranges
    questions = [*_questions(rows, column, ranges)]
    for first in range(0, len(questions), _MOST_ASKED):
        asked = [one.scalar_subquery() for one in questions[first : first + _MOST_ASKED]]
        # DuckDB compares bounds with what it knows when it plans, which parameters are not.
        query = schema.compiled(sa.select(*asked).limit(1))
        if stored.exec_driver_sql(query).one() != rows.exec_driver_sql(query).one():
            return False
    return True


def _is_long_enough(rows: Connection, column: sa.Column[Any], found: _Stated) -> bool:
    """Whether the file states lengths of text that no value exceeds: it may be cut to them."""
    length = sa.func.max(sa.func.strlen(sa.type_coerce(column, sa.String)))
    whole = _Range(0, 2**62, found.whole)
    for place in (whole, *found.ranges):
        stated = _LONGEST.search(place.stated)
        query = sa.select(length).where(leaf_data.ROW_ID.between(place.first, place.last))
        longest = rows.exec_driver_sql(schema.compiled(query)).scalar()
        if stated is not None and longest is not None and int(stated[1]) < longest:
            return False
    return True


def _questions(
    rows: Connection, column: sa.Column[Any], ranges: tuple[_Range, ...]
) -> Iterator[sa.Select[*tuple[Any, ...]]]:
    """Yield what narrowed, widened or false statistics would answer otherwise than the rows."""
    is_text = isinstance(column.type, sa.String | sa.JSON)
    # DuckDB keeps JSON as text, and its bounds are those of text.
    value_of = sa.type_coerce(column, sa.String) if is_text else column
    conditions: list[sa.ColumnElement[bool]] = [column.is_(None), column.is_not(None)]
    for place in (None, *ranges):
        is_there: sa.ColumnElement[bool] = sa.true()
        if place is not None:
            is_there = leaf_data.ROW_ID.between(place.first, place.last)
            conditions.append(column.is_(None) & is_there)
        least, greatest = (
            sa.cast(bound(value_of), sa.String) for bound in (sa.func.min, sa.func.max)
        )
        extremes = sa.select(least, greatest)
        found = rows.exec_driver_sql(schema.compiled(extremes.where(is_there))).one()
        if place is not None and place.has_bounds(*found):
            # To ask would read the whole column.
            continue
        conditions += [
            (value_of == sa.cast(sa.literal(value, sa.String), value_of.type)) & is_there
            for value in dict.fromkeys(found)
            if value is not None
        ]
    # Without a condition, DuckDB answers from the bounds alone.
    for answered in (sa.func.min(value_of), sa.func.max(value_of), sa.func.count(column)):
        yield sa.select(sa.cast(answered, sa.String)).select_from(column.table)
    yield from (
        sa.select(sa.func.count()).select_from(column.table).where(one) for one in conditions
    )
    if is_text:
        # Of text that is said to be ASCII, DuckDB counts the bytes.
        yield sa.select(sa.func.sum(sa.func.length(sa.cast(column, sa.String))))
