"""Worlds of a known truth, in which intervals are drawn repeatedly and must contain it.

Pairs of one disease are alike: each disease draws the rate of its hits from a beta distribution
whose intra-disease correlation is given, and the level of its scores from another distribution.
What an interval must contain is the value the estimate tends to over ever more diseases.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import integrate, stats

from tracker.uncertainty import stats as tracker_stats
from tracker.uncertainty.stats import Interval
from tracker.uncertainty.stats.resampling import draw_counts

N_PICKED, N_SCORED = 10, 50
SHIFT = 1.0
YEARS = 3.0
NORMAL_PAIR = [[1.0, 0.5], [0.5, 1.0]]


@dataclass(frozen=True)
class Setting:
    """How large a world is and how alike the pairs of a disease are.

    `size` counts diseases, or pairs where they are independent. `correlation` is that of two
    pairs of a disease being hits; 0 makes pairs independent but for the tier's enrichment.
    """

    size: int
    base_rate: float = 0.1
    correlation: float = 0.0


@dataclass(frozen=True)
class Coverage:
    """The number of trials with an interval, with the truth inside it, and to either side of it."""

    n_trials: int
    n_given: int
    n_inside: int
    n_below: int
    n_above: int

    @property
    def rate(self) -> float:
        return self.n_inside / self.n_given if self.n_given else float("nan")

    @property
    def error(self) -> float:
        """The standard error of a rate of 0.95 in so many trials."""
        return float((0.95 * 0.05 / max(1, self.n_given)) ** 0.5)


@dataclass(frozen=True)
class Subject:
    """A metric whose interval is examined: how to draw one and the value it must contain."""

    draw: Callable[[Setting, np.random.Generator, int], Interval]
    truth: Callable[[Setting], float]
    has_rate: bool = True


def cover(
    subject: Subject, setting: Setting, *, n_trials: int, n_replicates: int, seed: int
) -> Coverage:
    """Draw an interval `n_trials` times and count."""
    rng = np.random.default_rng(seed)
    truth = subject.truth(setting)
    drawn = [subject.draw(setting, rng, n_replicates) for _ in range(n_trials)]
    given = [(x.low, x.high) for x in drawn if x.low is not None and x.high is not None]
    n_below = sum(bool(high < truth) for _, high in given)
    n_above = sum(bool(low > truth) for low, _ in given)
    return Coverage(n_trials, len(given), len(given) - n_below - n_above, n_below, n_above)


def disease_rates(setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """Return the hit rate of each disease, shape (size,)."""
    if setting.correlation == 0:
        return np.full(setting.size, setting.base_rate)
    return rng.beta(*_beta(setting), setting.size)


def _beta(setting: Setting) -> tuple[float, float]:
    total = 1 / setting.correlation - 1
    return setting.base_rate * total, (1 - setting.base_rate) * total


def _draw_hits(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return hits and pairs of each disease."""
    picked = np.full(setting.size, N_PICKED)
    return rng.binomial(picked, disease_rates(setting, rng)), picked


def _draw_hit_rate(setting: Setting, rng: np.random.Generator, n_replicates: int) -> Interval:
    hits, picked = _draw_hits(setting, rng)
    seed = int(rng.integers(2**31))
    return tracker_stats.hit_rate(hits, picked, seed=seed, n_replicates=n_replicates)


def _draw_percentile(setting: Setting, rng: np.random.Generator, n_replicates: int) -> Interval:
    """Return the usual bootstrap interval of the rate: percentiles of replicates."""
    counts = np.column_stack(_draw_hits(setting, rng)).astype(np.float64)
    seed = int(rng.integers(2**31))
    totals = np.concatenate([t @ counts for t in draw_counts([setting.size], n_replicates, seed)])
    low, high = np.quantile(totals[:, 0] / totals[:, 1], [0.025, 0.975])
    return Interval("percentile", "disease", 0, setting.size, None, low, high)


