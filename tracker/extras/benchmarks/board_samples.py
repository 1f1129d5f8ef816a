"""The figures of leaderboards as functions of how often each item is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.uncertainty.estimates.records import read_sample
from tracker.uncertainty.stats import discrimination, ranking
from tracker.uncertainty.stats.intervals import FISHER_Z, LOGIT, PLAIN, Interval, Scale
from tracker.uncertainty.stats.resampling import MIN_DISEASES, Statistic, drawn_from, ratio_of

# Of more items a fixed part is drawn, and its error scaled to all of them.
MOST_ITEMS = 2_000

TOP_DECILE = 0.1

# The scale of each ranked metric, of a target and as the mean of several, if not the logit scale.
_SCALES: Mapping[str, Scale] = {"spearman": FISHER_Z, "ordinal_nap": PLAIN}

Part = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Sample:
    """The values of submissions to a benchmark: by submission and target, arrays over items.

    `share` is that of the benchmark's items which were read; `empty` is the part of a target with
    no truth for any of them.
    """

    kind: str
    n_classes: int
    parts: Mapping[tuple[int, str], Part]
    share: float
    empty: Part

    def part(self, submission_id: int, target: str) -> Part:
        """Return the values of a submission for a target, of the items read that have a truth."""
        return self.parts.get((submission_id, target), self.empty)


@dataclass(frozen=True)
class Draws:
    """What is drawn for one figure: items in strata, and the figure of each submission.

    `scale` is that of the figure. `stated` is what its intervals state: their `n_units` is the
    number of items in the smallest fold or class, and there is a reason if they are too few for an
    error.
    """

    statistics: Mapping[int, Statistic]
    strata: list[int]
    scale: Scale
    stated: Interval


def read(
    connection: Connection,
    benchmark: Row[Any],
    *,
    submission_id: int | None = None,
    k: int | None = None,
) -> Sample:
    """Return the values of a benchmark's submissions, or of one; multi-label ones at one `k`."""
    key: dict[str, Any] = {"submission_id": submission_id, "most_items": MOST_ITEMS}
    name, share = "board_sample", min(1.0, MOST_ITEMS / (benchmark.n_items or 1))
    if benchmark.kind == "multilabel":
        name, key, share = "board_instance", {"k": k}, 1.0
    values = read_sample(connection, name, benchmark_id=benchmark.benchmark_id, **key)
    owner, target = values["submission_id"], values["target"]
    # Rows are in the order of submission and target.
    cuts = np.flatnonzero((owner[1:] != owner[:-1]) | (target[1:] != target[:-1])) + 1
    parts = {
        (int(owner[rows[0]]), str(target[rows[0]])): _rows(values, rows)
        for rows in np.split(np.arange(len(owner)), cuts)
        if len(rows)
    }
    empty = _rows(values, slice(0))
    return Sample(benchmark.kind, benchmark.n_classes or 2, parts, share, empty)


def _rows(part: Part, wanted: Any) -> Part:
    return {name: column[wanted] for name, column in part.items()}


def draws(
    sample: Sample,
    metric: str,
    submissions: Sequence[int],
    targets: Sequence[str],
    *,
    by_fold: bool,
    seed: int,
    n_replicates: int,
) -> Draws:
    """Return what is drawn for the mean over `targets` of a metric, of these submissions.

    All of them must have the same items with a truth for each target. With `by_fold` the metric is
    the mean of the folds.
    """
    parts = [sample.part(submissions[0], target) for target in targets]
    items = np.unique(np.concatenate([part["item_id"] for part in parts]))
    stratum = np.zeros(len(items), dtype=object)
    for part in parts:
        at = np.searchsorted(items, part["item_id"])
        if by_fold:
            stratum[at] = part["fold"]
        elif len(targets) == 1 and sample.kind in ("binary", "ordinal"):
            stratum[at] = part["actual"]
    names, number = np.unique(stratum.astype(str), return_inverse=True)
    order = np.argsort(number, kind="stable")
    strata = np.bincount(number, minlength=len(names)).tolist()
    column = np.empty(len(items), dtype=np.intp)
    column[order] = np.arange(len(items))

    def figure(submission: int) -> Statistic:
        made = [
            (column[np.searchsorted(items, part["item_id"])], _statistic(sample, metric, part))
            for target in targets
            for part in _folds(sample.part(submission, target), by_fold)
        ]
        return lambda times: np.mean([of(times[:, columns]) for columns, of in made], axis=0)

    unit, n_units, reason = _units(sample, metric, parts, by_fold)
    how = " by fold" if by_fold else " by class" if len(strata) > 1 else ""
    scale, method = _SCALES.get(metric, LOGIT), f"{unit} bootstrap{how}"
    stated = drawn_from(method, scale, unit, len(items), n_units, seed, n_replicates)
    # A target may have a truth for items of which none is drawn.
    is_defined = all(len(part["item_id"]) for part in parts)
    statistics = {one: figure(one) if is_defined else _undefined for one in submissions}
    return Draws(statistics, strata, scale, replace(stated, reason=reason))


