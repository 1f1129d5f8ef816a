"""Where an imported submission was frozen first: a claim of its export, hashed with it."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema


@dataclass(frozen=True)
class Original:
    """The number, instant and SHA-256 of a submission in the store that exported it.

    The SHA-256 was recomputed from the values; nothing here proves the instant.
    """

    original_id: int
    original_submitted_at: datetime
    original_sha256: str

    @property
    def header(self) -> dict[str, Any]:
        """The fields as the hash of a submission covers them."""
        instant = self.original_submitted_at.astimezone(UTC).isoformat()
        return {**asdict(self), "original_submitted_at": instant}

    @property
    def sentence(self) -> str:
        """What a reader of the submission is told."""
        return (
            f"imported: its export claims that it was submission {self.original_id} of another "
            f"store, frozen on {self.original_submitted_at.astimezone(UTC):%Y-%m-%d}; nothing here "
            "proves that date"
        )


def record(connection: Connection, submission_id: int, original: Original) -> None:
    """Store where a submission was frozen first."""
    row = {"submission_id": submission_id, **asdict(original)}
    connection.execute(schema.submission_original.insert(), row)


def find(connection: Connection, submission_id: int) -> Original | None:
    """Return where a submission was frozen first, None if that was here."""
    table = schema.submission_original
    row = connection.execute(
        sa.select(
            table.c.original_id, table.c.original_submitted_at, table.c.original_sha256
        ).where(table.c.submission_id == submission_id)
    ).first()
    return Original(*row) if row is not None else None
