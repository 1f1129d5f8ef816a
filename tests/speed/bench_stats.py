"""Seconds of intervals of a small slate and of a whole-matrix one: clustered, and by resampling.

    .venv/bin/python tests/speed/bench_stats.py [--diseases 22000] [--per-disease 50]

The bars are 2 seconds for any bootstrap of a slate of 350 predictions and 60 seconds for one of
1.1 million predictions over 22,000 diseases, on 2 cores.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

from tracker.uncertainty import stats
from tracker.uncertainty.stats import clustered


def main() -> None:
    """Time every method on three slates and print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--diseases", type=int, default=22_000)
    parser.add_argument("--per-disease", type=int, default=50)
    options = parser.parse_args()
    for n_diseases, n_per_disease in (
        (7, 50),
        (35, 10),
        (options.diseases, options.per_disease),
    ):
        _say(f"{n_diseases * n_per_disease:,} predictions over {n_diseases:,} diseases")
        _clustered(n_diseases, n_per_disease)
        _over_diseases(n_diseases, n_per_disease)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    _say(f"peak memory {peak:.1f} GB")


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - prints what it measures


def _timed(what: str, action: Callable[[], stats.Interval]) -> None:
    begun = time.perf_counter()
    found = action()
    seconds = time.perf_counter() - begun
    _say(f"  {what:<42} {seconds:8.2f} s   {found.reason or (found.low, found.high)}")


def _clustered(n_diseases: int, n_per_disease: int) -> None:
    rng = np.random.default_rng(1)
    disease = np.repeat(np.arange(n_diseases), n_per_disease)
    drug = rng.integers(2_000, size=len(disease))
    hit = rng.random(len(disease)) < 0.1
    expected, scores = np.full(len(disease), 0.08), rng.normal(0.5 * hit, 1)
    _timed("hit rate", lambda: clustered.hit_rate(hit, drug, disease))
    _timed("observed over expected", lambda: clustered.ratio(hit, expected, drug, disease))
    _timed("score gap", lambda: clustered.score_gap(scores, hit, drug, disease))


def _over_diseases(n_diseases: int, n_per_disease: int) -> None:
    rng = np.random.default_rng(2)
    pairs = np.full(n_diseases, n_per_disease)
    disease = np.repeat(np.arange(n_diseases), n_per_disease)
    is_hit = rng.random(len(disease)) < 0.1
    scores = rng.normal(0.5 * is_hit, 1)
    days = np.ceil(rng.exponential(2_000, len(disease)))
    has_event, observed = days < 1_500, np.minimum(days, 1_500)
    hits = np.bincount(disease[is_hit], minlength=n_diseases)
    _timed("hit rate over diseases", lambda: stats.hit_rate(hits, pairs, seed=1))
    _timed("AUC over diseases", lambda: stats.auc_over_diseases(scores, is_hit, disease, seed=1))
    _timed("AUC, DeLong", lambda: stats.delong(scores, is_hit))
    begun = time.perf_counter()
    drug = rng.integers(0, 1_000, len(disease))
    stats.kaplan_meier(observed, has_event, drug, disease)
    _say(f"  {'Kaplan-Meier over drugs and diseases':<42} {time.perf_counter() - begun:8.2f} s")


if __name__ == "__main__":
    main()
