"""Warnings of predicted values far outside the truth's range; the view distant_value finds them.

They are computed wherever they are shown, from the stored values, and never stored.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.files import TableFile
from tracker.store import statements

# The warnings of one submission that are listed; the others are counted.
MOST_LISTED = 5


def of_file(
    connection: Connection, submission_id: int, table: TableFile, *, is_long: bool
) -> list[str]:
    """Return the warnings of a submission just stored, by row and column of its staged file."""
    found = statements.run(
        connection,
        "distant_row",
        {"submission_id": submission_id, "is_long": is_long, "most": MOST_LISTED},
    ).all()
    at = table.places({row.row_number for row in found})
    places = [f"{at[row.row_number]}, column {row.column_name}" for row in found]
    return _worded(table.path.name, found, places)


def of_submission(connection: Connection, submission: Row[Any]) -> list[str]:
    """Return the warnings of a stored submission, by item and target, in their order by name."""
    names = ("target", "item", "warning")
    view = sa.table(
        "distant_value", sa.column("submission_id"), *[sa.column(name) for name in names]
    )
    found = connection.execute(
        sa.select(*[view.c[name] for name in names], sa.func.count().over().label("n_found"))
        .where(view.c.submission_id == submission.submission_id)
        .order_by(view.c.target, view.c.item)
        .limit(MOST_LISTED)
    ).all()
    places = [f"item {row.item}, column {row.target}" for row in found]
    return _worded(submission.origin, found, places)


def _worded(origin: str, found: Sequence[Any], places: Sequence[str]) -> list[str]:
    """Return the warnings found, each with its place, and how many there are besides."""
    listed = [f"{origin}, {place}: {row.warning}" for place, row in zip(places, found, strict=True)]
    n_further = found[0].n_found - len(found) if found else 0
    if n_further == 0:
        return listed
    further = "1 further value is" if n_further == 1 else f"{n_further:,} further values are"
    return [*listed, f"{origin}: {further} as far outside the truth's range"]
