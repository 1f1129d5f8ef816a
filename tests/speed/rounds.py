"""How often a round tells equal teams apart, and finds a lift of two as often as it had stated.

    python tests/speed/rounds.py [--diseases 12 50] [--momentum 0 0.5] [--rounds 300]
        [--teams 4] [--length 25] [--only PART ...] [--seed 1]

Worlds are those of tests/support/past_world.py, aged by three years before the deadline and
followed for three; tests/support/round_teams.py makes the teams. Each lists so many drugs for each
disease, independently of the others and drawn from all unknown pairs, but

- half by breadth: every second team prefers broad drugs, in proportion to their breadth
- favourites: each team draws from drugs of its own, four for each place of its list
- 70 % common: that share of each list is the same for all teams, the rest is each team's own
- near copies: 95 % is the same for all

Teams are without skill, but all where it says so, or one. A lift of two doubles the hazard, as
power has it, of the pairs that a team with skill lists, whoever else lists them. In one world all
kinds meet the same drugs and diseases, and the power stated is the same: that of a list drawn at
random, at the level 0.05 / teams.

A line per kind of round has the median number of a team's hits; the share of teams with an
interval; of rounds in which any two equal teams are told apart, adjusted by Holm's method over all
pairs; of pairs of equal teams with p below 0.05, not adjusted; of rounds in which any team without
skill is told from 1, and of such teams, adjusted over teams; the mean of the power stated; and the
share of teams with skill that are found: told from 1 and above it. Shares are percent, beside the
standard error over rounds. Pairs and teams without an interval count as not told.

Figures are those of tests/support/stratified_reference.py; tests/properties/test_round_worlds.py
compares the boards with those of the views. The board itself is that of reports. 300 rounds of
every kind take about 3 minutes on an idle core with 12 diseases, and 4 with 50.
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from measuring import read_options, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from null_world import Setting
from round_teams import KINDS, Round, Summary, simulate, summarise

HEADER = (
    "diseases mom. teams length kind                     hits given | told apart  pairs p < 0.05 | "
    "any from 1  each from 1 |     stated      found"
)


def main() -> None:
    """Print the table."""
    options = read_options(
        __doc__,
        diseases=[12, 50],
        momentum=[0.0, 0.5],
        rounds=300,
        teams=4,
        length=25,
        only=[""],
        seed=1,
    )
    kinds = [name for name in KINDS if any(part in name for part in options.only)]
    say(HEADER)
    for n_diseases, momentum in product(options.diseases, options.momentum):
        setting = Setting(n_diseases, momentum)
        found = defaultdict[str, list[Round]](list)
        for each in simulate(
            setting,
            kinds,
            options.rounds,
            n_teams=options.teams,
            length=options.length,
            seed=options.seed,
        ):
            found[each.kind].append(each)
        for kind in kinds:
            _line(setting, options.length, found[kind])


def _line(setting: Setting, length: int, rounds: Sequence[Round]) -> None:
    said: Summary = summarise(rounds)
    hits = np.median([n for each in rounds for n in each.n_hits])
    first = rounds[0]
    say(
        f"{setting.n_diseases:>8} {setting.momentum:4.1f} {first.n_teams:>5} {length:>6} "
        f"{first.kind:<24} {hits:4.0f} {100 * said.given.mean:5.0f} | "
        f"{said.apart}  {said.pairs:>14} | {said.any_from_one}  {said.each_from_one:>11} | "
        f"{said.stated} {said.found}"
    )


if __name__ == "__main__":
    main()
