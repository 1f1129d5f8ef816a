"""The sections of a comparison of slates, on its own page and on that of a slate."""

from collections.abc import Sequence
from dataclasses import replace

from tracker.reports.pages.figures import Estimate, Mark, Scale
from tracker.reports.pages.sections import Drawing, PageSection, dots
from tracker.reports.records import Record, Section, records
from tracker.reports.words import count, ratio
from tracker.uncertainty.estimates.duels import SIGNIFICANT

# Nobody reads a chart of more diseases; the table has all.
_DRAWN_DISEASES = 15


def names(row: Record) -> tuple[str, str]:
    """Return how a page names the slates of a row of `comparison`; a replay is marked."""
    own, other = (
        f"{str(row[key])[:8]} (replay)" if row[flag] else str(row[key])[:8]
        for key, flag in (("slate_id", "is_replay"), ("versus_slate_id", "is_versus_replay"))
    )
    return own, other


def better(row: Record) -> str | None:
    """Return the slate of the pair that predicts better than its drugs' popularity explains."""
    p, value = row["p_adjusted_enrichment_ratio"], row["enrichment_ratio"]
    if p is None or value is None or p >= SIGNIFICANT:
        return None
    return names(row)[0 if value > 1 else 1]


def _ratios(found: Sequence[Section]) -> Drawing | None:
    rows = [row for row in records(found, "comparison") if row["enrichment_ratio"]]
    if not rows:
        return None
    return dots(
        _told(rows),
        [
            Estimate(
                " : ".join(names(row)),
                "ratio of enrichments",
                row["enrichment_ratio"],
                row["low_enrichment_ratio"],
                row["high_enrichment_ratio"],
                f"{ratio(row['enrichment_ratio'])} times",
            )
            for row in rows
        ],
        Scale("ratio of enrichments", ",.2~f", is_ratio=True),
        Mark(1.0, "equal"),
    )


def _told(rows: Sequence[Record]) -> str:
    """Say which slate finds more beyond popularity, or how many of several pairs differ."""
    told = [one for one in map(better, rows) if one is not None]
    if len(rows) > 1:
        return (
            f"Beyond popularity, {len(told):,} of {count(len(rows), 'pair')} of slates can be told "
            "apart."
        )
    if not told:
        return "Beyond popularity, the slates cannot be told apart."
    (row,) = rows
    (found,) = told
    first, second = names(row)
    times = row["enrichment_ratio"]
    other, times = (second, times) if found == first else (first, 1 / times)
    return (
        f"Each against equally popular drugs, {found} finds {ratio(times)} times as much as "
        f"{other}."
    )


def _diseases(found: Sequence[Section]) -> Drawing | None:
    rows = records(found, "comparison_disease")
    pairs = {(row["slate_id"], row["versus_slate_id"]) for row in rows}
    if len(pairs) != 1:
        return None
    own, other = names(records(found, "comparison")[0])
    n_better = sum(row["n_hits"] > row["n_versus_hits"] for row in rows)
    n_worse = sum(row["n_hits"] < row["n_versus_hits"] for row in rows)
    drawn = sorted(rows, key=lambda row: -abs(row["n_hits"] - row["n_versus_hits"]))
    drawn = drawn[:_DRAWN_DISEASES]
    drawing = dots(
        f"The first slate has more hits in {count(n_better, 'disease')}, the second in "
        f"{n_worse:,}.",
        [
            Estimate(
                row["disease_name"],
                name,
                row[column],
                note=count(row[column], "hit"),
            )
            for row in drawn
            for name, column in ((own, "n_hits"), (other, "n_versus_hits"))
        ],
        Scale("hits", ",d", 0),
    )
    left_out = len(rows) - len(drawn)
    if not left_out:
        return drawing
    return replace(drawing, note=f" Drawn are the {len(drawn)} in which the slates differ most.")


SECTIONS = (
    PageSection(
        "comparison",
        "Which slate finds more than popularity does",
        "Hits over those expected of equally popular drugs, of one slate over the other's. Lines "
        "are 95% intervals, clustered by drug and by disease.",
        _ratios,
    ),
    PageSection(
        "comparison_disease",
        "By disease",
        "Hits among equally many predictions of each slate.",
        _diseases,
    ),
)