def _draw_scores(
    setting: Setting, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, hits and diseases of 50 pairs per disease; diseases score at a level."""
    disease = np.repeat(np.arange(setting.size), N_SCORED)
    is_hit = rng.random(len(disease)) < disease_rates(setting, rng)[disease]
    level = rng.normal(0, _level_spread(setting), setting.size)
    scores = rng.normal(SHIFT * is_hit, 1) + level[disease]
    return scores, is_hit, disease


def _level_spread(setting: Setting) -> float:
    return float(np.sqrt(setting.correlation))


def _draw_auc(setting: Setting, rng: np.random.Generator, n_replicates: int) -> Interval:
    return tracker_stats.auc_over_diseases(
        *_draw_scores(setting, rng), seed=int(rng.integers(2**31)), n_replicates=n_replicates
    )


def _true_auc(setting: Setting) -> float:
    return float(stats.norm.cdf(SHIFT / np.sqrt(2 + 2 * _level_spread(setting) ** 2)))


def _independent(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and classes; the number of positives is fixed, as intervals take it to be."""
    is_positive = np.arange(setting.size) < round(setting.size * setting.base_rate)
    return rng.normal(SHIFT * is_positive, 1), is_positive


def _draw_delong(setting: Setting, rng: np.random.Generator, _n_replicates: int) -> Interval:
    return tracker_stats.delong(*_independent(setting, rng))


def _draw_auprc(setting: Setting, rng: np.random.Generator, n_replicates: int) -> Interval:
    scores, is_positive = _independent(setting, rng)
    seed = int(rng.integers(2**31))
    return tracker_stats.auprc(scores, is_positive, seed=seed, n_replicates=n_replicates)


def _true_auprc(setting: Setting) -> float:
    """Return the area under precision over recall of two normal classes, by quadrature."""

    def precision(recall: float) -> float:
        found = setting.base_rate * recall
        false = (1 - setting.base_rate) * stats.norm.sf(SHIFT + stats.norm.isf(recall))
        return float(found / (found + false))

    return float(integrate.quad(precision, 0, 1)[0])


def _draw_rankings(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    drawn = rng.multivariate_normal([0, 0], NORMAL_PAIR, setting.size)
    return drawn[:, 0], drawn[:, 1]


def _draw_spearman(setting: Setting, rng: np.random.Generator, n_replicates: int) -> Interval:
    seed = int(rng.integers(2**31))
    predicted, truth = _draw_rankings(setting, rng)
    return tracker_stats.spearman(predicted, truth, seed=seed, n_replicates=n_replicates)


def _true_spearman(_setting: Setting) -> float:
    return float(6 / np.pi * np.arcsin(NORMAL_PAIR[0][1] / 2))


def _draw_recall(setting: Setting, rng: np.random.Generator, n_replicates: int) -> Interval:
    seed = int(rng.integers(2**31))
    predicted, truth = _draw_rankings(setting, rng)
    return tracker_stats.top_recall(predicted, truth, 0.1, seed=seed, n_replicates=n_replicates)


def _true_recall(_setting: Setting) -> float:
    """Return the chance that one of two normal variates is in its top tenth if the other is."""
    cut = stats.norm.ppf(0.1)
    return float(stats.multivariate_normal.cdf([cut, cut], cov=NORMAL_PAIR) / 0.1)


def _draw_times(
    setting: Setting, rng: np.random.Generator, n_per_disease: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return days, events and diseases; terminations and the end of follow-up cut pairs short.

    `base_rate` is the yearly one; a disease multiplies it by a gamma variate of mean 1 and
    variance ten times `correlation`.
    """
    disease = np.repeat(np.arange(setting.size), n_per_disease)
    frailty = np.ones(setting.size)
    if setting.correlation:
        variance = 10 * setting.correlation
        frailty = rng.gamma(1 / variance, variance, setting.size)
    event = rng.exponential(1, len(disease)) / (setting.base_rate * frailty[disease])
    terminated = rng.exponential(1 / setting.base_rate, len(disease))
    censored = np.where(rng.random(len(disease)) < 0.5, rng.uniform(0, 5, len(disease)), 5)
    first = np.minimum(np.minimum(event, terminated), censored)
    return first, event == first, disease


def _draw_survival(setting: Setting, rng: np.random.Generator, _n_replicates: int) -> Interval:
    times, is_event, disease = _draw_times(setting, rng, N_PICKED)
    curve = tracker_stats.kaplan_meier(times, is_event, np.arange(len(times)), disease)
    step = int(np.searchsorted(curve.time, YEARS, side="right")) - 1
    is_known = step >= 0 and curve.reason[step] is None
    return Interval(
        tracker_stats.SURVIVAL_METHOD,
        "disease",
        len(times),
        len(np.unique(disease)),
        float(curve.probability[step]) if step >= 0 else 1.0,
        float(curve.low[step]) if is_known else None,
        float(curve.high[step]) if is_known else None,
    )


def _true_survival(setting: Setting) -> float:
    variance = 10 * setting.correlation
    if variance == 0:
        return float(np.exp(-setting.base_rate * YEARS))
    return float((1 + variance * setting.base_rate * YEARS) ** (-1 / variance))


BY_DISEASE = {
    "hit rate": Subject(_draw_hit_rate, lambda setting: setting.base_rate),
    "hit rate, percentiles": Subject(_draw_percentile, lambda setting: setting.base_rate),
    "AUC": Subject(_draw_auc, _true_auc),
    "Kaplan-Meier": Subject(_draw_survival, _true_survival),
}
BY_PAIR = {
    "DeLong": Subject(_draw_delong, _true_auc),
    "AUPRC": Subject(_draw_auprc, _true_auprc),
    "Spearman": Subject(_draw_spearman, _true_spearman, has_rate=False),
    "top-decile recall": Subject(_draw_recall, _true_recall, has_rate=False),
}
