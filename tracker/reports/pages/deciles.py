"""Draws hit rates by decile of the drug's breadth and of the score."""

from collections.abc import Sequence

from tracker.reports.pages.figures import Columns, Curves, Mark, Point, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing
from tracker.reports.records import Section, first, only, records, rows_of
from tracker.reports.words import count, percent

_SHARE = ".0%"


def by_breadth(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw the hit rate by breadth of the drug, of predictions and of every candidate."""
    deciles = records(sections, "breadth_decile_hit_rate", **lead.keys)
    expected = tuple(
        Point("every candidate", one["breadth_decile"], one["baseline_hit_rate"])
        for one in deciles
        if one["baseline_hit_rate"] is not None
    )
    seen = [one for one in deciles if one["hit_rate"] is not None]
    if not expected or not seen:
        return None
    better = [one for one in seen if one["hit_rate"] > (one["baseline_hit_rate"] or 0)]
    return Drawing(
        f"The slate does better than its candidates in {len(better)} of "
        f"{count(len(seen), 'breadth decile')}.",
        Columns(
            expected,
            tuple(
                Point(
                    "the slate's predictions",
                    one["breadth_decile"],
                    one["hit_rate"],
                    one.get("low"),
                    one.get("high"),
                )
                for one in seen
            ),
            Scale("breadth decile of the drug (10: known for most diseases)"),
            Scale("hit rate (share of pairs)", _SHARE, 0),
        ),
        [
            f"decile {one['breadth_decile']}: {percent(one['hit_rate'])} against "
            f"{percent(one['baseline_hit_rate'])}"
            for one in seen
        ],
        rows=only(rows_of(sections, "breadth_decile_hit_rate"), **lead.keys),
    )


def by_score(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw the hit rate by score, beside that of the whole slate."""
    deciles = records(sections, "score_decile_hit_rate", **lead.keys)
    if not deciles:
        return None
    points = [
        Point("hit rate", one["mean_score"], one["hit_rate"], one["low"], one["high"])
        for one in deciles
    ]
    total = first(sections, "tier_hit_rate", tier="all", **lead.keys)
    gap = first(sections, "score_calibration", tier="all", **lead.keys)
    finding = (
        f"Of the highest-scored tenth {percent(deciles[-1]['hit_rate'])} came true"
        f"{lead.after_the_freeze}, of the lowest-scored tenth {percent(deciles[0]['hit_rate'])}."
    )
    if gap.get("score_gap") is not None:
        finding += (
            f" Hits scored {gap['mean_score_hits']:.3f} on average, the others "
            f"{gap['mean_score_misses']:.3f}."
        )
    return Drawing(
        finding,
        Curves(
            tuple(points),
            Scale("mean score of the group (model's units)"),
            Scale("hit rate (share of predictions)", _SHARE, 0),
            level=Mark(total["hit_rate"], f"whole slate {percent(total['hit_rate'])}"),
        ),
        [f"score {one.x:.3f}: {percent(one.y)}" for one in points],
        rows=only(rows_of(sections, "score_decile_hit_rate"), **lead.keys),
    )
