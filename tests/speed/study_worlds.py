"""How often the primary endpoint is right where studies make several hits at once.

    python tests/speed/study_worlds.py [--diseases 12 50] [--momentum 0.5] [--worlds 200]
        [--designs basket platform]

Prints a line per design, setting and model: the median of hits, the share of worlds with an
interval, the geometric mean of the figure over the true ratio, and of the intervals the shares, in
percent, below and above the true ratio and with it; the last column has the coverage without the
records of the hits. Worlds and models are those of tests/support/study_world.py. 200 worlds of a
design take about 5 minutes at 12 diseases and 8 at 50 on one core.
"""

import sys
from itertools import product
from pathlib import Path

from measuring import read_options, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
from null_world import Setting, Trial
from study_world import DESIGNS, NAMES, simulate

HEADER = (
    "design           diseases mom. model                          hits given  bias | "
    "below above cover | without"
)


def main() -> None:
    """Print the table."""
    options = read_options(
        __doc__, diseases=[12, 50], momentum=[0.5], worlds=200, designs=list(DESIGNS), seed=1
    )
    say(HEADER)
    for design, n, momentum in product(options.designs, options.diseases, options.momentum):
        setting = Setting(n, momentum)
        trials = list(simulate(setting, DESIGNS[design], options.worlds, seed=options.seed))
        for model in NAMES:
            own = [pair for pair in trials if pair[0].model == model]
            tied, untied = [one for one, _ in own], [one for _, one in own]
            words = f"{design:<16} {n:>8} {momentum:4g} {model:<27}"
            say(f"{words} {_shares(tied)} | {_limits(untied)[2]:7.1f}")


def _shares(trials: list[Trial]) -> str:
    values = [one.judged.enrichment / one.ratio for one in trials if one.judged.enrichment]
    hits = float(np.median([one.judged.n_hits for one in trials]))
    below, above, cover, given = _limits(trials)
    bias = float(np.exp(np.log(values).mean())) if values else np.nan
    return f"{hits:7.0f} {given:5.2f} {bias:5.2f} | {below:5.1f} {above:5.1f} {cover:5.1f}"


def _limits(trials: list[Trial]) -> tuple[float, float, float, float]:
    """Return the shares of intervals below, above and with the truth, and of worlds with one."""
    found = [(one.ratio, one.judged.versus_matched) for one in trials]
    table = np.array(
        [(ratio, one.low, one.high) for ratio, one in found if one and one.low is not None],
        dtype=float,
    ).reshape(-1, 3)
    if not len(table):
        return np.nan, np.nan, np.nan, 0.0
    truth, low, high = table.T
    below, above = 100 * np.mean(high < truth), 100 * np.mean(low > truth)
    return float(below), float(above), float(100 - below - above), len(table) / len(trials)


if __name__ == "__main__":
    main()
