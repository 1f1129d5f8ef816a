"""The page of a backtest: what rankers would have achieved, and how that varied over the years."""

from collections.abc import Callable, Sequence

from tracker.rankers import BASELINES
from tracker.reports.kinds import Report
from tracker.reports.pages import sections, standings
from tracker.reports.pages.page import Check, KeyFigure, Page, Verdict
from tracker.reports.pages.sections import Drawing, PageSection
from tracker.reports.records import Record, Section, records
from tracker.reports.words import between, count, limit, percent, ratio


def build(report: Report) -> Page:
    """Return the page of a backtest."""
    facts = report.facts
    panels = sections.panels(_SECTIONS, report.sections)
    number = facts["backtest_id"]
    asked = [
        row
        for row in records(report.sections, "backtest_pooled")
        if row["ranker"] not in BASELINES and not row["is_shuffled"]
    ]
    return Page(
        kicker="Backtest",
        title=f"Backtest {number}",
        subtitle=f"Origins {facts['origins']}; a list is {facts['list']}.",
        question="What would these rankers have achieved?",
        verdict=_verdict(facts["verdicts"], asked),
        key_figures=[_key_figure(row) for row in asked[:2]],
        shows=facts["verdicts"],
        limits=[
            "A backtest can be repeated until it pleases. Only a slate frozen before the outcomes "
            "shows what a model can foresee.",
            *report.warnings,
        ],
        panels=panels,
        tables=sections.tables(report.sections, panels),
        facts=[
            (name.replace("_", " "), str(value))
            for name, value in facts.items()
            if name != "verdicts" and value is not None
        ],
        checks=[
            Check("Every figure again, from the store.", f"tracker backtest report {number}"),
            Check("A figure's definition.", "tracker view backtest_pooled"),
        ],
    )


def _verdict(sentences: Sequence[str], asked: Sequence[Record]) -> Verdict | None:
    if not asked or not sentences:
        return None
    best = asked[0]
    if best["enrichment"] is None:
        return Verdict("not known", sentences[0], "")
    interval = between(best["enrichment_low"], best["enrichment_high"], of=limit)
    certainty = f"It rests on {count(best['n_pooled'], 'origin')}"
    return Verdict(
        f"{best['ranker']}: {ratio(best['enrichment'])} times popularity",
        sentences[0],
        f"{certainty}; {interval}." if interval else f"{certainty}.",
    )


def _key_figure(row: Record) -> KeyFigure:
    return KeyFigure(
        f"hit rate of {row['ranker']}, {row['horizon_months']} months",
        percent(row["hit_rate"]),
        f"{row['n_hits']:,} of {row['n_predictions']:,}",
        row["hit_rate"],
    )


def _named(rows: Sequence[Record]) -> Callable[[Record], str]:
    """Return what names a row, by its horizon too where the rows that are drawn have several."""
    has_horizon = len({row["horizon_months"] for row in rows if row["enrichment"] is not None}) > 1

    def name(row: Record) -> str:
        ranker = f"{row['ranker']}, shuffled" if row["is_shuffled"] else str(row["ranker"])
        return f"{ranker}, {row['horizon_months']} months" if has_horizon else ranker

    return name


def _pooled(found: Sequence[Section]) -> Drawing | None:
    rows = records(found, "backtest_pooled")
    return standings.drawing(
        "Above 1 a list found more than equally popular drugs would have.",
        rows,
        _named(rows),
        lambda _: "enrichment",
    )


def _by_origin(found: Sequence[Section]) -> Drawing | None:
    rows = [
        row
        for row in records(found, "backtest_origin")
        if row["ranker"] not in BASELINES and not row["is_shuffled"]
    ]
    return standings.drawing(
        "How the enrichment varied from origin to origin.",
        sorted(rows, key=lambda row: row["origin_on"]),
        lambda row: str(row["origin_on"]),
        _named(rows),
    )


_SECTIONS = (
    PageSection(
        "backtest_pooled",
        "Over all origins",
        "The enrichment over equally popular drugs at all origins that have one, each by what was "
        "expected. Lines are 95% intervals with the variation between origins. With shuffled "
        "labels a ranker has nothing but popularity to learn, and must be at 1.",
        _pooled,
    ),
    PageSection(
        "backtest_origin",
        "By origin",
        "The same for each origin on its own, without the baselines.",
        _by_origin,
    ),
)
