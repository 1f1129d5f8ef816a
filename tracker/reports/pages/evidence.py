"""Draws the evidence behind a slate: its stages, what the sources see, when hits came."""

from collections.abc import Sequence

from tracker.reports.pages.figures import Curves, Estimate, Point, Scale
from tracker.reports.pages.sections import Drawing, dots
from tracker.reports.records import Section, records
from tracker.reports.words import EVENTS, SOURCES, count
from tracker.rows import Rows

# The stages of the view evidence_flow that count pairs, in the order of the chart's rows.
_STAGES = {
    "matched": "scored, with an outcome",
    "predicted": "predicted",
    "prospective": "prospective",
    "hit": "hit by the horizon",
}
_DAYS_PER_MONTH = 365.25 / 12
# The number of first events that a chart's words name; the table has all.
_MOST_IN_WORDS = 10
_TIMELINE = ("first_event_date", "drug_name", "disease_name", "rank", "outcome_type")


def flow(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw how many pairs remain at each stage; the earlier stages count records, and no pairs."""
    stages = {one["stage"]: one for one in records(sections, "evidence_flow")}
    if not stages or not stages["matched"]["n_items"]:
        return None
    n_released = stages["released"]["n_items"]
    source = f"{count(n_released, 'record')}, " if n_released else "From files: "
    n_matched, n_hits = stages["matched"]["n_pairs"], stages["hit"]["n_pairs"]
    predicted = stages["predicted"]
    n_announced, n_late = predicted["n_announced_studies"], predicted["n_late_studies"]
    starts = (
        f" Of predicted pairs, {count(n_announced, 'study', 'studies')} announced by the freeze "
        f"started after it, and {n_late:,} that started by the freeze became public after it."
    )
    return dots(
        f"{source}{count(stages['matched']['n_items'], 'event')}, "
        f"{count(n_matched, 'scored pair')}, {count(n_hits, 'hit')}."
        f"{starts if n_announced or n_late else ''}",
        [
            Estimate(words, "pairs", stages[name]["n_pairs"], note=f"{stages[name]['n_pairs']:,}")
            for name, words in _STAGES.items()
        ],
        Scale("pairs", ",d", 0),
    )


def coverage(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw the shares of the drugs and of the diseases that each source can see."""
    rows = records(sections, "coverage")
    kinds = dict.fromkeys((one["source"], one["entity_kind"]) for one in rows)
    estimates = []
    for source, kind in kinds:
        of_kind = [one for one in rows if (one["source"], one["entity_kind"]) == (source, kind)]
        n_entities = sum(one["n_entities"] for one in of_kind)
        n_seen = sum(one["n_entities"] for one in of_kind if one["strength"])
        estimates.append(
            Estimate(
                f"{kind}s in {SOURCES.get(source, source)}",
                "seen",
                n_seen / n_entities,
                note=f"{n_seen:,} of {n_entities:,}",
            )
        )
    if not estimates:
        return None
    least = min(estimates, key=lambda one: one.value)
    return dots(
        "Every source sees every drug and disease."
        if least.value == 1
        else f"Fewest are seen of the {least.row}: {least.note}.",
        estimates,
        Scale("share seen", ".0%", 0, 1),
    )


def timeline(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw the time of each prediction's first event against its predicted rank."""
    events = [
        one
        for one in records(sections, "time_to_event", timing="prospective")
        if one["outcome_type"] in EVENTS
    ]
    if not events:
        return None
    events.sort(key=lambda one: (one["first_event_date"], one["rank"], one["disease_name"]))
    points = [
        Point(
            EVENTS[one["outcome_type"]],
            # Months since the event can be prospective, as in the other charts.
            one["days_from_counted"] / _DAYS_PER_MONTH,
            one["rank"],
        )
        for one in events
    ]
    first, last = events[0], events[-1]
    return Drawing(
        f"{count(len(events), 'prediction')} had a first event after the freeze, from "
        f"{first['first_event_date']} to {last['first_event_date']}."
        if len(events) > 1
        else f"One prediction had a first event after the freeze, on {first['first_event_date']}.",
        Curves(
            tuple(points),
            Scale("months since the freeze", ",.2~f", 0),
            Scale("rank within the disease", ",d", 0, is_falling=True),
            has_lines=False,
        ),
        [
            f"{one['first_event_date']}: {one['drug_name']} for {one['disease_name']}, "
            f"rank {one['rank']:,}"
            for one in events[:_MOST_IN_WORDS]
        ],
        rows=Rows(list(_TIMELINE), [tuple(one[name] for name in _TIMELINE) for one in events]),
    )
