"""The panels of a submission's score: its curves, and its metrics by target, cut-off and decile."""

from collections.abc import Callable, Sequence

from tracker.pages.figures import Curves, Estimate, Intervals, Mark, Point, Scale
from tracker.pages.page import Panel
from tracker.report.records import Record, only, records, rows_of
from tracker.report.scoring import Section
from tracker.report.words import joined, label, percent, ratio

Maker = Callable[[Sequence[Section]], Panel | None]

# A curve is drawn with so many points; its table has the first rows, csv all of them.
_MOST_POINTS = 300

# The cut-off that charts by decile are about, where it is among the cut-offs.
USUAL_K = 10


def panels(kind: str, sections: Sequence[Section]) -> list[Panel]:
    """Return the panels of a kind of benchmark for which the score has rows, in reading order."""
    return [panel for make in _PANELS[kind] if (panel := make(sections)) is not None]


def _by_target(view: str, metric: str, heading: str, note: str, scale: Scale) -> Callable[
    [Sequence[Section]], Panel | None
]:  # fmt: skip
    """Return a maker of dots by target, one series for each way of taking the folds together."""

    def make(sections: Sequence[Section]) -> Panel | None:
        whole = [
            one
            for one in records(sections, view)
            if one[metric] is not None and one["fold"] in ("average", "aggregated")
        ]
        if not whole:
            return None
        names = {"average": "mean of the folds", "aggregated": "all items at once"}
        estimates = tuple(
            Estimate(
                one["target"],
                names[one["fold"]],
                one[metric],
                one.get("low"),
                one.get("high"),
                f"{one[metric]:.2f} (n = {one['n']:,})",
            )
            for one in sorted(whole, key=lambda one: (one["target"], one["fold"] != "average"))
        )
        best = max(estimates, key=lambda one: one.value)
        return Panel(
            view,
            heading,
            f"Best for {best.row}: {best.note}.",
            note,
            rows_of(sections, view),
            Intervals(estimates, scale, Mark(0, "no relation") if scale.low else None),
            "Dots, one row per target. "
            + "; ".join(f"{one.row}, {one.series}: {one.note}" for one in estimates)
            + ".",
        )

    return make


def _roc(sections: Sequence[Section]) -> Panel | None:
    points = records(sections, "roc_point")
    areas = [one for one in records(sections, "auroc") if one["auroc"] is not None]
    if not points or not areas:
        return None
    return Panel(
        "roc_point",
        "ROC curve",
        joined([f"{one['target']}: AUROC {ratio(one['auroc'])}" for one in areas]) + ".",
        "Each point is a threshold: how many of the positives lie at or above it, against how "
        "many of the negatives. Chance is the diagonal.",
        rows_of(sections, "roc_point"),
        Curves(
            _thinned(points, lambda one: Point(one["target"], one["fpr"], one["tpr"])),
            Scale("false positive rate (share of negatives)", ".0%", 0, 1),
            Scale("true positive rate (share of positives)", ".0%", 0, 1),
            has_dots=False,
            has_diagonal=True,
        ),
        "A curve per target from no item to all items. "
        + "; ".join(f"{one['target']}: area {ratio(one['auroc'])}" for one in areas)
        + ".",
    )


def _precision_recall(sections: Sequence[Section]) -> Panel | None:
    points = records(sections, "precision_recall_point")
    if not points:
        return None
    areas = [
        (_threshold_name(one), one["average_precision"], one["prevalence"])
        for one in records(sections, "average_precision")
    ] or [
        (f"class {one['k']} and above", one["auprc"], one["prevalence"])
        for one in records(sections, "ordinal_threshold")
    ]
    known = [one for one in areas if one[1] is not None]
    named = [
        f"{name}: {ratio(area)} against {ratio(share)} by chance" for name, area, share in known
    ]
    return Panel(
        "precision_recall_point",
        "Precision and recall",
        f"Average precision: {'; '.join(named)}.",
        "Each point is a threshold: how many of the items at or above it are positive, against how "
        "many of the positives they are. Chance is a level line at the share of positives.",
        rows_of(sections, "precision_recall_point"),
        Curves(
            _thinned(
                [one for one in points if one["precision"] is not None],
                lambda one: Point(_threshold_name(one), one["recall"], one["precision"]),
            ),
            Scale("recall (share of positives)", ".0%", 0, 1),
            Scale("precision (share of items)", ".0%", 0, 1),
            has_dots=False,
        ),
        f"A curve per target or threshold. {'; '.join(named)}.",
    )


def _threshold_name(record: Record) -> str:
    """What a curve is of: a target, or an ordinal threshold."""
    if record["lowest_class"] > 0:
        return f"class {record['min_class']} among class {record['lowest_class']} and above"
    if record["min_class"] > 1 or not record["target"]:
        return f"class {record['min_class']} and above"
    return str(record["target"])


