"""Notes on submissions of several submitters that are alike; the view is submission_similarity.

They are computed wherever they are shown, since a later submission may be the copy.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

# Two models that order twenty or more values alike up to here hardly arose apart.
NEARLY_IDENTICAL = 0.99
_LEAST_SHARED = 20

_VIEW = sa.table(
    "submission_similarity",
    *map(sa.column, ("submission_id", "other_id", "n_shared", "is_identical", "similarity")),
)


def of_submission(connection: Connection, submission_id: int) -> list[str]:
    """Say to which submissions of others a submission is identical, or nearly so."""
    return [
        f"{_how(row)} submission {row.other_id}, of another submitter"
        for row in _found(connection, _VIEW.c.submission_id == submission_id)
    ]


def among(connection: Connection, submission_ids: list[int]) -> list[str]:
    """Say which of some submissions are identical to each other, or nearly so, a pair once."""
    own = _VIEW.c.submission_id.in_(submission_ids) & _VIEW.c.other_id.in_(submission_ids)
    return [
        f"#{row.other_id} is {_how(row)} #{row.submission_id}, of another submitter."
        for row in _found(connection, own & (_VIEW.c.submission_id < _VIEW.c.other_id))
    ]


def _found(connection: Connection, condition: sa.ColumnElement[bool]) -> list[sa.Row[Any]]:
    is_near = (_VIEW.c.similarity > NEARLY_IDENTICAL) & (_VIEW.c.n_shared >= _LEAST_SHARED)
    return list(
        connection.execute(
            sa.select(_VIEW)
            .where(condition, _VIEW.c.is_identical | is_near)
            .order_by(_VIEW.c.submission_id, _VIEW.c.other_id)
        )
    )


def _how(row: sa.Row[Any]) -> str:
    if row.is_identical:
        return "identical to"
    return f"nearly identical ({row.similarity:.4f}) to"
