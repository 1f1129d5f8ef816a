"""The enrichment versus equally popular drugs in rows of any view, for texts and pages."""

from collections.abc import Callable
from uuid import UUID

from sqlalchemy import Connection, text

from tracker.figures import MATCHED
from tracker.reports.records import Record
from tracker.reports.words import between, ratio, with_limits
from tracker.slates.criteria import Criterion

_ROW = text(
    f"from {MATCHED} where slate_id = :slate_id and evidence_window = :evidence_window "
    "and population = :population and tier = :tier"
)


def read(connection: Connection, slate_id: UUID, endpoint: Criterion) -> Record:
    """Return a slate's row of `endpoint`'s window, population and tier, empty without one."""
    key = {"slate_id": str(slate_id), **endpoint.keys}
    return dict(connection.execute(_ROW, key).mappings().first() or {})


def of(row: Record) -> float | None:
    """Return the enrichment of a row, None if unknown."""
    value: float | None = row.get(MATCHED)
    return value


def times(row: Record, compared: str = "") -> str:
    """Return `2.58 times`, what it is compared with, and its interval; empty if unknown."""
    if of(row) is None:
        return ""
    interval = between(row.get("low"), row.get("high"), of=ratio)
    return f"{ratio(of(row))} times{compared}{interval and f' ({interval})'}"


def cell(row: Record, of_value: Callable[[float], str] = ratio) -> str:
    """Return the enrichment for a table, with its limits; a dash if unknown."""
    return with_limits(of(row), row["low"], row["high"], of=of_value)
