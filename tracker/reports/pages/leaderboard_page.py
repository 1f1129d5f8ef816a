"""The page of the leaderboard: which model finds most beyond popularity, and how sure that is."""

from collections.abc import Sequence

from tracker.reports.kinds import Report
from tracker.reports.leaderboard import PAIRS, VIEW, limits, name
from tracker.reports.pages import sections, standings
from tracker.reports.pages.page import Check, Page, Verdict
from tracker.reports.pages.sections import Drawing, PageSection
from tracker.reports.records import Record, Section, records
from tracker.reports.words import count, joined


def build(report: Report) -> Page:
    """Return the page of the leaderboard of models."""
    panels = sections.panels(SECTIONS, report.sections)
    ranked = records(report.sections, VIEW)
    facts = {name: value for name, value in report.facts.items() if name != "verdicts"}
    option = " --include-replays" if facts.pop("include_replays") else ""
    return Page(
        kicker="Leaderboard",
        title="Models over all their slates",
        subtitle=f"{count(facts['models'], 'model')}, {count(facts['slates'], 'frozen slate')}",
        question="Which model finds most beyond popularity?",
        verdict=_verdict(report.facts["verdicts"], ranked, records(report.sections, PAIRS)),
        key_figures=[
            standings.key_figure(f"rank {one['rank']}: {name(one)}", one)
            for one in ranked[:3]
            if one["rank"] is not None
        ],
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
    sentences: Sequence[str], ranked: Sequence[Record], pairs: Sequence[Record]
) -> Verdict | None:
    first = [name(one) for one in ranked if one["rank"] == 1]
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
    leader = next(one for one in ranked if one["rank"] == 1)
    compared = {one["versus_model_version"] for one in pairs if one["model_version"] == first[0]}
    others = [
        f"{limits(one)} of {name(one)}"
        for one in ranked
        if name(one) in compared and one["enrichment"] is not None
    ]
    certainty = f"{limits(leader)} against {joined(others)}." if others else ""
    return Verdict(f"{first[0]} ranks first", sentences[0], certainty)


def _standings(found: Sequence[Section]) -> Drawing | None:
    return standings.drawing(
        "Above 1 a model found more than equally popular drugs would have.",
        records(found, VIEW),
        name,
        lambda _: "enrichment",
        lambda one: "no rank" if one["rank"] is None else f"rank {one['rank']}",
    )


def _pairs(found: Sequence[Section]) -> Drawing | None:
    return standings.pairs(records(found, PAIRS), "model", "model_version")


SECTIONS = (
    PageSection(
        VIEW,
        "Models by rank",
        "The enrichment over equally popular drugs, over the strata of all slates of a model but "
        "those that are their own baseline. Lines are 95% intervals by drug and disease, with the "
        "variation between slates. Models that cannot be told apart share a rank.",
        _standings,
    ),
    PageSection(
        PAIRS,
        "Pairs of models",
        "How many times as enriched the first model of a pair is. What their slates share, drugs, "
        "diseases and hits, is taken into account.",
        _pairs,
    ),
)
