"""How often classes of nearness tell a copy of close relatives from skill.

    python tests/speed/near_worlds.py [--diseases 12 50] [--momentum 0.5] [--pull 1 5]
        [--lean 1 3] [--worlds 200]

Prints a line per setting, model and class: the median of hits, the share of worlds with an
interval, the geometric mean of the figure, and of the intervals the shares below and above 1 and
with the true ratio. Worlds and models are those of tests/support/near_world.py. The ratio of
'relatives copied' among novel pairs has no simple truth, so that no coverage is given there; in the
classes every model but the one with skill has the ratio 1, since pairs are as close: with --lean
what is known for a parent pulls more than what is known for a sibling. 200 worlds take about 2
minutes at 12 diseases and 5 at 50 on one core.
"""

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from measuring import read_options, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
from near_world import CLASSES, MODELS, NearTrial, simulate
from null_world import Setting

HEADER = (
    "diseases mom. pull lean model                class       hits given figure | below above cover"
)


def main() -> None:
    """Print the table."""
    options = read_options(
        __doc__, diseases=[12, 50], momentum=[0.5], pull=[1.0, 5.0], lean=[1.0], worlds=200, seed=1
    )
    say(HEADER)
    settings = product(options.diseases, options.momentum, options.pull, options.lean)
    for n_diseases, momentum, pull, lean in settings:
        setting = Setting(n_diseases, momentum)
        trials = list(simulate(setting, pull, options.worlds, seed=options.seed, lean=lean))
        for model, population in product(MODELS, CLASSES):
            own = [one for one in trials if (one.model, one.population) == (model, population)]
            words = (
                f"{n_diseases:>8} {momentum:4g} {pull:4g} {lean:4g} {model:<20} {population:<10}"
            )
            say(f"{words} {_shares(own)}")


def _shares(trials: Sequence[NearTrial]) -> str:
    given = [one for one in trials if one.low is not None and one.high is not None]
    if not given:
        return "no interval"
    table = np.array([(one.truth, one.value, one.low, one.high) for one in given], dtype=float)
    truth, value, low, high = table.T
    hits = float(np.median([one.n_hits for one in trials]))
    figure = float(np.exp(np.log(value[value > 0]).mean())) if (value > 0).any() else np.nan
    return (
        f"{hits:5.0f} {len(given) / len(trials):5.2f} {figure:6.2f} | "
        f"{100 * np.mean(high < 1):5.1f} {100 * np.mean(low > 1):5.1f} "
        f"{100 * np.mean((low <= truth) & (truth <= high)):5.1f}"
    )


if __name__ == "__main__":
    main()
