"""The page of a comparison of slates: which predicts better, how sure, on which diseases."""

from collections.abc import Sequence
from dataclasses import replace

from tracker.pages import sections
from tracker.pages.figures import Estimate, Mark, Scale
from tracker.pages.page import Check, KeyFigure, Page, Verdict
from tracker.pages.sections import Drawing, Entry, dots
from tracker.report.build import Report
from tracker.report.comparison import listed_kind
from tracker.report.records import Record, Section, records
from tracker.report.words import between, count, limit, percent, ratio

# A chart of more diseases is one that nobody reads; the table has all.
_DRAWN_DISEASES = 15


def build(report: Report) -> Page:
    """Return the page of a comparison of two slates or more."""
    facts = report.facts
    compared = records(report.sections, "comparison")
    panels = sections.panels(SECTIONS, report.sections)
    slates = facts["comparison_id"].split(", ")
    return Page(
        kicker="Comparison",
        title=f"Slates {facts['comparison_id']}",
        subtitle=f"Compared are {listed_kind(facts)}, over common diseases and a common window.",
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
                f"--tier {facts['tier']}",
            ),
            Check("A figure's definition.", "tracker views comparison"),
        ],
    )


def _verdict(sentences: Sequence[str], compared: Sequence[Record]) -> Verdict:
    if len(compared) > 1:
        n_told = sum(_better(one) is not None for one in compared)
        word = f"{n_told} of {len(compared)} pairs differ"
        return Verdict(word, sentences[0], "p values are adjusted over the pairs of slates.")
    one = compared[0]
    better = _better(one)
    word = "no difference can be told" if better is None else f"{better} is better"
    interval = between(one["low_enrichment_ratio"], one["high_enrichment_ratio"], of=limit)
    basis = f"It rests on {count(one['n_diseases'], 'common disease')}"
    certainty = f"{basis}; ratio of enrichments: {interval}." if interval else f"{basis}."
    return Verdict(word, sentences[0], certainty)


def _better(one: Record) -> str | None:
    """Return the slate of the pair that predicts better than its drugs' popularity explains."""
    p, value = one["p_adjusted_enrichment_ratio"], one["enrichment_ratio"]
    if p is None or value is None or p >= 0.05:
        return None
    return str(one["slate_id"] if value > 1 else one["versus_slate_id"])[:8]


def _key_figures(one: Record) -> list[KeyFigure]:
    names = (str(one["slate_id"])[:8], str(one["versus_slate_id"])[:8])
    figures = [
        KeyFigure(f"hits of {name}", f"{hits:,}", f"of {one['n_predictions']:,}: {percent(rate)}")
        for name, hits, rate in zip(
            names,
            (one["n_hits"], one["n_versus_hits"]),
            (one["hit_rate"], one["versus_hit_rate"]),
            strict=True,
        )
        if rate is not None
    ]
    for name, value in zip(names, (one["enrichment"], one["versus_enrichment"]), strict=True):
        if value is not None:
            figures.append(
                KeyFigure(f"enrichment of {name}", ratio(value), "against equally popular drugs")
            )
    return figures


def _ratios(found: Sequence[Section]) -> Drawing | None:
    rows = [row for row in records(found, "comparison") if row["enrichment_ratio"]]
    if not rows:
        return None
    return dots(
        "Above 1 the first slate of a pair finds more than the second, each against equally "
        "popular drugs.",
        [
            Estimate(
                f"{str(row['slate_id'])[:8]} : {str(row['versus_slate_id'])[:8]}",
                "ratio of enrichments",
                row["enrichment_ratio"],
                row["low_enrichment_ratio"],
                row["high_enrichment_ratio"],
                f"{ratio(row['enrichment_ratio'])} times",
            )
            for row in rows
        ],
        Scale("ratio of enrichments", ",.2~f", is_log=True),
        Mark(1.0, "equal"),
    )


def _diseases(found: Sequence[Section]) -> Drawing | None:
    rows = records(found, "comparison_disease")
    pairs = {(row["slate_id"], row["versus_slate_id"]) for row in rows}
    if len(pairs) != 1:
        return None
    n_better = sum(row["n_hits"] > row["n_versus_hits"] for row in rows)
    n_worse = sum(row["n_hits"] < row["n_versus_hits"] for row in rows)
    drawn = sorted(rows, key=_apart, reverse=True)[:_DRAWN_DISEASES]
    drawing = dots(
        f"The first slate has more hits in {count(n_better, 'disease')}, the second in "
        f"{n_worse:,}.",
        [
            Estimate(
                row["disease_name"],
                str(row[key])[:8],
                row[column],
                note=count(row[column], "hit"),
            )
            for row in drawn
            for key, column in (("slate_id", "n_hits"), ("versus_slate_id", "n_versus_hits"))
        ],
        Scale("hits", ",d", 0),
    )
    left_out = len(rows) - len(drawn)
    if not left_out:
        return drawing
    return replace(drawing, note=f" Drawn are the {len(drawn)} in which the slates differ most.")


def _apart(row: Record) -> int:
    return abs(int(row["n_hits"]) - int(row["n_versus_hits"]))


SECTIONS = (
    Entry(
        "comparison",
        "Which slate finds more than popularity does",
        "Hits over those expected of equally popular drugs, of one slate over the other's. Lines "
        "are 95% intervals, clustered by drug and by disease.",
        _ratios,
        "Dots around a line at 1, one row per pair of slates.",
    ),
    Entry(
        "comparison_disease",
        "By disease",
        "Hits among equally many predictions of each slate.",
        _diseases,
        "Two dots in a row per disease.",
    ),
)
