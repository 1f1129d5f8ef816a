"""Takes the rows of a set out of stored_candidate, and keeps the log's entries in step.

An entry of the log stays as it was sealed. What is left of its rows, and their hash, is a row of
moved_entry, which the log covers, too: the rows in the table are compared with that.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.log import leaf_data


def standing(table: sa.Table) -> sa.Subquery:
    """Select a table's entries as they stand: entry_id, first_row, n_rows and leaf_sha256.

    first_row is the present number of an entry's first row in the table. Entries without any row
    left are not among them.
    """
    entry = schema.log_entry.c
    own = sa.select(entry.entry_id, entry.first_row, entry.n_rows, entry.leaf_sha256).where(
        entry.table_name == leaf_data.log_name(table)
    )
    if table is not schema.stored_candidate:
        return own.subquery()
    stored, left = own.subquery(), _left()
    is_moved = left.c.entry_id.is_not(None)
    now = (
        sa.select(
            stored.c.entry_id,
            sa.func.coalesce(left.c.n_rows, stored.c.n_rows).label("n_rows"),
            sa.case((is_moved, left.c.leaf_sha256), else_=stored.c.leaf_sha256).label(
                "leaf_sha256"
            ),
        )
        .select_from(stored.outerjoin(left, stored.c.entry_id == left.c.entry_id))
        .subquery()
    )
    n_before = sa.func.sum(now.c.n_rows).over(order_by=now.c.entry_id, rows=(None, -1))
    placed = sa.select(
        now, sa.cast(sa.func.coalesce(n_before, 0), sa.BigInteger).label("first_row")
    ).subquery()
    return (
        sa.select(placed.c.entry_id, placed.c.first_row, placed.c.n_rows, placed.c.leaf_sha256)
        .where(placed.c.n_rows > 0)
        .subquery()
    )


def n_moved(connection: Connection) -> int:
    """Return how many rows were taken out of stored_candidate so far."""
    entry, left = schema.log_entry.c, _left()
    gone = sa.cast(sa.func.coalesce(sa.func.sum(entry.n_rows - left.c.n_rows), 0), sa.BigInteger)
    found: int = connection.execute(
        sa.select(gone)
        .join_from(schema.log_entry, left, entry.entry_id == left.c.entry_id)
        .where(entry.table_name == leaf_data.log_name(schema.stored_candidate))
    ).scalar_one()
    return found


def take_out(connection: Connection, candidate_set_id: int) -> None:
    """Remove the rows of a set from stored_candidate, and note what is left of their entries.

    The other rows keep their order in a table made anew: after a deletion, DuckDB may number rows
    otherwise at any time.
    """
    table = schema.stored_candidate
    is_own = table.c.candidate_set_id == candidate_set_id
    names = [column.name for column in schema.moved_entry.c]
    connection.execute(
        schema.moved_entry.insert().from_select(names, _left_of_entries(table, candidate_set_id))
    )
    kept = table.to_metadata(sa.MetaData(), name="kept_candidate")
    kept.create(connection)
    others = sa.select(table).where(~is_own).order_by(leaf_data.ROW_ID)
    connection.execute(kept.insert().from_select([*kept.c.keys()], others))
    table.drop(connection)
    connection.exec_driver_sql("alter table kept_candidate rename to stored_candidate")


def _left_of_entries(table: sa.Table, candidate_set_id: int) -> sa.Select[*tuple[Any, ...]]:
    """Select the rows of moved_entry of a set: how many rows are left of each entry, their hash."""
    row, is_own = leaf_data.ROW_ID, table.c.candidate_set_id == candidate_set_id
    span = sa.select(sa.func.min(row).label("first"), sa.func.max(row).label("last")).where(is_own)
    own, entry = span.subquery(), standing(table)
    after_last = entry.c.first_row + entry.c.n_rows
    touched = (
        sa.select(entry)
        .join_from(entry, own, (entry.c.first_row <= own.c.last) & (after_last > own.c.first))
        .subquery()
    )
    bounds = sa.select(
        sa.func.min(touched.c.first_row).label("first"),
        sa.func.max(touched.c.first_row + touched.c.n_rows).label("after"),
    ).subquery()
    rest = (
        sa.select(row.label("row_id"), leaf_data.line(table).label("line"))
        .join_from(table, bounds, (row >= bounds.c.first) & (row < bounds.c.after))
        .where(~is_own)
        .subquery()
    )
    lines = sa.func.string_agg(rest.c.line, "\n").aggregate_order_by(rest.c.row_id)
    n_left = sa.func.count(rest.c.row_id)
    is_within = (rest.c.row_id >= touched.c.first_row) & (
        rest.c.row_id < touched.c.first_row + touched.c.n_rows
    )
    return (
        sa.select(
            touched.c.entry_id,
            sa.literal(candidate_set_id),
            n_left,
            sa.case((n_left > 0, leaf_data.leaf_hash(table, lines))),
        )
        .select_from(touched.outerjoin(rest, is_within))
        .group_by(touched.c.entry_id, touched.c.n_rows)
        # Between the first and the last row of the set may be entries of others.
        .having(n_left < touched.c.n_rows)
        .order_by(touched.c.entry_id)
    )


def _left() -> sa.Subquery:
    """Select what is left of each entry: the row of moved_entry with the fewest rows."""
    moved = schema.moved_entry.c
    fewest = (
        sa.select(moved.entry_id, sa.func.min(moved.n_rows).label("n_rows"))
        .group_by(moved.entry_id)
        .subquery()
    )
    is_last = (moved.entry_id == fewest.c.entry_id) & (moved.n_rows == fewest.c.n_rows)
    return (
        sa.select(moved.entry_id, moved.n_rows, moved.leaf_sha256)
        .join_from(schema.moved_entry, fewest, is_last)
        .subquery()
    )
