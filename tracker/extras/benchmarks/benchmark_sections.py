"""The sections of the page of a submission's score, each an entry of SECTIONS by kind."""

from collections.abc import Callable, Sequence
from functools import partial

from tracker.reports.pages.figures import Curves, Estimate, Mark, Point, Scale
from tracker.reports.pages.sections import USUAL_K, Drawing, PageSection, dots, lines_over_k
from tracker.reports.records import Record, Section, known, only, records, rows_of
from tracker.reports.words import joined, label, percent, ratio, with_limits

# The most points of a drawn curve; its table has the first rows, csv all of them.
_MOST_POINTS = 300

_FOLDS = {"average": "mean of the folds", "aggregated": "all items at once"}
_DECILE = Scale(
    "frequency decile of the label (10: most frequent)", ",d", ticks=tuple(range(1, 11))
)
_MEAN = Scale("mean over instances (0 to 1)", ".1f", 0, 1)


def _by_target(
    metric: str, scale: Scale, sections: Sequence[Section], mark: Mark | None = None
) -> Drawing | None:
    """Draw dots by target, one series for each way of combining the folds."""
    combined = [one for one in known(sections, metric, metric) if one["fold"] in _FOLDS]
    if not combined:
        return None
    estimates = [
        Estimate(
            one["target"],
            _FOLDS[one["fold"]],
            one[metric],
            one.get("low"),
            one.get("high"),
            f"{one[metric]:.2f} (n = {one['n']:,})",
        )
        for one in sorted(combined, key=lambda one: (one["target"], one["fold"] != "average"))
    ]
    best = max(estimates, key=lambda one: one.value)
    return dots(f"Best for {best.row}: {best.note}.", estimates, scale, mark)


def _roc(sections: Sequence[Section]) -> Drawing | None:
    points = records(sections, "roc_point")
    areas = known(sections, "auroc", "auroc")
    if not points or not areas:
        return None
    return Drawing(
        joined([f"{one['target']}: AUROC {_with_interval(one, 'auroc')}" for one in areas]) + ".",
        Curves(
            _thinned(points, lambda one: Point(one["target"], one["fpr"], one["tpr"])),
            Scale("false positive rate (share of negatives)", ".0%", 0, 1),
            Scale("true positive rate (share of positives)", ".0%", 0, 1),
            has_dots=False,
            has_diagonal=True,
        ),
        [f"{one['target']}: area {_with_interval(one, 'auroc')}" for one in areas],
    )


def _with_interval(one: Record, metric: str) -> str:
    """Return a figure that is known with its limits, if there are any."""
    return with_limits(one[metric], one.get("low"), one.get("high"), of=ratio)


def _precision_recall(sections: Sequence[Section]) -> Drawing | None:
    if not records(sections, "precision_recall_point"):
        return None
    areas = [
        (_curve_name(one), _with_interval(one, "average_precision"), one["prevalence"])
        for one in known(sections, "average_precision", "average_precision")
    ] or [
        (f"class {one['k']} and above", _with_interval(one, "auprc"), one["prevalence"])
        for one in known(sections, "ordinal_threshold", "auprc")
    ]
    named = [f"{name}: {area} against {ratio(share)} by chance" for name, area, share in areas]
    return Drawing(
        f"Average precision: {'; '.join(named)}.",
        Curves(
            _thinned(
                known(sections, "precision_recall_point", "precision"),
                lambda one: Point(_curve_name(one), one["recall"], one["precision"]),
            ),
            Scale("recall (share of positives)", ".0%", 0, 1),
            Scale("precision (share of items)", ".0%", 0, 1),
            has_dots=False,
        ),
        named,
    )


def _curve_name(record: Record) -> str:
    """A curve's subject: a target or an ordinal threshold."""
    if record["lowest_class"] > 0:
        return f"class {record['min_class']} among class {record['lowest_class']} and above"
    if record["min_class"] > 1 or not record["target"]:
        return f"class {record['min_class']} and above"
    return str(record["target"])


