"""An Atom feed of the latest outcomes."""

import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection

from tracker.extras.site.files import Files
from tracker.extras.site.layout import entity_path, slate_path
from tracker.reports import words
from tracker.reports.pages import html
from tracker.store import statements

_MOST_ENTRIES = 100


@dataclass(frozen=True)
class FeedItem:
    """An outcome as an entry of the feed; texts are fit for XML."""

    identifier: str
    title: str
    summary: str
    updated: str
    slate: str
    disease: str


def write(connection: Connection, files: Files, as_of: datetime, first: uuid.UUID | None) -> None:
    """Write feed.xml: the latest outcomes of predicted pairs, newest first.

    `first`, the store's first slate, identifies the feed wherever it is published.
    """
    entries = [
        _entry(row) for row in statements.run(connection, "feed_outcome", {"most": _MOST_ENTRIES})
    ]
    feed = (
        html.environment()
        .get_template("feed.xml.j2")
        .render(
            identifier=uuid.uuid5(first or uuid.NAMESPACE_OID, "feed").urn,
            updated=_instant(as_of),
            entries=entries,
        )
    )
    files.write("feed.xml", feed.lstrip())


def _entry(row: Any) -> FeedItem:
    what = row.outcome_type.replace("_", " ")
    names = (row.drug_name, row.disease_name)
    drug, disease = (words.short(words.printable(name)) for name in names)
    on = f"dated {row.event_date}" if row.event_date else "without a date"
    source = f"{row.source} {row.record}" if row.record else row.source
    slate = f"Slate {str(row.slate_id)[:8]}{' (a replay)' if row.is_replay else ''}"
    recorded = f"{row.outcome_origin} {_day(row.recorded_at)}"
    if row.claimed_observed_at:
        recorded += f", claimed as observed {_day(row.claimed_observed_at)}"
    return FeedItem(
        uuid.uuid5(row.slate_id, f"outcome {row.outcome_id}").urn,
        _fit(f"{what}: {drug} for {disease} ({row.timing})"),
        _fit(f"{slate}: {what}, {on}, {row.timing}, from {source}; {recorded}."),
        _instant(row.recorded_at),
        slate_path(row.slate_id),
        entity_path("disease", row.disease_id),
    )


def _day(value: datetime) -> date:
    return value.astimezone(UTC).date()


def _instant(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _fit(content: str) -> str:
    """Return a text without characters that XML cannot represent even escaped."""
    return words.prose(content).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
