"""Warnings of predicted values far outside the truth's range; the view distant_value finds them.

They are computed wherever they are shown, from the stored values, and never stored.
"""

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
    places = table.places({row.row_number for row in found})
    origin = table.path.name
    return _worded(
        origin,
        [
            f"{origin}, {places[row.row_number]}, column {row.column_name}: {row.warning}"
            for row in found
        ],
        found[0].n_found if found else 0,
    )


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
    return _worded(
        submission.origin,
        [
            f"{submission.origin}, item {row.item}, column {row.target}: {row.warning}"
            for row in found
        ],
        found[0].n_found if found else 0,
    )


def _worded(origin: str, listed: list[str], n_found: int) -> list[str]:
    """Add to the warnings listed how many there are besides."""
    n_further = n_found - len(listed)
    if n_further == 0:
        return listed
    further = "1 further value is" if n_further == 1 else f"{n_further:,} further values are"
    return [*listed, f"{origin}: {further} as far outside the truth's range"]
