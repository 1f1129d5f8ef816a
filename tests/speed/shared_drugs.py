"""How often limits of rates contain the truth where pairs share drugs and diseases.

    python tests/speed/shared_drugs.py [--worlds 300] [--diseases 12 50 300] [--momentum 0 0.5 1]
        [--drugs 40 200 600] [--seed 9]

Worlds and lists are those of tests/support/null_world.py, with 5 %, 3 % and 2 % of the candidates
of 12, 50 and 300 diseases as hits, so that there is something to be wide about. A line per setting
and list has, for each figure, the median number of hits, the rate of all worlds of the setting
together, the share in percent of worlds whose limits contain it, of those that have limits, and the
same for the limits of Clopper and Pearson, which take pairs as independent. The figures:

- list: the hit rate of the list (tier_hit_rate, precision_proxy, a global list without ties)
- breadth 6, breadth 10: of its pairs in the sixth and in the tenth decile of breadth
- score 1, score 10: of a tenth by score, which goes with traits of drugs and diseases that say
  nothing of hits
- phase, list and phase, all: the share of successes of the list's hits and of all hits, by a logit
  of which drugs vary by twice the momentum, and diseases by the momentum
- curve: the share of pairs with an event by day 365, of pairs followed for 500 days

300 worlds of every setting take about 20 minutes on one core.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from measuring import read_options

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
from null_world import BASE_RATE, MODELS, Array, Setting, deciles, draw_slate, draw_world
from numpy.random import Generator
from scipy.special import expit

from tracker.uncertainty import stats
from tracker.uncertainty.stats import clustered

LISTS = {"random": "random", "broad": "half of the popular", "favourites": "popular favourites"}
RATES = {12: 0.05, 50: 0.03, 300: 0.02}
FOLLOWED, BY_DAY = 500, 365


def draw(setting: Setting, model: str, rng: Generator) -> Iterator[tuple[str, Array, Array, Array]]:
    """Yield what is a share of which pairs: a figure's name, hits, drugs and diseases."""
    world = draw_world(setting, rng)
    slate, _ = draw_slate(world, MODELS[model], rng)
    drug, disease = np.nonzero(slate.is_predicted & ~world.is_known)
    hit = slate.is_hit[drug, disease]
    score = rng.normal(size=setting.n_drugs)[drug] + rng.normal(size=len(drug))
    score += 0.5 * rng.normal(size=setting.n_diseases)[disease]
    tenth = np.empty(len(drug), dtype=np.int64)
    tenth[np.argsort(score)] = np.arange(len(drug)) * 10 // max(len(drug), 1)
    breadth = deciles(world.breadth)[drug]
    everything = np.ones(len(drug), dtype=np.bool_)
    groups = {
        "list": everything,
        "breadth 6": breadth == 6,
        "breadth 10": breadth == 10,
        "score 1": tenth == 0,
        "score 10": tenth == 9,
    }
    for name, one in groups.items():
        yield name, hit[one], drug[one], disease[one]
    trait = 2 * setting.momentum * rng.normal(size=setting.n_drugs)[:, None]
    trait = trait + setting.momentum * rng.normal(size=setting.n_diseases)
    has_succeeded = rng.random(trait.shape) < expit(trait - 0.9)
    yield "phase, list", has_succeeded[drug, disease][hit], drug[hit], disease[hit]
    drugs, diseases = np.nonzero(slate.is_hit)
    yield "phase, all", has_succeeded[drugs, diseases], drugs, diseases
    # The chance is that of an event by day 365, at a constant hazard.
    hazard = -np.log1p(-np.minimum(world.chance[drug, disease], 0.95)) / BY_DAY
    yield "curve", rng.exponential(1 / hazard), drug, disease


def limits(name: str, value: Array, drug: Array, disease: Array) -> tuple[float, float] | None:
    """Return the product's limits of a figure; None without."""
    if name != "curve":
        found = clustered.hit_rate(value, drug, disease)
        return None if found.low is None or found.high is None else (found.low, found.high)
    days = np.ceil(np.minimum(value, FOLLOWED))
    curve = stats.kaplan_meier(days, value < FOLLOWED, drug, disease)
    step = int(np.searchsorted(curve.time, BY_DAY, side="right")) - 1
    if step < 0 or curve.reason[step] is not None:
        return None
    return 1 - float(curve.high[step]), 1 - float(curve.low[step])


def main() -> None:
    """Print the lines."""
    options = read_options(
        __doc__,
        diseases=[12, 50, 300],
        drugs=[40, 200, 600],
        momentum=[0.0, 0.5, 1.0],
        worlds=300,
        seed=9,
    )
    BASE_RATE.update(RATES)
    for n_diseases, momentum, n_drugs in product(options.diseases, options.momentum, options.drugs):
        for name, model in LISTS.items():
            cells = defaultdict[str, list[tuple[int, int, list[tuple[float, float] | None]]]](list)
            for number in range(options.worlds):
                rng = np.random.default_rng([options.seed, n_diseases, n_drugs, number])
                setting = Setting(n_diseases, momentum, n_drugs)
                for figure, value, drug, disease in draw(setting, model, rng):
                    is_hit = value <= BY_DAY if figure == "curve" else value
                    if len(is_hit):
                        n_hits = int(is_hit.sum())
                        exact = stats.clopper_pearson(n_hits, len(is_hit))
                        both = [
                            limits(figure, value, drug, disease),
                            (exact.low or 0, exact.high or 1),
                        ]
                        cells[figure].append((n_hits, len(is_hit), both))
            for figure, trials in cells.items():
                _line(f"{n_diseases:4} {momentum:4} {n_drugs:4} {name:<10} {figure:<11}", trials)


def _line(head: str, trials: list[tuple[int, int, list[tuple[float, float] | None]]]) -> None:
    n_hits, n = np.array([trial[:2] for trial in trials]).T
    truth = n_hits.sum() / n.sum()
    shares = []
    for which in (0, 1):
        given = [trial[2][which] for trial in trials]
        inside = [one[0] <= truth <= one[1] for one in given if one is not None]
        shares.append(
            f"{100 * np.mean(inside):5.1f} of {len(inside):3}" if inside else "   - of   0"
        )
    print(  # noqa: T201 - prints what it measures
        f"{head} {np.median(n_hits):5.0f} {truth:6.4f} | {shares[0]} | {shares[1]}", flush=True
    )


if __name__ == "__main__":
    main()
