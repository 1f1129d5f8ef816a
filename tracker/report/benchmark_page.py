"""The pages of benchmarks: one submission's score with its curves, and the leaderboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from sqlalchemy import Row

from tracker.benchmarks.scoring import Section, Standing
from tracker.report.figures import Curves, Estimate, Intervals, Mark, Point, Scale
from tracker.report.page import Check, Page, Panel, Verdict
from tracker.report.records import Record, only, records, rows_of
from tracker.report.rows import Rows
from tracker.report.words import count, joined, label, percent, ratio, sentence, short

# A curve is drawn with so many points; its table has the first rows, csv all of them.
_MOST_POINTS = 300

# The cut-off that charts by decile are about, where it is among the cut-offs.
_USUAL_K = 10

_NOT_SHOWN = (
    "A benchmark measures predictions on items whose truth somebody holds. It shows nothing about "
    "items of another kind, and nothing about what the submitter saw of the truth before."
)


def score(
    submission: Row[Any], benchmark: Row[Any], sections: Sequence[Section], notes: Sequence[str]
) -> Page:
    """Return the page of a submission from its sections, with those of its curves."""
    panels = [panel for make in _PANELS[benchmark.kind] if (panel := make(sections))]
    drawn = {panel.name for panel in panels}
    number = submission.submission_id
    facts = [
        ("SHA-256 of the submission", submission.content_sha256),
        ("SHA-256 of the submission before it", submission.previous_sha256),
        ("SHA-256 of the file", submission.file_sha256),
        ("SHA-256 of the truth at that moment", submission.truth_sha256),
        ("code revision", submission.code_revision),
        ("submitted at", submission.submitted_at.astimezone(UTC).isoformat()),
    ]
    return Page(
        kicker=f"Score of a frozen submission, {benchmark.kind} benchmark",
        title=f"Submission {number} by {submission.submitter} to {benchmark.name}",
        subtitle=f"Track {submission.track}"
        f"{', partial: some items are missing' if submission.is_partial else ''}.",
        question="How good are the predictions?",
        verdict=_verdict(sections, benchmark.kind),
        key_figures=[],
        shows=["Each metric of the submission against the truth, from frozen predictions."],
        limits=[_NOT_SHOWN, *[sentence(note.rstrip(".")) for note in notes]],
        panels=panels,
        tables=[
            Panel(one.view, one.title, "", sentence(one.formula), one.rows)
            for one in sections
            if one.view not in drawn and not one.view.endswith("_point")
        ],
        facts=[(name, str(value)) for name, value in facts if value is not None],
        checks=[
            Check(
                "The predictions are those that were frozen: recompute their hash.",
                f"tracker benchmark verify {number}",
            ),
            Check("Every figure again.", f"tracker benchmark score {number} --curves"),
        ],
    )


def leaderboard(name: str, kind: str, standing: Standing) -> Page:
    """Return the page of a benchmark's leaderboard, a panel for each ranked metric."""
    rows = standing.ranked
    # A rank stands right after the metric it ranks.
    ranks = [at for at, column in enumerate(rows.columns) if column.endswith("_rank")]
    view = f"{kind}_leaderboard"
    panels = [
        Panel(
            view, "Every submission that is ranked", "", "Best first.", rows.without_empty("reason")
        )
    ]
    panels += [panel for at in ranks if (panel := _ranking(rows, rows.columns[at - 1], view))]
    tables = []
    if standing.apart.values:
        tables.append(
            Panel(
                "not_ranked",
                "Not ranked",
                "",
                "Partial submissions and those without a metric stand apart.",
                standing.apart,
            )
        )
    return Page(
        kicker=f"Leaderboard, {kind} benchmark",
        title=name,
        subtitle=f"{count(len(rows.values), 'submission')} ranked.",
        question="",
        verdict=None,
        key_figures=[],
        shows=["Each metric is ranked on its own; equal values share a rank."],
        limits=[
            _NOT_SHOWN,
            "Neighbours in a ranking may differ by chance alone.",
        ],
        panels=panels,
        tables=tables,
        checks=[
            Check("Every submission's hash.", "tracker benchmark verify"),
            Check("The ranking again.", f"tracker benchmark leaderboard {name}"),
        ],
    )


