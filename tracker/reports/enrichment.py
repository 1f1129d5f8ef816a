"""The enrichment versus equally popular drugs, as texts and pages read and word it.

The rows of many views have it: of tiers, one of which is the primary endpoint of most plans, of
their parts, and of other lists.
"""

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
    """Return a slate's row of the window, population and tier of `endpoint`, empty without one."""
    key = {"slate_id": str(slate_id), **endpoint.keys}
    return dict(connection.execute(_ROW, key).mappings().first() or {})


def of(row: Record) -> float | None:
    """Return the enrichment of a row, None where it is not known."""
    value: float | None = row.get(MATCHED)
    return value


def times(row: Record, compared: str = "") -> str:
    """Return it as `2.58 times`, what it is compared with, and its interval; empty if unknown."""
    if of(row) is None:
        return ""
    interval = between(row.get("low"), row.get("high"), of=ratio)
    return f"{ratio(of(row))} times{compared}{interval and f' ({interval})'}"


def cell(row: Record, of_value: Callable[[float], str] = ratio) -> str:
    """Return it for a table with its limits, a dash where it is not known."""
    return with_limits(of(row), row["low"], row["high"], of=of_value)
