"""The page of a comparison of slates: which predicts better, how sure, on which diseases."""

from collections.abc import Sequence

from tracker.reports.kinds import Report
from tracker.reports.pages import sections
from tracker.reports.pages.comparison_sections import SECTIONS, better, names
from tracker.reports.pages.page import Check, KeyFigure, Page, Verdict
from tracker.reports.records import Record, records
from tracker.reports.words import between, count, joined, limit, percent, ratio


def build(report: Report) -> Page:
    """Return the page of a comparison of two slates or more."""
    facts = report.facts
    compared = records(report.sections, "comparison")
    panels = sections.panels(SECTIONS, report.sections)
    slates = facts["comparison_id"].split(", ")
    return Page(
        kicker="Comparison",
        title=f"{joined(facts['models'])} compared",
        subtitle=f"Slates {facts['comparison_id']}. {report.lead}",
        question="Which predicts better?",
        verdict=_verdict(facts["verdicts"], compared),
        key_figures=_key_figures(compared[0]) if len(compared) == 1 else [],
        shows=facts["verdicts"]
        if len(compared) > 1
        else [
            "How many of equally many predictions of each slate came true, and what equally "
            "popular drugs would have led to expect."
        ],
        limits=report.warnings,
        panels=panels,
        tables=sections.tables(report.sections, panels),
        facts=[
            (name.replace("_", " "), str(facts[name]))
            for name in ("population", "tier", "as_of")
            if facts[name]
        ],
        checks=[
            Check(
                "Every figure again, from the store.",
                f"tracker compare {' '.join(slates)} --population {facts['population']} "
                f"--tier {facts['tier']}" + (" --include-replays" if facts["has_replays"] else ""),
            ),
            Check("A figure's definition.", "tracker view comparison"),
        ],
    )


def _verdict(sentences: Sequence[str], compared: Sequence[Record]) -> Verdict:
    if len(compared) > 1:
        n_told = sum(better(one) is not None for one in compared)
        word = f"{n_told} of {len(compared)} pairs differ"
        return Verdict(word, sentences[0], "p values are adjusted over the pairs of slates.")
    one = compared[0]
    winner = better(one)
    word = "no difference can be shown" if winner is None else f"{winner} is better"
    interval = between(one["low_enrichment_ratio"], one["high_enrichment_ratio"], of=limit)
    basis = f"It rests on {count(one['n_diseases'], 'common disease')}"
    certainty = f"{basis}; ratio of enrichments: {interval}." if interval else f"{basis}."
    return Verdict(word, sentences[0], certainty)


def _key_figures(one: Record) -> list[KeyFigure]:
    slates = names(one)
    figures = [
        KeyFigure(
            f"hits of {name}", f"{hits:,}", f"of {one['n_predictions']:,}: {percent(rate)}", hits
        )
        for name, hits, rate in zip(
            slates,
            (one["n_hits"], one["n_versus_hits"]),
            (one["hit_rate"], one["versus_hit_rate"]),
            strict=True,
        )
        if rate is not None
    ]
    for name, value in zip(slates, (one["enrichment"], one["versus_enrichment"]), strict=True):
        if value is not None:
            figures.append(
                KeyFigure(
                    f"enrichment of {name}", ratio(value), "against equally popular drugs", value
                )
            )
    return figures