def _thinned(found: Sequence[Record], point: Callable[[Record], Point]) -> tuple[Point, ...]:
    """Make the points of curves from the highest threshold down, at most as many as are drawn.

    Points are dropped evenly; the ends of a curve are kept.
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


def _first_k(sections: Sequence[Section]) -> Drawing | None:
    points = [
        Point(name, one["k"], one[metric], one.get(f"low{of}"), one.get(f"high{of}"))
        for view, metric, of, name in (
            ("precision_at_k", "precision_at_k", "", "precision"),
            ("precision_at_k", "nr_at_k", "_nr_at_k", "recall-normalised"),
            ("ndcg_at_k_multilabel", "ndcg_at_k", "", "NDCG"),
        )
        for one in known(sections, view, metric)
    ]
    if not points:
        return None
    at_k = [f"{one.series} {ratio(one.y)}" for one in points if one.x == USUAL_K]
    return lines_over_k(
        f"{'; '.join(at_k)} at k = {USUAL_K}.",
        points,
        "first k predictions",
        _MEAN,
        ratio,
        has_bands=True,
    )


def _by_decile(
    view: str,
    metric: str,
    y: Scale,
    worded: Callable[[float], str],
    sections: Sequence[Section],
    series: str = "k",
) -> Drawing | None:
    """Draw lines over the deciles of label frequency, one for each `series` value.

    Of the cut-offs k only the usual one is drawn, if there is one.
    """
    found = [one for one in known(sections, view, metric) if str(one["decile"]).isdigit()]
    if not found:
        return None
    given = sorted({one[series] for one in found})
    drawn = [USUAL_K] if series == "k" and USUAL_K in given else given
    points = [
        Point(f"{label(series)} = {value:g}", int(one["decile"]), one[metric])
        for value in drawn
        for one in sorted(found, key=lambda one: int(one["decile"]))
        if one[series] == value
    ]
    first = [one for one in points if one.series == points[0].series]
    rows = rows_of(sections, view)
    return Drawing(
        f"{worded(first[0].y)} for the rarest labels, {worded(first[-1].y)} for the most frequent "
        f"({first[0].series}).",
        Curves(tuple(points), _DECILE, y),
        [f"{one.series}, decile {one.x:g}: {worded(one.y)}" for one in points],
        only(rows, k=drawn[0]) if series == "k" else rows,
    )


def _decile_entry(
    view: str,
    title: str,
    note: str,
    metric: str,
    y: Scale,
    worded: Callable[[float], str] = ratio,
    series: str = "k",
) -> PageSection:
    draw = partial(_by_decile, view, metric, y, worded, series=series)
    return PageSection(view, title, note, draw)


_PRECISION_RECALL = PageSection(
    "precision_recall_point",
    "Precision and recall",
    "Each point is a threshold: how many of the items at or above it are positive, against how "
    "many of the positives they are. Chance is a level line at the share of positives.",
    _precision_recall,
)
SECTIONS: dict[str, tuple[PageSection, ...]] = {
    "regression": (
        PageSection(
            "spearman",
            "Are the items in the right order?",
            "Spearman correlation of predicted and true values; 1 is the right order.",
            partial(
                _by_target,
                "spearman",
                Scale("Spearman correlation (-1 to 1)", ".1f", -1, 1),
                mark=Mark(0, "no relation"),
            ),
        ),
        PageSection(
            "top_decile_recall",
            "Are the best tenth found?",
            "How many of the truly best tenth of the items are among the tenth predicted best; "
            "chance gives a tenth. Items tied at the cut count in the mean over all ways of "
            "breaking the tie; the optimistic and the pessimistic recall are of the best and the "
            "worst way.",
            partial(
                _by_target, "top_decile_recall", Scale("recall of the best tenth", ".0%", 0, 1)
            ),
        ),
    ),
    "binary": (
        PageSection(
            "roc_point",
            "ROC curve",
            "Each point is a threshold: how many of the positives are at or above it, against how "
            "many of the negatives. Chance is the diagonal.",
            _roc,
        ),
        _PRECISION_RECALL,
    ),
    "ordinal": (_PRECISION_RECALL,),
    "multilabel": (
        PageSection(
            "precision_at_k",
            "How good are the first k labels?",
            "Means over the instances. Precision falls where an instance has fewer true labels "
            "than k; the recall-normalised line divides by what is possible. Equal scores count "
            "in the mean over all their orders; the optimistic and the pessimistic value are of "
            "the best and the worst order. Bands are 95% intervals over the instances.",
            _first_k,
        ),
        _decile_entry(
            "precision_at_k_by_decile",
            "Precision by frequency of the label",
            "Within each decile of label frequency: how many of the first predictions are right.",
            "precision_at_k",
            _MEAN,
        ),
        _decile_entry(
            "ndcg_at_k_by_decile",
            "NDCG by frequency of the label",
            "Within each decile of label frequency: how good the order is.",
            "ndcg_at_k",
            _MEAN,
        ),
        _decile_entry(
            "positive_coverage_at_k",
            "Coverage by frequency of the label",
            "How many of the decile's true labels are predicted right at least once.",
            "positive_coverage",
            Scale("share of the true labels", ".0%", 0, 1),
            percent,
        ),
        _decile_entry(
            "prediction_proportion_at_k",
            "What is predicted, by frequency of the label",
            "How many of all predictions fall into the decile: a model of popular labels predicts "
            "little else.",
            "prediction_proportion",
            Scale("share of the predictions", ".0%", 0),
            percent,
        ),
        _decile_entry(
            "k_for_recall_by_decile",
            "How far down to look",
            "The shortest list that reaches the recall, in the middle instance.",
            "median_k",
            Scale("predictions needed (median)", ",.2~f", 0),
            "{:g}".format,
            "recall_target",
        ),
    ),
}
