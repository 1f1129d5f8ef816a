"""Lists the slates of a store, each with its plan's verdict and the reason."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from tracker import slates
from tracker.figures import MATCHED
from tracker.progress import Progress, silent
from tracker.reports import assessment, enrichment
from tracker.reports.kinds import Report
from tracker.reports.records import records
from tracker.reports.uncertainty import Uncertainty
from tracker.reports.words import count, ratio, undated_hits, with_limits
from tracker.rows import Rows, WithInterval, markdown_cell, render, shown
from tracker.slates import plans
from tracker.slates.criteria import Criterion
from tracker.store.state import scope
from tracker.uncertainty import estimates

_COLUMNS = [
    "slate_id",
    "description",
    "model_version",
    "frozen_on",
    "verdict",
    "primary_endpoint",
    "tier",
    "evidence_window",
    "population",
    "value",
    "low",
    "high",
    "why",
]
_TERMINAL_WIDTH = 80
# Whose hits an enrichment's expected hits are.
_COMPARED_WITH = {
    MATCHED: "of equally popular drugs",
    "enrichment_vs_random": "of the slate as a whole",
}


def read(
    connection: Connection, as_of: datetime | None = None, progress: Progress = silent
) -> Rows:
    """Return a row per slate in the order of recording: verdict, primary endpoint, why.

    The connection must have been opened with `as_of`; slates frozen later are left out.
    """
    values = []
    for slate in slates.all_slates(connection):
        if as_of is not None and slate.created_at > as_of:
            continue
        progress(f"assessing slate {str(slate.slate_id)[:8]}")
        with scope.of_slates(connection, slate):
            values.append(_row(connection, slate, as_of))
    return Rows(_COLUMNS, values)


def render_overview(rows: Rows, form: str) -> str:
    """Return the overview in a format of tracker.rows, with reasons as a list for readers."""
    if form in ("csv", "json"):
        return render(rows, form)
    listed = rows.records()
    endpoints = sorted({one["primary_endpoint"] for one in listed})
    # Only what fits a terminal; the reasons follow below.
    endpoint = endpoints[0] if len(endpoints) == 1 else "primary_endpoint"
    table = Rows(
        ["slate", "model", "verdict", f"{endpoint} (95%)"],
        [
            (
                one["slate_id"][:8],
                one["model_version"],
                one["verdict"],
                WithInterval(with_limits(one["value"], one["low"], one["high"], of=ratio)),
            )
            for one in listed
        ],
    )
    lines = [(one["slate_id"][:8], one["why"]) for one in listed]
    if form == "markdown":
        told = [f"- {slate}: {markdown_cell(why)}" for slate, why in lines]
    else:
        told = [
            textwrap.fill(f"{slate}: {shown(why)}", _TERMINAL_WIDTH, subsequent_indent="  ")
            for slate, why in lines
        ]
    return "\n".join([render(table, form), *told, ""])


@dataclass(frozen=True)
class Judged:
    """The plan's verdict on a slate: its facts, the reason in a sentence, the full assessment."""

    facts: Mapping[str, Any]
    sentence: str
    reasons: Sequence[str]
    endpoint: tuple[float | None, float | None, float | None]


def judged(connection: Connection, slate: Row[Any], as_of: datetime | None = None) -> Judged:
    """Return the verdict on a slate, with its primary endpoint's value, low and high.

    Inside `scope.of_slates`.
    """
    found = Uncertainty.of(connection, slate)
    assessed = assessment.assess(connection, slate, as_of, found)
    primary = plans.of_slate(slate).plan.primary
    key = primary.figure
    figure = found.figures.get(key)
    hits = found.figures.get(("n_hits", *key[1:]))
    interval = next(
        (one for one in found.estimates if not one.row_key and estimates.figure_key(one) == key),
        None,
    )
    return Judged(
        assessed.facts,
        _why(assessed, primary, hits, _expected(connection, slate, primary, figure, hits)),
        assessed.warnings,
        (
            figure.value if figure else None,
            getattr(interval, "low", None),
            getattr(interval, "high", None),
        ),
    )


def _row(connection: Connection, slate: Row[Any], as_of: datetime | None) -> tuple[Any, ...]:
    found = judged(connection, slate, as_of)
    primary = plans.of_slate(slate).plan.primary
    return (
        str(slate.slate_id),
        slate.description,
        slate.model_version,
        slate.frozen_on,
        found.facts["overall"],
        primary.metric,
        primary.tier,
        primary.evidence_window,
        primary.population,
        *found.endpoint,
        found.sentence,
    )


def _expected(
    connection: Connection,
    slate: Row[Any],
    primary: Criterion,
    figure: Row[Any] | None,
    hits: Row[Any] | None,
) -> float | None:
    """Return the expected hits behind a figure, even of its own baseline; None without any."""
    if primary.metric != MATCHED:
        return hits.value / figure.value if hits and figure and figure.value else None
    found = enrichment.read(connection, slate.slate_id, primary).get("expected_hits")
    return float(found) if found and hits and hits.value else None


def _why(
    assessed: Report, primary: Criterion, hits: Row[Any] | None, expected: float | None
) -> str:
    """Return one sentence: what the verdict rests on or waits for."""
    overall = assessment.word(assessed.facts)
    # The verdict already names a replay, so leave out that warning.
    told = [one for one in assessed.warnings if not one.startswith("Replay: ")]
    if overall == assessment.TOO_EARLY or expected is None or hits is None:
        return told[0] if told else "Every success criterion is met, and no failure criterion."
    tier = "" if primary.tier == "all" else f" of the {primary.tier} tier"
    kind = "novel " if primary.population == "novel" else ""
    compared = _COMPARED_WITH.get(primary.metric, "of drugs as popular")
    sentence = (
        f"{int(hits.value):,} of {count(hits.n, f'{kind}prediction')}{tier} came true, where "
        f"{expected:,.1f} were expected {compared}"
    )
    if n_undated := assessed.facts["n_undated_hits"]:
        sentence += f"; {undated_hits(n_undated)}"
    state = {assessment.DOES_NOT_WORK: assessment.MET, assessment.EXPLAINED: assessment.EXPLAINED}
    deciding = records(assessed.sections, "assessment", state=state.get(overall))
    if overall == assessment.DOES_NOT_WORK:
        met = [row["criterion"] for row in deciding if row["role"] == "failure"]
        sentence += f"; it fails by {' and '.join(met)}"
    elif overall == assessment.EXPLAINED:
        sentence += f"; {deciding[0]['reason']}"
    told_first = f" {told[0]}" if overall == assessment.INCONCLUSIVE else ""
    return f"{assessment.caveats(assessed.facts)}{sentence}.{told_first}"
