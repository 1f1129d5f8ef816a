"""How often 95 % intervals contain the truth, by metric, number of diseases and likeness of pairs.

    python tests/speed/coverage.py [--trials 2000] [--replicates 500] [--lift THRESHOLD]...

prints a line per setting: the share of trials in which an interval was given, the share of those
that contain the truth, and the shares that are wholly below and above it. The thresholds of
tracker.uncertainty.stats were read off it: --lift MIN_DISEASES, say, gives intervals however
few diseases there are. Takes half an hour on one core; the tests hold a shorter version.
"""

import argparse
import sys
from importlib import import_module
from itertools import product
from pathlib import Path

from measuring import say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from coverage_world import BY_DISEASE, BY_PAIR, Setting, Subject, cover

# The modules that know each threshold.
LIFTED = {
    "MIN_DISEASES": ("resampling", "survival"),
    "MIN_WITH_HITS": ("resampling", "survival"),
    "MIN_PER_CLASS": ("discrimination",),
    "MIN_ITEMS": ("ranking",),
}
N_DISEASES = (4, 5, 6, 7, 10, 20, 50)
N_PAIRS = (10, 20, 50, 100, 200, 500)
BASE_RATES = (0.05, 0.1, 0.3)
CORRELATIONS = (0.0, 0.1, 0.2)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--replicates", type=int, default=500)
    parser.add_argument("--lift", action="append", default=[], choices=sorted(LIFTED))
    parser.add_argument("--only", default="", help="part of a metric's name")
    options = parser.parse_args()
    for threshold in options.lift:
        for module in LIFTED[threshold]:
            setattr(import_module(f"tracker.uncertainty.stats.{module}"), threshold, 2)
    say("unit     metric                     size  rate  corr.   given inside below  above")
    for name, subject in BY_DISEASE.items():
        for size, rate, correlation in product(N_DISEASES, BASE_RATES, CORRELATIONS):
            _line("disease", name, subject, Setting(size, rate, correlation), options)
    for name, subject in BY_PAIR.items():
        for size, rate in product(N_PAIRS, BASE_RATES if subject.has_rate else BASE_RATES[:1]):
            _line("pair", name, subject, Setting(size, rate), options)


def _line(
    unit: str, name: str, subject: Subject, setting: Setting, options: argparse.Namespace
) -> None:
    if options.only not in name:
        return
    found = cover(
        subject, setting, n_trials=options.trials, n_replicates=options.replicates, seed=1
    )
    n = max(1, found.n_given)
    say(
        f"{unit:<8} {name:<25} {setting.size:>5} {setting.base_rate:5.2f} "
        f"{setting.correlation:6.2f} {found.n_given / found.n_trials:7.3f} {found.rate:5.3f} "
        f"{found.n_below / n:6.3f} {found.n_above / n:6.3f}"
    )


if __name__ == "__main__":
    main()
