"""Takes the rows of a set out of stored_candidate, and says how the log's entries then stand.

An entry of the log stays as it was sealed. What is left of its rows, and their hash, is a row of
moved_entry, which the log covers, too: the rows in the table are compared with that.
"""

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.store import covered, schema


def standing(table: sa.Table) -> sa.Subquery:
    """Select a table's entries as they stand: entry_id, first_row, n_rows and leaf_sha256.

    first_row is the number that the first of their rows has in the table now. Entries of which no
    row is left are not among them.
    """
    entry = schema.log_entry.c
    own = sa.select(entry.entry_id, entry.first_row, entry.n_rows, entry.leaf_sha256).where(
        entry.table_name == covered.log_name(table)
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
        .where(entry.table_name == covered.log_name(schema.stored_candidate))
    ).scalar_one()
    return found


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
