"""Seconds of 10,000 resamples of a small slate and of a whole-matrix one, and of the tests.

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
        _bootstraps(n_diseases, n_per_disease)
        _tests(n_diseases, n_per_disease)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    _say(f"peak memory {peak:.1f} GB")


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - prints what it measures


def _timed(what: str, action: Callable[[], stats.Interval | stats.Significance]) -> None:
    begun = time.perf_counter()
    found = action()
    seconds = time.perf_counter() - begun
    shown = found.p_value if isinstance(found, stats.Significance) else (found.low, found.high)
    _say(f"  {what:<42} {seconds:8.2f} s   {found.reason or shown}")


def _bootstraps(n_diseases: int, n_per_disease: int) -> None:
    rng = np.random.default_rng(1)
    n_tier = max(1, n_per_disease // 5)
    picked = rng.multinomial(n_tier, np.full(10, 0.1), n_diseases)
    candidates = picked + 300
    tier_hits_by_decile = rng.binomial(picked, 0.15)
    tier_hits = tier_hits_by_decile.sum(axis=1)
    candidate_hits = tier_hits_by_decile + rng.binomial(300, 0.1, picked.shape)
    tier, every = np.full(n_diseases, n_tier), np.full(n_diseases, n_per_disease)
    hits = tier_hits + rng.binomial(n_per_disease - n_tier, 0.1, n_diseases)
    misses = every - hits
    _timed("hit rate", lambda: stats.hit_rate(tier_hits, tier, seed=1))
    _timed(
        "enrichment vs random",
        lambda: stats.enrichment_vs_random(tier_hits, tier, hits, every, seed=1),
    )
    _timed(
        "enrichment vs popularity",
        lambda: stats.enrichment_vs_popularity(
            tier_hits, picked, candidates, candidate_hits, seed=1
        ),
    )
    _timed(
        "score gap", lambda: stats.score_gap(0.8 * hits, hits, 0.6 * misses + hits, misses, seed=1)
    )
    _timed("permutation", lambda: stats.permutation(tier_hits, tier, hits, every, seed=1))


def _tests(n_diseases: int, n_per_disease: int) -> None:
    rng = np.random.default_rng(2)
    disease = np.repeat(np.arange(n_diseases), n_per_disease)
    is_hit = rng.random(len(disease)) < 0.1
    scores = rng.normal(0.5 * is_hit, 1)
    days = np.ceil(rng.exponential(2_000, len(disease)))
    has_event, observed = days < 1_500, np.minimum(days, 1_500)
    _timed("AUC over diseases", lambda: stats.auc_over_diseases(scores, is_hit, disease, seed=1))
    _timed("AUC, DeLong", lambda: stats.delong(scores, is_hit))
    _timed("Mann-Whitney within diseases", lambda: stats.van_elteren(scores, is_hit, disease))
    _timed(
        "Kaplan-Meier over diseases",
        lambda: stats.kaplan_meier(observed, has_event, disease).at(1_000),
    )


if __name__ == "__main__":
    main()
