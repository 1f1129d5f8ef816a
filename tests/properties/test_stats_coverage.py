"""95 % intervals contain the truth 93 to 97 % of the time, also where pairs of a disease are alike.

A short version of tests/speed/coverage.py at a few sizes, with a fixed seed. A thousand
trials measure a coverage only so well: each bound is moved by three standard errors at that bound,
which a percentile bootstrap of seven diseases, at 82 to 88 %, still falls short of.
"""

import pytest
from coverage_world import BY_DISEASE, BY_PAIR, Coverage, Setting, cover

pytestmark = pytest.mark.exhaustive

N_TRIALS = 1_000
N_REPLICATES = 300
LEAST, MOST = 0.93, 0.97


def error(rate: float, n: int) -> float:
    return float((rate * (1 - rate) / n) ** 0.5)


def check(found: Coverage) -> None:
    assert found.n_given >= 0.75 * N_TRIALS
    least = LEAST - 3 * error(LEAST, found.n_given)
    most = MOST + 3 * error(MOST, found.n_given)
    assert least <= found.rate <= most, found


@pytest.mark.parametrize(
    "setting", [Setting(7, 0.1, 0.1), Setting(20, 0.1, 0.2), Setting(50, 0.05, 0.05)], ids=str
)
@pytest.mark.parametrize("metric", ["AUC", "Kaplan-Meier"])
def test_intervals_over_diseases_cover(metric: str, setting: Setting) -> None:
    check(
        cover(BY_DISEASE[metric], setting, n_trials=N_TRIALS, n_replicates=N_REPLICATES, seed=2026)
    )


@pytest.mark.parametrize(
    "setting", [Setting(7, 0.3, 0.1), Setting(20, 0.1, 0.1), Setting(50, 0.1, 0.2)], ids=str
)
def test_rates_over_diseases_cover(setting: Setting) -> None:
    check(
        cover(
            BY_DISEASE["hit rate"], setting, n_trials=N_TRIALS, n_replicates=N_REPLICATES, seed=2026
        )
    )


def test_an_auc_of_few_positives_covers() -> None:
    """About ten positives in twenty diseases, five or more wherever there is an interval."""
    setting = Setting(20, 0.01)
    check(
        cover(BY_DISEASE["AUC"], setting, n_trials=N_TRIALS, n_replicates=N_REPLICATES, seed=2026)
    )


def test_an_auc_of_fewer_positives_would_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why an AUC of fewer than five positives has no interval."""
    monkeypatch.setattr("tracker.uncertainty.stats.discrimination.MIN_PER_CLASS", 1)
    setting = Setting(20, 0.003)
    found = cover(
        BY_DISEASE["AUC"], setting, n_trials=N_TRIALS, n_replicates=N_REPLICATES, seed=2026
    )
    assert found.n_given > 0.5 * N_TRIALS
    assert found.rate + 3 * error(found.rate, found.n_given) < LEAST


def test_percentiles_of_seven_diseases_would_not_cover() -> None:
    """Why the limits are not the replicates' percentiles."""
    found = cover(
        BY_DISEASE["hit rate, percentiles"],
        Setting(7, 0.1, 0.1),
        n_trials=N_TRIALS,
        n_replicates=N_REPLICATES,
        seed=2026,
    )
    assert found.rate < LEAST - 3 * error(LEAST, found.n_given)


def test_the_rate_of_few_hits_in_few_diseases_is_covered_more_often() -> None:
    """Ten hits in seven diseases: the interval is wide rather than wrong."""
    found = cover(
        BY_DISEASE["hit rate"],
        Setting(7, 0.1, 0.1),
        n_trials=N_TRIALS,
        n_replicates=N_REPLICATES,
        seed=2026,
    )
    assert found.n_given >= 0.75 * N_TRIALS
    assert found.rate >= 0.95


@pytest.mark.parametrize(
    ("metric", "setting"),
    [
        ("DeLong", Setting(60, 0.1)),
        ("DeLong", Setting(500, 0.05)),
        ("AUPRC", Setting(100, 0.1)),
        ("Spearman", Setting(50)),
    ],
    ids=str,
)
def test_intervals_of_independent_pairs_cover(metric: str, setting: Setting) -> None:
    check(cover(BY_PAIR[metric], setting, n_trials=N_TRIALS, n_replicates=N_REPLICATES, seed=2026))
