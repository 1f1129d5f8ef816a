"""What late curation in ChEMBL makes of a slate's figures, with references and without.

    python tests/speed/lag_worlds.py [--diseases 50] [--momentum 0.5] [--worlds 100]
        [--years 0 1 2 4 8]

Prints a line per mean delay of ChEMBL in years, model and kind of extract: the median of the
endpoint's hits, the geometric mean of the endpoint and its share of intervals above 1, both by
every hit; of the intervals by dated hits the share above 1 and the share with the true ratio; the
geometric mean of label_gap, and the share of its intervals above 1. Shares are of all worlds, in
percent, those of coverage of the worlds with an interval. Worlds and models are those of
tests/support/lag_world.py. 100 worlds of a delay take about 3 minutes on one core.
"""

import sys
from pathlib import Path

from measuring import read_options, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
from lag_world import KINDS, Judged, simulate
from null_world import Setting

from tracker.uncertainty.estimates import Estimate

HEADER = "years model               extract     hits | every >1 | dated >1 cover | gaps >1"


def main() -> None:
    """Print the table."""
    options = read_options(
        __doc__, diseases=50, momentum=0.5, worlds=100, years=[0.0, 1.0, 2.0, 4.0, 8.0], seed=1
    )
    say(HEADER)
    setting = Setting(options.diseases, options.momentum)
    for years in options.years:
        judged = list(simulate(setting, years, options.worlds, seed=options.seed))
        for model in KINDS:
            for has_references in (True, False):
                own = [
                    one
                    for one in judged
                    if one.model == model and one.has_references == has_references
                ]
                extract = "references" if has_references else "none"
                say(f"{years:5g} {model:<19} {extract:<11} {_line(own)}")


def _line(judged: list[Judged]) -> str:
    hits = np.median([one.n_hits for one in judged])
    every, dated = [one.every for one in judged], [one.dated for one in judged]
    gaps = [one.gaps for one in judged if one.gaps is not None]
    covered = [
        one.dated.low <= one.true_ratio <= one.dated.high
        for one in judged
        if one.dated.low is not None and one.dated.high is not None
    ]
    cover = f"{100 * np.mean(covered):5.0f}" if covered else "    -"
    return (
        f"{hits:5.0f} | {_mean(every)} {_above(every)} | {_mean(dated)} {_above(dated)} {cover} | "
        f"{_mean(gaps)} {_above(gaps)}"
    )


def _mean(estimates: list[Estimate]) -> str:
    values = [one.value for one in estimates if one.value]
    return f"{np.exp(np.log(values).mean()):5.2f}" if values else "    -"


def _above(estimates: list[Estimate]) -> str:
    return f"{100 * np.mean([one.low is not None and one.low > 1 for one in estimates]):3.0f}"


if __name__ == "__main__":
    main()
