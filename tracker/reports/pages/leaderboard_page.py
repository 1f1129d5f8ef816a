"""The page of the leaderboard: which model finds most beyond popularity, and how sure that is."""

from collections.abc import Sequence

from tracker.reports.kinds import Report
from tracker.reports.leaderboard import PAIRS, VIEW
from tracker.reports.pages import sections
from tracker.reports.pages.figures import Estimate, Mark, Scale
from tracker.reports.pages.page import Check, KeyFigure, Page, Verdict
from tracker.reports.pages.sections import Drawing, PageSection, dots, of_pairs
from tracker.reports.records import Record, Section, records
from tracker.reports.words import between, count, joined, ratio, with_limits


def build(report: Report) -> Page:
    """Return the page of the leaderboard of models."""
    panels = sections.panels(SECTIONS, report.sections)
    standings = records(report.sections, VIEW)
    facts = {name: value for name, value in report.facts.items() if name != "verdicts"}
    option = " --include-replays" if facts.pop("include_replays") else ""
    return Page(
        kicker="Leaderboard",
        title="Models over all their slates",
        subtitle=f"{count(facts['models'], 'model')}, {count(facts['slates'], 'frozen slate')}",
        question="Which model finds most beyond popularity?",
        verdict=_verdict(report.facts["verdicts"], standings, records(report.sections, PAIRS)),
        key_figures=[_key_figure(one) for one in standings[:3] if one["rank"] is not None],
        shows=report.facts["verdicts"],
        limits=[
            "A hit is clinical activity. It does not prove that the drug works.",
            *report.warnings,
        ],
        panels=panels,
        tables=sections.tables(report.sections, panels),
        facts=[
            (name.replace("_", " "), str(value))
            for name, value in facts.items()
            if value is not None
        ],
        checks=[
            Check("Every figure again, from the store.", f"tracker leaderboard{option}"),
            Check("A figure's definition.", f"tracker view {VIEW}"),
        ],
    )


def _verdict(
    sentences: Sequence[str], standings: Sequence[Record], pairs: Sequence[Record]
) -> Verdict | None:
    first = [name(one) for one in standings if one["rank"] == 1]
    if not sentences:
        return None
    if not first:
        return Verdict("Not known yet", sentences[0], "")
    if len(first) > 1:
        told = (
            f"{first[0]} leads, but cannot be told apart from "
            f"{count(len(first) - 1, 'other model')}"
        )
        return Verdict(told, sentences[0], "Models that cannot be told apart share a rank.")
    leader = next(one for one in standings if one["rank"] == 1)
    compared = {one["versus_model_version"] for one in pairs if one["model_version"] == first[0]}
    others = [
        f"{_enrichment(one)} of {name(one)}"
        for one in standings
        if name(one) in compared and one["enrichment"] is not None
    ]
    certainty = f"{_enrichment(leader)} against {joined(others)}." if others else ""
    return Verdict(f"{first[0]} ranks first", sentences[0], certainty)


def name(one: Record) -> str:
    """Return the model of a row of the views of models, marked where the row is of replays."""
    return f"{one['model_version']} (replay)" if one["is_replay"] else str(one["model_version"])


def _enrichment(one: Record) -> str:
    """Return a model's enrichment with its interval, without words: 2.81 (2.06 to 3.82)."""
    return with_limits(one["enrichment"], one["enrichment_low"], one["enrichment_high"], of=ratio)


def _key_figure(one: Record) -> KeyFigure:
    interval = between(one["enrichment_low"], one["enrichment_high"], of=ratio)
    return KeyFigure(
        f"rank {one['rank']}: {name(one)}",
        f"{ratio(one['enrichment'])} times",
        interval,
        one["enrichment"],
        one["enrichment_low"],
        one["enrichment_high"],
    )


def _standings(found: Sequence[Section]) -> Drawing | None:
    rows = [one for one in records(found, VIEW) if one["enrichment"] is not None]
    if not rows:
        return None
    return dots(
        "Above 1 a model found more than equally popular drugs would have.",
        [
            Estimate(
                name(one),
                "enrichment",
                one["enrichment"],
                one["enrichment_low"],
                one["enrichment_high"],
                "no rank" if one["rank"] is None else f"rank {one['rank']}",
            )
            for one in rows
        ],
        Scale("enrichment (times equally popular drugs)", ",.2~f", is_ratio=True),
        Mark(1.0, "equal"),
    )


def _pairs(found: Sequence[Section]) -> Drawing | None:
    rows = [one for one in records(found, PAIRS) if one["enrichment_ratio"] is not None]
    if not rows:
        return None
    return of_pairs("model", "model_version", rows)


SECTIONS = (
    PageSection(
        VIEW,
        "Models by rank",
        "The enrichment over equally popular drugs, over the strata of all slates of a model but "
        "those that are their own baseline. Lines are 95% intervals by drug and disease, with the "
        "variation between slates. Models that cannot be told apart share a rank.",
        _standings,
        "Dots around a line at 1, one row per model.",
    ),
    PageSection(
        PAIRS,
        "Pairs of models",
        "How many times as enriched the first model of a pair is. What their slates share, drugs, "
        "diseases and hits, is taken into account.",
        _pairs,
        "Dots around a line at 1, one row per pair of models.",
    ),
)