def _first_k(sections: Sequence[Section]) -> Panel | None:
    points = [
        Point(name, one["k"], one[metric])
        for view, metric, name in (
            ("precision_at_k", "precision_at_k", "precision"),
            ("precision_at_k", "nr_at_k", "recall-normalised"),
            ("ndcg_at_k_multilabel", "ndcg_at_k", "NDCG"),
        )
        for one in records(sections, view)
        if one[metric] is not None
    ]
    if not points:
        return None
    return Panel(
        "precision_at_k",
        "How good are the first k labels?",
        "; ".join(f"{one.series} {ratio(one.y)}" for one in points if one.x == USUAL_K)
        + f" at k = {USUAL_K}.",
        "Means over the instances. Precision falls where an instance has fewer true labels than "
        "k; the recall-normalised line divides by what is possible.",
        rows_of(sections, "precision_at_k"),
        Curves(
            tuple(points),
            Scale(
                "first k predictions",
                ",d",
                ticks=tuple(sorted({one.x for one in points})),
                is_log=True,
            ),
            Scale("mean over instances (0 to 1)", ".1f", 0, 1),
        ),
        "Lines over the cut-off k. "
        + "; ".join(f"{one.series}, k = {one.x:g}: {ratio(one.y)}" for one in points)
        + ".",
    )


def _deciles(view: str, metric: str, heading: str, note: str, y: Scale, series: str = "k") -> Maker:
    """Return a maker of lines over the deciles of label frequency, one for each `series` value."""

    def make(sections: Sequence[Section]) -> Panel | None:
        found = [
            one
            for one in records(sections, view)
            if one[metric] is not None and str(one["decile"]).isdigit()
        ]
        if not found:
            return None
        values = sorted({one[series] for one in found})
        if series == "k" and USUAL_K in values:
            values = [USUAL_K]
        points = tuple(
            Point(f"{label(series)} = {value:g}", int(one["decile"]), one[metric])
            for value in values
            for one in sorted(found, key=lambda one: int(one["decile"]))
            if one[series] == value
        )
        lowest, highest = points[0], [one for one in points if one.series == points[0].series][-1]
        return Panel(
            view,
            heading,
            f"{_worded(lowest.y, y)} for the rarest labels, {_worded(highest.y, y)} for the most "
            f"frequent ({lowest.series}).",
            note,
            rows_of(sections, view)
            if series != "k"
            else only(rows_of(sections, view), k=values[0]),
            Curves(
                points,
                _DECILES,
                y,
            ),
            "Lines over the deciles, rare to frequent. "
            + "; ".join(f"{one.series}, decile {one.x:g}: {_worded(one.y, y)}" for one in points)
            + ".",
        )

    return make


def _worded(value: float, scale: Scale) -> str:
    """Return a value as its axis words it."""
    if scale.number_format.endswith("%"):
        return percent(value)
    return f"{value:g}" if scale.number_format.endswith("g") else ratio(value)


def _thinned(found: Sequence[Record], point: Callable[[Record], Point]) -> tuple[Point, ...]:
    """Make the points of curves from the highest threshold down, not more than a drawing shows.

    Points are left out evenly; the ends of a curve are kept.
    """
    curves: dict[str, list[Point]] = {}
    for one in sorted(found, key=lambda one: -one["threshold"]):
        made = point(one)
        curves.setdefault(made.series, []).append(made)
    kept: list[Point] = []
    for name in sorted(curves):
        curve = curves[name]
        step = -(-len(curve) // _MOST_POINTS)
        kept += [*curve[:-1:step], curve[-1]]
    return tuple(kept)


_DECILES = Scale(
    "frequency decile of the label (10: most frequent)", ",d", ticks=tuple(range(1, 11))
)
_UNIT = Scale("mean over instances (0 to 1)", ".1f", 0, 1)
_SPEARMAN = _by_target(
    "spearman",
    "spearman",
    "Are the items in the right order?",
    "Spearman correlation of predicted and true values; 1 is the right order.",
    Scale("Spearman correlation (-1 to 1)", ".1f", -1, 1),
)
_RECALL = _by_target(
    "top_decile_recall",
    "top_decile_recall",
    "Are the best tenth found?",
    "How many of the truly best tenth of the items are among the tenth predicted best; chance "
    "gives a tenth.",
    Scale("recall of the best tenth", ".0%", 0, 1),
)
_PANELS: dict[str, tuple[Maker, ...]] = {
    "regression": (_SPEARMAN, _RECALL),
    "binary": (_roc, _precision_recall),
    "ordinal": (_precision_recall,),
    "multilabel": (
        _first_k,
        _deciles(
            "precision_at_k_by_decile",
            "precision_at_k",
            "Precision by frequency of the label",
            "Within each decile of label frequency: how many of the first predictions are right.",
            _UNIT,
        ),
        _deciles(
            "ndcg_at_k_by_decile",
            "ndcg_at_k",
            "NDCG by frequency of the label",
            "Within each decile of label frequency: how good the order is.",
            _UNIT,
        ),
        _deciles(
            "positive_coverage_at_k",
            "positive_coverage",
            "Coverage by frequency of the label",
            "How many of the decile's true labels are predicted right at least once.",
            Scale("share of the true labels", ".0%", 0, 1),
        ),
        _deciles(
            "prediction_proportion_at_k",
            "prediction_proportion",
            "What is predicted, by frequency of the label",
            "How many of all predictions fall into the decile: a model of popular labels predicts "
            "little else.",
            Scale("share of the predictions", ".0%", 0),
        ),
        _deciles(
            "k_for_recall_by_decile",
            "median_k",
            "How far down to look",
            "The shortest list that reaches the recall, in the middle instance.",
            Scale("predictions needed (median)", "~g", 0),
            "recall_target",
        ),
    ),
}  # fmt: skip
