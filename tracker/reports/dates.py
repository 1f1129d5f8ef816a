"""The date of a slate: its proof, and the figures by the stated date, in words."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker.errors import InputRefused
from tracker.reports import enrichment
from tracker.reports.words import count
from tracker.slates import plans
from tracker.store import set_as_of, use_stated_dates
from tracker.store.state import scope

_DATE = text(
    "select frozen_on, recorded_on, proved_at, date_basis, counted_from from slate_date "
    "where slate_id = :slate_id"
)
_PROVED_BY = text(
    "select arg_min(authority, (generated_at, token_id)) from slate_proof "
    "where slate_id = :slate_id"
)


@dataclass(frozen=True)
class SlateDate:
    """A slate's row of the view slate_date, with the authority that proves the date, if any."""

    frozen_on: date
    recorded_on: date
    proved_at: datetime | None
    date_basis: str
    counted_from: date
    authority: str | None

    @property
    def proof(self) -> str | None:
        """The instant by which the slate is proved to have existed, and the authority."""
        if self.proved_at is None:
            return None
        instant = f"{self.proved_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        return f"frozen no later than {instant}, by {self.authority}"

    @property
    def facts(self) -> dict[str, Any]:
        """The facts about the date in formats for programs."""
        return {
            "date_basis": self.date_basis,
            "counted_from": self.counted_from.isoformat(),
            "proved_at": self.proved_at.astimezone(UTC).isoformat() if self.proved_at else None,
            "proved_by": self.authority,
        }


def require_frozen(slate: Row[Any], instant: datetime | None, option: str = "--as-of") -> None:
    """Raise InputRefused if the slate did not exist at the instant of an option."""
    if instant is not None and instant < slate.created_at:
        made_on = slate.created_at.astimezone(UTC).date()
        what = "is a replay made" if slate.is_replay else "was frozen"
        raise InputRefused(f"slate {str(slate.slate_id)[:8]} {what} on {made_on}, after {option}")


def of_slate(connection: Connection, slate: Row[Any]) -> SlateDate:
    """Return a slate's date and its proof."""
    key = {"slate_id": str(slate.slate_id)}
    row = connection.execute(_DATE, key).one()
    return SlateDate(**row._mapping, authority=connection.execute(_PROVED_BY, key).scalar())


def warnings(
    connection: Connection, slate: Row[Any], found: SlateDate, as_of: datetime | None
) -> list[str]:
    """Say if a date is only claimed, with the figures by the stated date where they differ."""
    if found.date_basis != "claimed":
        return []
    own = str(slate.slate_id)[:8]
    later = "" if found.proof is None else f" A timestamp proves no more than: {found.proof}."
    if found.frozen_on == found.recorded_on:
        remedy = (
            f"; 'tracker slate prove {own}' asks for a timestamp" if found.proof is None else ""
        )
        return [
            f"Date claimed: nothing outside this store proves that the slate was frozen on "
            f"{found.frozen_on}{remedy}.{later}"
        ]
    if found.counted_from == found.frozen_on:
        return [
            f"Date claimed: these figures count from {found.frozen_on}, as the slate states; "
            f"nothing outside proves it, and this store has the slate since {found.recorded_on}."
            f"{later}"
        ]
    return [
        f"Date claimed: the slate states {found.frozen_on}, which nothing outside proves, so "
        f"figures count from {found.counted_from}, when this store recorded it.{later} "
        f"{_as_claimed(connection, slate, as_of)}; 'tracker report {own} --dates claimed' "
        "reports by that date."
    ]


def _as_claimed(connection: Connection, slate: Row[Any], as_of: datetime | None) -> str:
    """Return the primary endpoint by the stated date, in words.

    It needs a connection of its own, since a connection fixes the dates and the computed views.
    """
    primary = plans.of_slate(slate).plan.primary
    with connection.engine.connect() as believing:
        if as_of is not None:
            set_as_of(believing, as_of)
        use_stated_dates(believing)
        with scope.of_slates(believing, slate):
            row = enrichment.read(believing, slate.slate_id, primary)
    kind = "novel " if primary.population == "novel" else ""
    among = "" if primary.tier == "all" else f" of the {primary.tier} tier"
    times = enrichment.times(row, " as often as equally popular drugs")
    return (
        f"By the stated date, {row['n_hits']:,} of "
        f"{count(row['n_predictions'], f'{kind}prediction')}{among} came true"
        f"{times and f', {times}'}"
    )
