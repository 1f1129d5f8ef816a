"""A slate beside lists of the same length that need no model: a table for texts, and a chart."""

from collections.abc import Sequence
from dataclasses import replace

from tracker.figures import MATCHED
from tracker.reports import enrichment
from tracker.reports.pages.figures import Estimate, Intervals, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing
from tracker.reports.records import Record, Section, first, records
from tracker.reports.words import or_dash, ratio, tenths
from tracker.rows import Rows

_NAMES = {
    "popularity": "the most popular drugs",
    "nearest neighbours": "drugs of similar diseases",
    "related diseases": "drugs of closely related diseases",
    "degree product": "drugs and diseases with most known pairs",
    "known pairs": "pairs already known",
    "random": "pairs at random",
}
_HITS, _EXPECTED = "hits", "expected of equally popular drugs"


def text_table(section: Section) -> Section:
    """Return the section with a table of at most 80 columns: hits, expected hits, their ratio.

    Notes below name the lists' endpoint, and say why a list has no ratio.
    """
    lists = records([section], section.view)
    if not lists:
        return section
    one = lists[0]
    endpoint = f"{one['evidence_window']} outcomes, {one['population']} pairs, tier {one['tier']}"
    reasons = [f"{row['ranker']}: {row['reason']}" for row in lists if row.get("reason")]
    shown = [
        (
            row["ranker"],
            tenths(row["listed_pairs"]),
            tenths(row["listed_hits"]),
            tenths(row["expected_hits"]),
            or_dash(enrichment.of(row), ratio),
        )
        for row in lists
    ]
    return replace(
        section,
        text_table=Rows(["list", "pairs", "hits", "expected", "times"], shown),
        notes=(endpoint, *reasons),
    )


def drawing(sections: Sequence[Section], _lead: Lead) -> Drawing | None:
    """Draw hits and expected hits of the primary endpoint, and of lists without skill.

    None if there is nothing to compare, as before the first outcome.
    """
    found = records(sections, "leak_alarm")
    lists = [
        one for name in _NAMES for one in found if one["ranker"] == name and one["listed_pairs"]
    ]
    own = _own(sections, lists)
    if not own.get("expected_hits"):
        return None
    value = enrichment.of(own)
    times = "" if value is None else f", {ratio(value)} times"
    estimates = [
        *_pair("the slate", own["n_hits"], own["expected_hits"], times),
        *(
            estimate
            for one in lists
            if one["expected_hits"] is not None
            for estimate in _pair(_NAMES[one["ranker"]], one["listed_hits"], one["expected_hits"])
        ),
    ]
    return Drawing(
        _finding(own, lists),
        Intervals(tuple(estimates), Scale("hits", ",.0f", 0)),
        [f"{one.row}, {one.series}: {one.value:,.1f}" for one in estimates],
    )


def _pair(row: str, hits: float, expected: float, more: str = "") -> list[Estimate]:
    """Return two dots for a list: its hits, and those expected of equally popular drugs."""
    return [
        Estimate(row, _HITS, hits, note=f"{hits_of(hits)}{more}"),
        Estimate(row, _EXPECTED, expected, note=f"{expected:,.1f} expected"),
    ]


def _own(sections: Sequence[Section], lists: Sequence[Record]) -> Record:
    keys = ("evidence_window", "population", "tier")
    if not lists:
        return {}
    return first(sections, MATCHED, **{key: lists[0][key] for key in keys})


def _finding(own: Record, lists: Sequence[Record]) -> str:
    found = (
        f"The slate's {own['n_predictions']:,} predictions of the {own['tier']} tier found "
        f"{hits_of(own['n_hits'])} where {own['expected_hits']:,.1f} were expected of equally "
        "popular drugs"
    )
    popular = next((one for one in lists if one["ranker"] == "popularity"), None)
    if popular is None:
        return f"{found}."
    return (
        f"{found}; an equally long list of the most popular drugs finds "
        f"{hits_of(popular['listed_hits'])}."
    )


def beside(sections: Sequence[Section], lead: Lead, tier: str) -> str:
    """Return the sentence on lists of the most popular drugs and of similar diseases' drugs.

    It follows the sentence on a tier's hits, and counts hits, not enrichment. Empty if the lists
    are of another endpoint.
    """
    of_ranker = {
        name: first(sections, "leak_alarm", ranker=name, tier=tier, **lead.keys)
        for name in ("popularity", "nearest neighbours")
    }
    one, near = of_ranker.values()
    if not one.get("listed_pairs") or one.get("expected_hits") is None:
        return ""
    expected = f"{one['expected_hits']:,.1f}"
    compared = (
        "as popularity predicts"
        if expected == f"{one['listed_hits']:,.1f}"
        else f"where {expected} were expected"
    )
    return (
        " A list as long of the most popular drugs finds "
        f"{hits_of(one['listed_hits'])}, {compared}{_of_neighbours(near)}."
    )


def _of_neighbours(near: Record) -> str:
    """Return the clause on a list of the drugs of similar diseases."""
    if not near.get("listed_pairs"):
        return ""
    value = enrichment.of(near)
    times = "" if value is None else f" ({ratio(value)} times those expected)"
    return f"; one of similar diseases' drugs {hits_of(near['listed_hits'])}{times}"


def hits_of(value: float) -> str:
    """Return a number of hits in words, with decimals where ties share a hit."""
    shown = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    return f"{shown} {'hit' if value == 1 else 'hits'}"
