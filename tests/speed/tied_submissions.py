"""How often equally good submissions are told apart, and true differences are in their interval.

    python tests/speed/tied_submissions.py [worlds]

Each world draws items with a truth and the predictions of five submissions, which share part of
their error. Four are equally good, the fifth is better. Printed for each metric and number of
items: the worlds in which any two of the four equal ones are told apart by Holm's method over their
pairs, the pairs of p below 0.05, the intervals of a difference that contain the true one, and the
worlds in which the better one is told from the first.
"""

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tracker.uncertainty import stats
from tracker.uncertainty.estimates import duels
from tracker.uncertainty.stats import discrimination, ranking, resampling
from tracker.uncertainty.stats.intervals import Interval
from tracker.uncertainty.stats.resampling import Statistic

Floats = NDArray[np.float64]

N_EQUAL = 4
REPLICATES = 500
LARGE = 200_000


def world(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Return the truth, shape (n,), and the predictions, shape (5, n): four alike, one better."""
    truth, shared = rng.normal(size=(2, n))
    own = rng.normal(size=(N_EQUAL + 1, n))
    skill = np.array([*[0.7] * N_EQUAL, 1.1])[:, None]
    return truth, skill * truth + 0.7 * shared + 0.7 * own


def correlation(truth: Floats, predicted: Floats) -> Statistic:
    return ranking.correlation_of(predicted, truth)


def recall(truth: Floats, predicted: Floats) -> Statistic:
    return ranking.recall_of(predicted, truth, len(truth) // 10)


def auroc(truth: Floats, predicted: Floats) -> Statistic:
    return discrimination.auroc_of(predicted, truth > 1)


def average_precision(truth: Floats, predicted: Floats) -> Statistic:
    return discrimination.average_precision_of(predicted, truth > 1)


METRICS: dict[str, Callable[[Floats, Floats], Statistic]] = {
    "Spearman": correlation,
    "recall of the best tenth": recall,
    "AUROC": auroc,
    "average precision": average_precision,
}


def strata_of(metric: str, truth: Floats) -> tuple[NDArray[np.intp], list[int], int]:
    """Return the order of items by stratum, the sizes of the strata, and the units."""
    if metric not in ("AUROC", "average precision"):
        return np.arange(len(truth)), [len(truth)], len(truth)
    positive = truth > 1
    sizes = [int((~positive).sum()), int(positive.sum())]
    return np.argsort(positive, kind="stable"), sizes, min(sizes)


def compared(metric: str, n: int, n_worlds: int) -> tuple[float, float, float, float]:
    """Return the four shares that are printed."""
    make = METRICS[metric]
    large, many = world(np.random.default_rng(0), LARGE)
    undrawn = np.ones((1, LARGE))
    truly = [float(make(large, one)(undrawn)[0]) for one in (many[0], many[N_EQUAL])]
    families, pairs, covered, found = [], [], [], []
    for seed in range(n_worlds):
        truth, predicted = world(np.random.default_rng(seed + 1), n)
        order, strata, n_units = strata_of(metric, truth)
        if n_units < discrimination.MIN_PER_CLASS:
            continue
        statistics = [make(truth[order], one[order]) for one in predicted]
        values = [float(one(np.ones((1, n)))[0]) for one in statistics]
        drawn = resampling.replicates(statistics, strata, seed=seed, n_replicates=REPLICATES)

        def compare(
            first: int,
            versus: int,
            values: list[float] = values,
            n_units: int = n_units,
            drawn: Floats = drawn,
        ) -> Interval:
            stated = Interval("", "item", n, n_units, values[first] - values[versus])
            return resampling.difference(stated, drawn[:, first], drawn[:, versus])

        equal = duels.of_pairs(range(N_EQUAL), compare)
        families.append(any(one.is_told for one in equal))
        pairs += [(one.compared.p_value or 1) < duels.SIGNIFICANT for one in equal]
        better = compare(N_EQUAL, 0)
        if better.low is not None and better.high is not None:
            covered.append(better.low <= truly[1] - truly[0] <= better.high)
        found.append((better.p_value or 1) < duels.SIGNIFICANT)
    return tuple(float(np.mean(one)) for one in (families, pairs, covered, found))  # type: ignore[return-value]  # four of them


def main() -> None:
    n_worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"level {stats.LEVEL:.0%}, {n_worlds} worlds")  # noqa: T201 - prints what it measures
    for metric in METRICS:
        for n in (60, 250, 1_000):
            shares = compared(metric, n, n_worlds)
            print(metric, n, *[f"{share:.1%}" for share in shares], sep="\t")  # noqa: T201 - as above


if __name__ == "__main__":
    main()
