"""How often the intervals of two compared lists contain the truth, and how often p is below 0.05.

    .venv/bin/python tests/speed/compared_lists.py [--trials 1000]

prints a line per setting of tests/support/compared_worlds.py: for the difference of hit rates and
for the ratio of enrichments the share of trials with an interval, the share of those that contain
the truth, and the shares of all with p below 0.01, 0.05, 0.1 and 0.5. Two equal models should have
about those shares. Takes about ten minutes.
"""

import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from measuring import read_options, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from compared_worlds import Setting, trials

KINDS: dict[str, dict[str, Any]] = {
    "equal, no momentum": {"momentum": 0.0},
    "equal": {},
    "equal, few hits": {"base_rate": 0.03},
    "equal favourites": {"favourites": True, "momentum": 1.0},
    "equal, one popular": {"follows": (True, False)},
    "nothing in common": {"in_common": 0.0, "favourites": True},
    "nearly copies": {"in_common": 0.9},
    "copies, favourites": {"in_common": 0.95, "favourites": True, "momentum": 1.0},
    "lift of 2": {"lift": (2.0, 1.0)},
    "lift of 3, popular": {"lift": (3.0, 1.0), "follows": (False, True), "base_rate": 0.05},
}
BELOW = (0.01, 0.05, 0.1, 0.5)


def main() -> None:
    """Print the table."""
    options = read_options(__doc__, trials=1_000)
    say(f"{'':34}given inside p < {'   '.join(f'{limit:g}' for limit in BELOW)}")
    for n_diseases, (kind, more) in product((10, 20, 50), KINDS.items()):
        found = list(trials(Setting(n_diseases, **more), options.trials, seed=1))
        for figure in ("difference", "ratio"):
            compared = [getattr(trial, figure) for trial in found]
            truth = [getattr(trial, f"true_{figure}") for trial in found]
            inside = [
                one.low <= true <= one.high
                for one, true in zip(compared, truth, strict=True)
                if one.low is not None
            ]
            p = np.array([1.0 if one.p_value is None else one.p_value for one in compared])
            shares = "".join(f"{float((p < limit).mean()):7.3f}" for limit in BELOW)
            say(
                f"{n_diseases:3} {kind:20}{figure:11}{len(inside) / len(found):6.2f}"
                f"{float(np.mean(inside)):7.3f}{shares}"
            )


if __name__ == "__main__":
    main()