def _ranking(rows: Rows, metric: str, view: str) -> Panel | None:
    found = [dict(zip(rows.columns, row, strict=True)) for row in rows.values]
    ranked = sorted(
        (one for one in found if one[metric] is not None),
        key=lambda one: (one["track"], -one[metric], one["submission_id"]),
    )
    if not ranked:
        return None
    estimates = tuple(
        Estimate(
            f"{one['submission_id']} {short(one['submitter'])}",
            one["track"],
            one[metric],
            note=f"{one[metric]:.3f}",
        )
        for one in ranked
    )
    name = label(metric)
    firsts = {one.series: one for one in reversed(estimates)}
    low = min(0.0, *(one.value for one in estimates))
    return Panel(
        metric,
        sentence(name).rstrip("."),
        "; ".join(
            f"{one.row} is first with {one.note} on the track {track}"
            for track, one in sorted(firsts.items())
        )
        + ".",
        f"From the view {view}; the number before the name is the submission's.",
        Rows(
            ["track", "submission_id", "submitter", metric],
            [tuple(one[key] for key in ("track", "submission_id", "submitter", metric))
             for one in ranked],
        ),
        Intervals(estimates, Scale(name, ".2f", low, 1)),
        "Dots, one row per submission, the best first. "
        + "; ".join(f"{one.row}: {one.note}" for one in estimates)
        + ".",
    )  # fmt: skip


def _verdict(sections: Sequence[Section], kind: str) -> Verdict | None:
    headline = _HEADLINES[kind]
    found = records(sections, headline.view)
    if kind == "regression":
        found = [one for one in found if one["fold"] == "average"] or found[:1]
    if kind == "multilabel":
        found = [one for one in found if one["k"] == _USUAL_K] or found[:1]
    parts = [
        words.format(value=ratio(one[metric]), **{key: one.get(key) for key in ("target", "k")})
        for one in found
        for metric, words in headline.metrics.items()
        if one.get(metric) is not None
    ]
    if not parts:
        return None
    sizes = [headline.basis.format(**one) for one in found]
    more = "" if len(parts) <= _MOST_PARTS else f" and {len(parts) - _MOST_PARTS} more"
    return Verdict(
        ", ".join(parts[:_MOST_PARTS]) + more,
        headline.scale,
        f"It rests on {joined(sizes[:_MOST_PARTS])}. The charts draw an interval where one is "
        "stored.",
    )


# A headline has room for so many values.
_MOST_PARTS = 3


@dataclass(frozen=True)
class _Headline:
    """What a kind of benchmark is about: a view, the words of its metrics, scale and basis."""

    view: str
    metrics: dict[str, str]
    scale: str
    basis: str


_HEADLINES = {
    "regression": _Headline(
        "regression_summary",
        {
            "mean_spearman": "mean Spearman {value}",
            "mean_top_decile_recall": "mean recall of the best tenth {value}",
        },
        "Spearman: 1 is the right order, 0 no relation, -1 the reverse. Recall: 1 is all of the "
        "truly best tenth, 0.1 is chance.",
        "{n_targets} targets",
    ),
    "binary": _Headline(
        "auroc",
        {"auroc": "AUROC {value} for {target}"},
        "AUROC: 1 is perfect, 0.5 is chance.",
        "{n_positive:,} positives and {n_negative:,} negatives for {target}",
    ),
    "ordinal": _Headline(
        "ordinal_auprc",
        {"ordinal_auprc": "ordinal AUPRC {value}", "ordinal_nap": "ordinal NAP {value}"},
        "AUPRC: 1 is perfect, chance gives about the share of severe items. NAP: 1 is perfect, 0 "
        "about chance.",
        "the items of each severity class",
    ),
    "multilabel": _Headline(
        "ndcg_at_k_multilabel",
        {"ndcg_at_k": "NDCG {value} at k = {k}"},
        "NDCG: 1 is the best possible list for every instance.",
        "{n_instances:,} instances",
    ),
}


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
        "; ".join(f"{one.series} {ratio(one.y)}" for one in points if one.x == _USUAL_K)
        + f" at k = {_USUAL_K}.",
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


def _deciles(
    view: str, metric: str, heading: str, note: str, y: Scale, series: str = "k"
) -> Callable[[Sequence[Section]], Panel | None]:
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
        if series == "k" and _USUAL_K in values:
            values = [_USUAL_K]
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
_PANELS: dict[str, tuple[Callable[[Sequence[Section]], Panel | None], ...]] = {
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
