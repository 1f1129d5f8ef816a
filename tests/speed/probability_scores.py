"""How far censoring moves scores of probabilities, and how often their intervals hold the truth.

    .venv/bin/python tests/speed/probability_scores.py [--trials 1000]

prints a line per setting of tests/support/forecast_world.py: the Brier score as the views give it,
with inverse-probability-of-censoring weights, then with censored pairs as misses, and without them,
each over that of the same pairs had all been followed (means over the trials); then, of the Brier
score, its skill, the log score and the points of the reliability curve, the share of intervals that
contain the mean over trials of the same figure had all been followed. Takes about ten minutes.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from measuring import read_options, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from forecast_world import Forecast, Setting, draw, estimates, viewed

SIZES = (12, 50)
KINDS: dict[str, dict[str, Any]] = {
    "all followed": {},
    "a third censored": {"censored": 0.33},
    "two thirds censored": {"censored": 0.67},
    "all followed, more alike": {"likeness": 0.25},
    "a third censored, more alike": {"censored": 0.33, "likeness": 0.25},
    "a third censored, too sure": {"censored": 0.33, "stretch": 2.0},
    "a third censored, rare": {"censored": 0.33, "rate": 0.03},
}
FIGURES = ("brier_score", "brier_skill_score", "log_score", "observed_rate")
BATCH = 100

# A figure's name, and the bin if it is of one.
Key = tuple[str, int]


def main() -> None:
    """Print the table."""
    options = read_options(__doc__, trials=1_000)
    say(f"{'':34}weighted  misses left out |   brier   skill     log   curve")
    for n_diseases, (kind, more) in product(SIZES, KINDS.items()):
        rng = np.random.default_rng(1)
        setting = Setting(n_diseases, **more)
        say(f"{n_diseases:3} {kind:30}{_line([draw(setting, rng) for _ in range(options.trials)])}")


def _line(worlds: Sequence[Forecast]) -> str:
    found = list(_figures(worlds))
    whole = list(_figures([one.followed() for one in worlds]))
    truth: dict[Key, Any] = {
        key: np.mean([each[key].value for each in whole if key in each]) for key in whole[0]
    }
    scores = (
        [each["brier_score", 0].value for each in found],
        [np.mean((one.probability - (one.state == "hit")) ** 2) for one in worlds],
        [np.mean(((one.probability - one.is_hit) ** 2)[one.state != "censored"]) for one in worlds],
    )
    ratios = [float(np.mean(score)) / truth["brier_score", 0] for score in scores]
    inside = defaultdict(list)
    for each in found:
        for (name, number), one in each.items():
            if one.low is not None and (name, number) in truth:
                inside[name].append(one.low <= truth[name, number] <= one.high)
    return (
        "".join(f"{one:9.3f}" for one in ratios)
        + "  |"
        + "".join(f"{float(np.mean(inside[name])):8.3f}" for name in FIGURES)
    )


def _figures(worlds: Sequence[Forecast]) -> Iterator[dict[Key, Any]]:
    """Yield the estimates of each world."""
    for start in range(0, len(worlds), BATCH):
        some = worlds[start : start + BATCH]
        with viewed(some) as connection:
            for number in range(1, len(some) + 1):
                yield {
                    (one.metric, one.row_key.get("probability_bin", 0)): one
                    for one in estimates(connection, number)
                }


if __name__ == "__main__":
    main()
