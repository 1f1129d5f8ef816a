"""Explains which of a slate's figures changed since a date, and by what new evidence."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker.errors import InputRefused
from tracker.figures import METRICS
from tracker.reports.dates import require_frozen
from tracker.reports.kinds import Report
from tracker.reports.records import Section
from tracker.rows import Rows, rows_from
from tracker.store import (
    catalog,
    set_as_of,
    statements,
)
from tracker.store.state import scope

# The views whose figures are compared, row by row of their grain.
_COMPARED = (
    *dict.fromkeys(one.view for one in METRICS.values() if len(one.dimensions) == 3),
    "median_time_to_event",
)
_CARDS = text(
    "select * exclude (observed_at) from outcome_card "
    "where slate_id = :slate_id and recorded_at > :since order by outcome_id"
)
_CORRECTIONS = text(
    "select drug.name as drug_name, event_correction.record, event_correction.event_date, "
    "event_correction.submission_kind, event_correction.corrected_at "
    "from event_correction inner join drug using (drug_id) "
    "where corrected_at > :since and corrected_at <= (select as_of from report_instant) "
    "and drug_id in "
    "(select drug_id from prediction where slate_id = :slate_id) "
    "order by event_date, drug_name, record, event_id"
)
_ANNULLED = text(
    "select * exclude (slate_id) from annulled_outcome where slate_id = :slate_id "
    "and annulled_at > :since order by outcome_id"
)

_UNITS = "as in the views named"

_Figures = dict[tuple[Any, ...], Any]


def explain(
    connection: Connection, slate: Row[Any], since: datetime, as_of: datetime | None = None
) -> Report:
    """Collect what changed in the slate's figures from `since` to `as_of` or now, and why.

    The sections are the changed figures, then and now, and the outcomes with their evidence, the
    annulments, corrections and releases recorded since. Raises InputRefused if the slate did not
    exist at `since` or `since` is not before `as_of`.
    """
    require_frozen(slate, since, "--explain")
    if as_of is not None and as_of <= since:
        raise InputRefused("--explain must name a day before --as-of")
    then, now = (_figures(connection, slate, moment) for moment in (since, as_of))
    changed = [
        (*key, then.get(key), now.get(key))
        for key in sorted(then.keys() | now.keys(), key=repr)
        if then.get(key) != now.get(key)
    ]
    columns = ["view", "evidence_window", "population", "tier", "figure", "then", "now"]
    values = {"slate_id": str(slate.slate_id), "since": since}
    facts = {
        "slate_id": str(slate.slate_id),
        "description": slate.description,
        "since": since.isoformat(),
        "as_of": as_of.isoformat() if as_of else None,
    }
    return Report(
        facts,
        [] if changed else ["No figure has changed since then."],
        [
            Section(
                "changed_figure",
                "Figures that changed",
                "each figure of the slate that differs between the two moments",
                _UNITS,
                Rows(columns, changed),
            ),
            Section(
                "outcome_card",
                "Outcomes since",
                "outcomes recorded between the two moments, with their evidence",
                _UNITS,
                rows_from(connection.execute(_CARDS, values)),
            ),
            Section(
                "annulled_outcome",
                "Outcomes annulled since",
                "outcomes from files that were taken back between the two moments",
                _UNITS,
                rows_from(connection.execute(_ANNULLED, values)),
            ),
            Section(
                "event_correction",
                "Approvals corrected since",
                "actions of the FDA on predicted drugs that were recorded as approvals and are "
                "none of a new molecular entity or a new use",
                _UNITS,
                rows_from(connection.execute(_CORRECTIONS, values)),
            ),
            Section(
                "release",
                "Releases ingested since",
                "releases of evidence ingested between the two moments",
                _UNITS,
                rows_from(statements.run(connection, "release_since", values)),
            ),
        ],
    )


def _figures(connection: Connection, slate: Row[Any], as_of: datetime | None) -> _Figures:
    """Return the figures of the compared views by view, window, population, tier and name."""
    set_as_of(connection, as_of)
    with scope.of_slates(connection, slate):
        return _computed(connection, slate)


def _computed(connection: Connection, slate: Row[Any]) -> _Figures:
    found: _Figures = {}
    for name in _COMPARED:
        statement = sa.select(sa.text("*")).select_from(sa.table(name))
        statement = statement.where(sa.column("slate_id", sa.Uuid) == slate.slate_id)
        for record in connection.execute(statement).mappings():
            key = (name, record.get("evidence_window"), record.get("population"), record["tier"])
            for figure, value in record.items():
                if figure not in (*catalog.find(name).grain, "list_number", "reason"):
                    found[(*key, figure)] = value
    return found
