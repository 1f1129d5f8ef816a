"""How often the primary endpoint and the clustered intervals are right in worlds of known truth.

    python tests/speed/null_worlds.py [--diseases 12 50] [--momentum 0.5 1] [--worlds 300]
        [--only PART] [--minutes 10]
    python tests/speed/null_worlds.py --real 5
    python tests/speed/null_worlds.py --lists --diseases 12 [--momentum 1] [--minutes 3]
    python tests/speed/null_worlds.py --months 12 --diseases 50 [--momentum 0 1] [--worlds 100]
    python tests/speed/null_worlds.py --power 20 [--diseases 12 50] [--momentum 0.5 1]

Prints a line per model and setting. Worlds, models and skills are those of
tests/support/null_world.py, whose Summary says what the columns count: shares in percent of worlds
without an interval, with one that is wholly below or above 1, and with one that contains the true
ratio; the geometric bias; and for comparison the enrichment over breadth deciles, the share of its
intervals without 1, and the coverage of the hit rate and of the score gap. A model without skill
has the ratio 1, so that below + above is its rate of false rejections, and 100 less the coverage.

With --real, rankers are judged on indications of ChEMBL split at random so often, once on diseases
with a known pair or more and once on those with ten; tests/support/real_split.py says how.

With --lists, global lists are judged: the models' predictions over all diseases by breadth, by
breadth times degree, or by chance. A line per list has the mean of observed over expected hits, the
share of worlds with an interval, and of these the shares below and above 1 and with the true ratio.

With --power, so many worlds of each setting are aged before the freeze, as
tests/support/past_world.py says, and the power stated then is compared with that of the true
chances: hits expected, the smallest enrichment, and how often a slate with that enrichment has an
interval above 1, and how often predictions are said to be their own baseline.

With --months, hits come in so many months, each alike, and slates without skill are judged by the
hits of each month and those before, as hits_by_month judges them. A line per model has the share of
intervals that leave out 1 in the last month, and of slates in which one of some month does.

A setting of 300 worlds takes about 6 minutes on one core at 12 or 50 diseases and most of an hour
at 300; --minutes ends each setting early, between worlds.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from measuring import read_options, say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
from null_world import (
    MODELS,
    Array,
    Model,
    Setting,
    Trial,
    World,
    draw_slate,
    draw_world,
    judge,
    judge_lists,
    simulate,
    summarise,
)
from numpy.random import Generator
from past_world import draw, draw_past, realised, stated
from real_split import read_pairs, split
from support import SHARED

from tracker.uncertainty.estimates import Estimate
from tracker.uncertainty.estimates.lists import MOST_OWN_SHARE

HEADER = (
    "diseases mom. model                        worlds  hits share figure | "
    "none below above cover  bias | deciles apart |  rate   gap"
)
POWER_HEADER = (
    "diseases mom. model                hits stated/true smallest stated/true, 5-95 %  power  own"
)


def main() -> None:
    """Print the table."""
    options = read_options(
        __doc__,
        diseases=[12, 50, 300],
        momentum=[0.0, 0.5, 1.0],
        worlds=300,
        only="",
        minutes=float("inf"),
        seed=1,
        power=0,
        real=0,
        months=0,
        lists=False,
    )
    if options.real:
        _real_pairs(options.real)
        return
    if options.power:
        say(POWER_HEADER)
        for n_diseases, momentum in product(options.diseases, options.momentum):
            for model in ("random", "favourites", "half of the popular"):
                _power(Setting(n_diseases, momentum), model, options.power, options.seed)
        return
    if options.months:
        for n_diseases, momentum in product(options.diseases, options.momentum):
            for model in ("random", "popular favourites"):
                _months(Setting(n_diseases, momentum), model, options)
        return
    models = [name for name in MODELS if options.only in name]
    if options.lists:
        for n_diseases, momentum in product(options.diseases, options.momentum):
            setting = Setting(n_diseases, momentum)
            _lists(setting, models, options.worlds, options.minutes, options.seed)
        return
    say(HEADER)
    for n_diseases, momentum in product(options.diseases, options.momentum):
        begun = time.monotonic()
        trials = defaultdict[str, list[Trial]](list)
        setting = Setting(n_diseases, momentum)
        for trial in simulate(setting, models, options.worlds, seed=options.seed):
            trials[trial.model].append(trial)
            is_late = time.monotonic() - begun > 60 * options.minutes
            if is_late and trial.model == models[-1]:
                break
        for model in models:
            _line(setting, model, trials[model])


def _months(setting: Setting, model: str, options: argparse.Namespace) -> None:
    """Print how often the interval of the last month, and that of any, leaves out 1."""
    last, some = [], []
    for number in range(options.worlds):
        rng = np.random.default_rng([options.seed, number])
        slate, _ = draw_slate(draw_world(setting, rng), MODELS[model], rng)
        month = rng.integers(1, options.months + 1, slate.is_hit.shape)
        grown = [
            replace(slate, is_hit=slate.is_hit & (month <= upto))
            for upto in range(1, options.months + 1)
        ]
        found = [one.versus_matched for one in judge(grown)]
        apart = [
            one is not None
            and one.low is not None
            and one.high is not None
            and not one.low <= 1 <= one.high
            for one in found
        ]
        if found[-1] is not None and found[-1].low is not None:
            last.append(apart[-1])
            some.append(any(apart))
    say(
        f"{setting.n_diseases:8} {setting.momentum:4} {model:20} {len(last):4} worlds: "
        f"last month {100 * np.mean(last):.1f} %, some month {100 * np.mean(some):.1f} %"
    )


def _real_pairs(n_splits: int) -> None:
    """Print a line per ranker and split."""
    drug, disease = read_pairs(SHARED / "chembl" / "indications_2026.csv")
    say(f"{len(drug):,} pairs of {drug.max() + 1:,} drugs and {disease.max() + 1:,} diseases")
    say("known split ranker                 hits share figure interval        deciles")
    for fewest_known in (1, 10):
        for seed in range(n_splits):
            names, slates = zip(*split(drug, disease, seed, fewest_known=fewest_known), strict=True)
            for name, judged in zip(names, judge(slates), strict=True):
                interval = judged.versus_matched
                limits = (
                    f"{interval.low:.2f} to {interval.high:.2f}"
                    if interval and interval.low is not None and interval.high is not None
                    else "none"
                )
                say(
                    f"{fewest_known:>5} {seed:>5} {name:<21} {judged.n_hits:>5} "
                    f"{judged.own_share or 0:5.2f} {judged.enrichment or 0:6.2f} {limits:<15} "
                    f"{judged.decile_enrichment or 0:7.2f}"
                )


SCORES: dict[str, Callable[[World, Generator], Array]] = {
    "by breadth": lambda world, _: np.outer(world.breadth, np.ones(len(world.degree))),
    "by product": lambda world, _: np.outer(world.breadth, world.degree + 0.5),
    "by chance": lambda world, rng: rng.random(world.is_known.shape),
}


def _lists(
    setting: Setting, models: Sequence[str], n_worlds: int, minutes: float, seed: int
) -> None:
    """Print a line per model, score and size of list."""
    begun = time.monotonic()
    found = defaultdict[tuple[str, str, int], list[tuple[float, Estimate]]](list)
    for number in range(n_worlds):
        rng = np.random.default_rng([seed, number])
        world = draw_world(setting, rng)
        keys, slates, ratios = [], [], []
        for model, score in product(models, SCORES):
            slate, ratio = draw_slate(world, MODELS[model], rng)
            keys.append((model, score))
            ratios.append(ratio)
            slates.append(replace(slate, score=SCORES[score](world, rng)))
        for key, ratio, estimates in zip(keys, ratios, judge_lists(slates), strict=True):
            for one in estimates:
                if one.value is not None:
                    found[*key, one.row_key["list_size"]].append((ratio, one))
        if time.monotonic() - begun > 60 * minutes:
            break
    say(
        "diseases mom. model                        score       size worlds mean truth | "
        "given below above cover"
    )
    for (model, score, size), trials in found.items():
        values = np.array([one.value for _, one in trials])
        limits = np.array(
            [(ratio, one.low, one.high) for ratio, one in trials if one.low is not None]
        ).reshape(-1, 3)
        truth, low, high = limits.T
        shares = [high < 1, low > 1, (low <= truth) & (truth <= high)]
        words = " ".join(
            f"{100 * flags.mean():5.1f}" if len(flags) else "    -" for flags in shares
        )
        say(
            f"{setting.n_diseases:>8} {setting.momentum:4.1f} {model:<28} {score:<10} {size:>5} "
            f"{len(trials):>6} {values.mean():4.2f} {np.mean([ratio for ratio, _ in trials]):5.2f} "
            f"| {100 * len(limits) / len(trials):5.0f} {words}"
        )


def _power(setting: Setting, model: str, n_worlds: int, seed: int) -> None:
    """Print how the power stated from the past compares with the truth."""
    rng = np.random.default_rng(seed)
    hits, smallest, slates, n_own = [], [], [], 0
    for _ in range(n_worlds):
        past = draw_past(setting, rng)
        slate = draw(past, MODELS[model], rng)
        said, truth = stated(past, slate), realised(past, slate)
        hits.append(said.expected_hits / truth.expected_hits)
        n_own += (said.own_share or 0) > MOST_OWN_SHARE
        if said.smallest is not None and truth.smallest is not None:
            smallest.append(said.smallest / truth.smallest)
            slates.append(draw(past, Model(MODELS[model].pick, said.smallest), rng))
    seen = [
        judged.versus_matched is not None and (judged.versus_matched.low or 0) > 1
        for judged in judge(slates)
    ]
    low, middle, high = np.quantile(smallest, [0.05, 0.5, 0.95])
    say(
        f"{setting.n_diseases:>8} {setting.momentum:4.1f} {model:<20} {np.median(hits):15.2f} "
        f"{middle:21.2f} ({low:.2f} to {high:.2f}) {np.mean(seen):5.2f} {n_own / n_worlds:4.2f}"
    )


def _line(setting: Setting, model: str, trials: list[Trial]) -> None:
    found = summarise(trials)
    say(
        f"{setting.n_diseases:>8} {setting.momentum:4.1f} {model:<28} {found.n_worlds:>6} "
        f"{found.n_hits:5.0f} {found.own_share:5.2f} {found.shown:6.2f} | "
        f"{100 * found.without_interval:4.0f} {100 * found.below:5.1f} {100 * found.above:5.1f} "
        f"{100 * found.inside:5.1f} {found.bias:5.2f} | "
        f"{found.deciles:7.2f} {100 * found.deciles_apart:5.1f} | "
        f"{100 * found.rate_inside:5.1f} {100 * found.gap_inside:5.1f}"
    )


if __name__ == "__main__":
    main()
