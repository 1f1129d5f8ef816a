"""Rounds of a known truth: teams that answer one question in a world of past_world.

All teams of a round meet the same hits. A pair that a team with skill lists has LIFT times the
hazard of coming true, whoever else lists it too. What the question states before the deadline
is asked of a list of its own, drawn at random as the baseline `random` is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np
import stratified_reference
from null_world import MOST_LIKELY, Array, Setting, Slate, Table, World, breadth_class, top
from numpy.random import Generator
from past_world import MONTHS, Past, designed, draw_past

from tracker.extras.rounds.power import LIFT
from tracker.uncertainty.estimates import rounds
from tracker.uncertainty.estimates.duels import SIGNIFICANT, Duel
from tracker.uncertainty.estimates.lists import MOST_OWN_SHARE
from tracker.uncertainty.estimates.rounds import Place
from tracker.uncertainty.stats import LEVEL, pooling, power


class Kind(NamedTuple):
    """How the teams of a round make their lists, and which of them have skill.

    Of each list a share `in_common` is the same for all teams, drawn at random; the rest is each
    team's own. Every second team draws it `by_breadth`, in proportion to the breadth of drugs; with
    `favourites` each draws from 4 drugs for each place of its list, the same in all diseases. The
    first `n_skilled` teams have skill, all where it is None.
    """

    in_common: float = 0.0
    by_breadth: bool = False
    favourites: bool = False
    n_skilled: int | None = 0


KINDS = {
    "equal, own lists": Kind(),
    "equal, half by breadth": Kind(by_breadth=True),
    "equal, favourites": Kind(favourites=True),
    "equal, 70 % common": Kind(in_common=0.7),
    "equal, near copies": Kind(in_common=0.95),
    "all of lift two": Kind(n_skilled=None),
    "all of two, 70 % common": Kind(n_skilled=None, in_common=0.7),
    "one of lift two": Kind(n_skilled=1),
}


@dataclass(frozen=True)
class Round:
    """A round as its board has it; teams are named by their number, skilled ones first.

    `stated` is the chance that a team of lift two is seen, as stated before the deadline, None
    where none is. Teams without an interval have no place.
    """

    kind: str
    n_teams: int
    n_skilled: int
    n_hits: Sequence[int]
    stated: float | None
    places: Mapping[str, Place]
    pairs: Sequence[Duel[str]]

    def is_of_equals(self, pair: Duel[str]) -> bool:
        """Whether both teams of a pair have skill, or neither."""
        return (int(pair.first) < self.n_skilled) == (int(pair.versus) < self.n_skilled)

    def is_told(self, team: int) -> bool:
        """Whether a team is told from 1."""
        place = self.places.get(str(team))
        return place is not None and place.p_adjusted is not None and place.p_adjusted < SIGNIFICANT

    def is_found(self, team: int) -> bool:
        """Whether a team is shown to be better than equally popular drugs."""
        return self.is_told(team) and (self.places[str(team)].found.estimate or 0.0) > 1


def simulate(
    setting: Setting, kinds: Sequence[str], n_rounds: int, *, n_teams: int, length: int, seed: int
) -> Iterator[Round]:
    """Yield a round of each kind in each of `n_rounds` worlds; a kind is the same without others.

    Power is stated for kinds of which a team has skill.
    """
    asks = any(KINDS[name].n_skilled != 0 for name in kinds)
    for number in range(n_rounds):
        past = draw_past(setting, np.random.default_rng([seed, number]))
        stated = None
        if asks:
            stated = _stated(past, n_teams, length, np.random.default_rng([seed, number, 0]))
        for place, name in enumerate(KINDS, start=1):
            if name not in kinds:
                continue
            kind, rng = KINDS[name], np.random.default_rng([seed, number, place])
            slates = draw_teams(past.world, kind, n_teams, length, rng)
            n_hits = [int((slate.is_hit & slate.is_predicted).sum()) for slate in slates]
            n_skilled = n_teams if kind.n_skilled is None else kind.n_skilled
            yield Round(name, n_teams, n_skilled, n_hits, stated, *board(map(part, slates)))


def board(parts: Iterable[pooling.Part | None]) -> tuple[dict[str, Place], list[Duel[str]]]:
    """Return the board of teams, named by their number, from what is pooled of each."""
    own = {
        str(team): each
        for team, each in enumerate(parts)
        if each is not None and each.r + each.s > 0
    }
    return rounds.ranked(own, dict.fromkeys(own, 0.0))


def part(slate: Slate) -> pooling.Part | None:
    """Return what is pooled of a slate's unknown pairs, as null_world.judge_parts does by views.

    It is some twenty times faster. Strata without a hit, or without a prediction, add nothing.
    """
    level = np.unique(breadth_class(slate.breadth), return_inverse=True)[1]
    stratum = level[:, None] * slate.is_known.shape[1] + np.arange(slate.is_known.shape[1])
    novel = ~slate.is_known
    n = stratum.max() + 1
    counts = (np.bincount(stratum[slate.is_hit & novel], minlength=n) > 0) & (
        np.bincount(stratum[slate.is_predicted & novel], minlength=n) > 0
    )
    drug, disease = np.nonzero(novel & counts[stratum])
    return stratified_reference.part(
        {
            "disease": disease,
            "drug": drug,
            "level": level[drug],
            "hit": slate.is_hit[drug, disease].astype(float),
            "predicted": slate.is_predicted[drug, disease],
        }
    )


def draw_teams(world: World, kind: Kind, n_teams: int, length: int, rng: Generator) -> list[Slate]:
    """Return the slate of each team of a round, all with the same hits."""
    n_common = round(kind.in_common * length)
    common = np.zeros(world.is_known.shape, dtype=np.bool_)
    if n_common:
        common = _at_random(world.is_known, n_common, rng)
    lists = [
        common | _own(world, kind, team, common, length - n_common, rng) for team in range(n_teams)
    ]
    lifted = np.zeros(common.shape, dtype=np.bool_)
    for predicted in lists[: kind.n_skilled]:
        lifted |= predicted
    # As power has it, a lift multiplies the hazard.
    chance = 1 - (1 - np.minimum(world.chance, MOST_LIKELY)) ** np.where(lifted, LIFT, 1.0)
    hit = (rng.random(chance.shape) < chance) & ~world.is_known
    return [Slate(world.breadth, world.is_known, predicted, hit) for predicted in lists]


def _own(world: World, kind: Kind, team: int, common: Table, length: int, rng: Generator) -> Table:
    """Return what a team lists beside what all list."""
    taken = world.is_known | common
    score: Array = rng.random(taken.shape)
    if kind.favourites:
        score[rng.permutation(len(score))[: 4 * length]] += 1
    elif kind.by_breadth and team % 2:
        score = -rng.standard_exponential(taken.shape) / (world.breadth + 0.2)[:, None]
    return top(score, taken, length)


def _at_random(taken: Table, length: int, rng: Generator) -> Table:
    return top(rng.random(taken.shape), taken, length)


def _stated(past: Past, n_teams: int, length: int, rng: Generator) -> float | None:
    """Return the power that the question states, as tracker/extras/rounds/power.py does."""
    world = past.world
    predicted = _at_random(world.is_known, length, rng)
    slate = Slate(world.breadth, world.is_known, predicted, np.zeros_like(predicted))
    row, design = designed(past, slate)
    if row.reason is not None or (row.own_share or 0) > MOST_OWN_SHARE:
        return None
    return power.power(design, LIFT, MONTHS, 1.0, 1 - (1 - LEVEL) / n_teams)


@dataclass(frozen=True)
class Mean:
    """A mean over rounds and its standard error; nan without any."""

    mean: float
    error: float

    def __format__(self, spec: str) -> str:
        text = "-" if np.isnan(self.mean) else f"{100 * self.mean:5.1f} ± {100 * self.error:.1f}"
        return format(text, spec or ">10")


@dataclass(frozen=True)
class Summary:
    """What rounds of a kind said; see tests/speed/rounds.py, which prints it."""

    given: Mean
    apart: Mean
    pairs: Mean
    any_from_one: Mean
    each_from_one: Mean
    stated: Mean
    found: Mean


def summarise(rounds: Sequence[Round]) -> Summary:
    """Return the means over rounds of one kind; pairs and teams without an interval are not told.

    The power stated is left out where no team has skill.
    """
    first = rounds[0]
    skilled, unskilled = range(first.n_skilled), range(first.n_skilled, first.n_teams)
    n_pairs = comb(len(skilled), 2) + comb(len(unskilled), 2)
    pairs = [[pair for pair in each.pairs if each.is_of_equals(pair)] for each in rounds]
    p_values = [[pair.compared.p_value for pair in own] for own in pairs]
    low = [sum(p is not None and p < SIGNIFICANT for p in own) for own in p_values]
    told = [[each.is_told(team) for team in unskilled] for each in rounds]
    found = [[each.is_found(team) for team in skilled] for each in rounds]
    return Summary(
        _mean([len(each.places) / each.n_teams for each in rounds]),
        _mean([any(pair.is_told for pair in own) for own in pairs]),
        _mean([n / n_pairs for n in low]),
        _mean([any(own) for own in told if own]),
        _mean([float(np.mean(own)) for own in told if own]),
        _mean([each.stated for each in rounds if skilled and each.stated is not None]),
        _mean([float(np.mean(own)) for own in found if own]),
    )


def _mean(values: Sequence[float]) -> Mean:
    if not values:
        return Mean(float("nan"), float("nan"))
    return Mean(float(np.mean(values)), float(np.std(values) / len(values) ** 0.5))