def _undefined(times: NDArray[Any]) -> NDArray[Any]:
    return np.full(len(times), np.nan)


def _folds(part: Part, by_fold: bool) -> list[Part]:
    if not by_fold:
        return [part]
    return [_rows(part, part["fold"] == fold) for fold in sorted(set(part["fold"]) - {""})]


def _units(
    sample: Sample, metric: str, parts: Sequence[Part], by_fold: bool
) -> tuple[str, int, str | None]:
    """Return the unit of the draws, how many there are, and why they are too few."""
    if sample.kind in ("multilabel", "regression"):
        is_item = sample.kind == "regression"
        unit, least = ("item", ranking.MIN_ITEMS) if is_item else ("instance", MIN_DISEASES)
        n = min(len(part["item_id"]) for part in parts)
        if n < least:
            drawn = " drawn" if sample.share < 1 else ""
            return unit, n, f"too few {unit}s{drawn}: {n}, at least {least} needed"
        folds = {fold for part in parts for fold in part["fold"] if fold} if by_fold else ()
        fewest = min([n, *(int((part["fold"] == one).sum()) for part in parts for one in folds)])
        if fewest < MIN_DISEASES:
            short = f"too few items of a fold: {fewest}, at least {MIN_DISEASES} needed"
            return unit, fewest, short
        return unit, fewest, None
    top = sample.n_classes - 1
    floor = 1 if metric == "severity_ordering_ap" else 0
    counts = [
        (int((actual >= least).sum()), int(((actual >= floor) & (actual < least)).sum()))
        for actual in [part["actual"] for part in parts]
        for least in range(top if floor else 1, top + 1)
    ]
    classes = min(counts, key=min)
    return "item", min(classes), discrimination.too_few_of_a_class(*classes)


def _statistic(sample: Sample, metric: str, part: Part) -> Statistic:
    if sample.kind == "multilabel":
        values = part[f"instance_{metric.removesuffix('_at_k')}"]
        return ratio_of(np.ma.filled(values, 0.0), ~np.ma.getmaskarray(values))
    predicted, actual, top = part["predicted"], part["actual"], sample.n_classes - 1
    if metric == "spearman":
        return ranking.correlation_of(predicted, actual)
    if metric == "top_decile_recall":
        k = int(TOP_DECILE * len(actual))
        return ranking.recall_of(part["predicted_gain"], part["actual_gain"], k)
    if metric == "auroc":
        return discrimination.auroc_of(predicted, actual >= 1)
    if metric == "average_precision":
        return discrimination.average_precision_of(predicted, actual >= 1)
    if metric == "severity_ordering_ap":
        severe = actual >= 1
        ordered = discrimination.average_precision_of(predicted[severe], actual[severe] >= top)
        return lambda times: ordered(times[:, severe])
    thresholds = range(1, top + 1)
    areas = [discrimination.average_precision_of(predicted, actual >= k) for k in thresholds]
    if metric == "ordinal_auprc":
        return lambda times: np.mean([area(times) for area in areas], axis=0)
    # Classes are drawn separately, so that every draw has the prevalence of the data.
    shares = [float((actual >= k).mean()) for k in thresholds]
    return lambda times: np.mean(
        [(area(times) - share) / (1 - share) for area, share in zip(areas, shares, strict=True)],
        axis=0,
    )
