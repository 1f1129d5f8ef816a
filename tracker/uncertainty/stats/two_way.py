"""The standing of teams over rounds, adjusted for the difficulty of the diseases that each met.

The model is hits ~ expected x exp(team + block), where a block is a disease in a round. A team's
ratio of hits to expected hits is compared with the other teams' in the same blocks, so that an easy
block moves no team up; ForecastBench (Karger et al. 2025) has adjusted scores in this way since
October 2025. The estimate maximises the Poisson quasi-likelihood (McCullagh and Nelder 1989), where
iterative proportional fitting (Deming and Stephan 1940) ends too. Newton's method finds it, since
fitting in turns takes thousands of steps where teams meet in chains; damping keeps its steps from
overshooting (Bach 2010). Limits are by delete-a-group jackknife over diseases (Shao and Tu 1995).
docs/statistics.md#standing reports their coverage.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.clustered import Indices, effective_number
from tracker.uncertainty.stats.intervals import LOG, Floats, Interval, t_interval

METHOD = "two-way effects, jackknife over diseases, t on log scale"
UNIT = "disease"
MOST_GROUPS = 40
# A team with hits in fewer diseases does not show how diseases differ.
FEWEST_DISEASES = 5

NO_HIT = "no hit"
TOO_FEW = f"hits in fewer than {FEWEST_DISEASES} diseases that tell it from others"
APART = "no chain of shared blocks, with hits of both sides in each link, connects the two"
ONE_GROUP = "without one group of diseases a team has no hit, or cannot be compared"
EQUAL = "the diseases do not vary"

_PRECISION = 1e-10
_MOST_STEPS = 500
# A smaller variance of logarithms is rounding.
_ROUNDING = 1e-16


class _Component(NamedTuple):
    """Teams with hits that can be compared, and their effects on the log scale.

    `column` maps a team to its place in the arrays of shape (n_teams,). `replicates`, of shape
    (n_groups, n_teams), are the effects without each group of diseases, NaN where a team cannot be
    compared then. `n_blocks` counts the blocks that a team met, `n_diseases` the diseases where it
    has hits in blocks that tell; `n_equal` is the effective number of groups by these hits, and
    `total` the number of diseases with a hit of any team.
    """

    column: dict[Any, int]
    effect: Floats
    replicates: Floats
    n_blocks: Indices
    n_diseases: Indices
    n_equal: Floats
    total: int

    def interval(self, *teams: Any) -> Interval:
        """Return the interval of a team's ratio, or of the first team's over the second's."""
        used, signs = [self.column[one] for one in teams], np.array([1.0, -1.0])[: len(teams)]
        logarithm, n = float(self.effect[used] @ signs), int(self.n_blocks[used].sum())
        squares, n_groups = (
            (self.replicates[:, used] @ signs - logarithm) ** 2,
            len(self.replicates),
        )
        stated = Interval(METHOD, UNIT, n, self.total, float(np.exp(logarithm)))
        if self.n_diseases[used].min() < FEWEST_DISEASES:
            return stated.without(TOO_FEW)
        if not np.isfinite(squares).all():
            return stated.without(ONE_GROUP)
        variance = (n_groups - 1) / n_groups * float(squares.sum())
        if variance <= _ROUNDING:
            return stated.without(EQUAL)
        # The number of equal groups whose hits, or whose chi-squared squares, would vary as much.
        n_equal = min(self.n_equal[used].min(), 3 * effective_number(squares) - 2)
        df = max(float(n_equal) - 1, 1.0)
        return t_interval(replace(stated, n_replicates=n_groups), variance**0.5, LOG, df, 1.0)


@dataclass(frozen=True)
class Standing:
    """Every team's ratio of hits to expected hits, adjusted for the blocks that it met.

    At 1 a team has as many hits as equally popular drugs; p is against 1, and `n` counts blocks.
    Only ratios of teams with the same number in `components` can be compared.
    """

    ratios: dict[Any, Interval]
    components: dict[Any, int]
    _fits: dict[Any, _Component]

    def versus(self, team: Any, other: Any) -> Interval:
        """Return a team's ratio over another's, and p against 1; KeyError if either is unknown.

        There is no estimate between components, or if `other` has no hit.
        """
        own, its = self.ratios[team], self.ratios[other]
        stated = replace(own, n=own.n + its.n, estimate=None, n_replicates=None)
        if self.components[team] != self.components[other]:
            return stated.without(APART)
        if not own.estimate or not its.estimate:
            return replace(stated, estimate=0.0 if its.estimate else None).without(NO_HIT)
        return self._fits[team].interval(team, other)


class _Table(NamedTuple):
    """Hits and expected hits, of shape (n_teams, n_blocks), 0 where a team did not take part."""

    hits: Floats
    expected: Floats

    def part(self, teams: Any, blocks: Any) -> "_Table":
        return _Table(self.hits[teams][:, blocks], self.expected[teams][:, blocks])

    def labels(self) -> Indices:
        """Return for each team the first that it can be compared with, -1 if it has no hit.

        In a block, each team with hits is linked to all that took part; two teams can be compared
        if links lead from either to the other (Ford 1957).
        """
        scored = (self.hits > 0).astype(np.float32)
        reach = scored @ (self.expected > 0).astype(np.float32).T > 0
        for _ in range(len(scored).bit_length()):
            reach = reach.astype(np.float32) @ reach > 0
        return np.where(scored.any(axis=1), (reach & reach.T).argmax(axis=1), -1)

    def tells(self) -> NDArray[np.bool_]:
        """Return which blocks have a hit and at least two teams, or one if the table has one."""
        n_met = np.count_nonzero(self.expected, axis=0)
        return np.asarray(self.hits.any(axis=0) & (n_met >= min(2, len(self.hits))))

    def effects(self, effect: Floats) -> Floats:
        """Return the logarithms of the ratios of comparable teams, starting Newton at `effect`."""
        hits, expected = self.part(..., self.tells())
        for _ in range(_MOST_STEPS if len(effect) > 1 else 0):
            fitted = expected * np.exp(effect)[:, None]
            share = fitted / fitted.sum(axis=0)
            fitted = share * hits.sum(axis=0)
            of_team = fitted.sum(axis=1)
            # A common shift of all effects changes nothing; the last term keeps their sum.
            curvature = np.diag(of_team) - fitted @ share.T + of_team.mean() / len(effect)
            step = np.linalg.solve(curvature, hits.sum(axis=1) - of_team)
            span = max(float(np.ptp(step)), _PRECISION / 2)
            effect = effect + np.log1p(span) / span * step
            if span < _PRECISION:
                break
        block = self.hits.sum(axis=0) / (np.exp(effect) @ self.expected)
        level = float(block @ self.expected.sum(axis=0) / self.expected.sum())
        return np.asarray(effect + np.log(level))

    def jackknife(self, column: dict[Any, int], disease: Indices) -> _Component:
        """Return a component with its effects, overall and without each group of diseases."""
        effect = self.effects(np.log(self.hits.sum(axis=1) / self.expected.sum(axis=1)))
        place = np.unique(disease, return_inverse=True)[1]
        has_hit = np.bincount(place, self.hits.sum(axis=0)) > 0
        total = int(has_hit.sum())
        # Diseases with hits come first, by id, so that each group has about as many of them.
        order = np.argsort(np.argsort(~has_hit, kind="stable"))
        group = order[place] % min(MOST_GROUPS, total)
        replicates = np.full((min(MOST_GROUPS, total), len(column)), np.nan)
        for number, replicate in enumerate(replicates):
            rest = self.part(..., group != number)
            label = rest.labels()
            first, size = np.unique(label[label >= 0], return_counts=True)
            # If most teams can still be compared, these have a replicate, and the others none.
            if size.sum() < 2 * size.max(initial=0):
                kept = label == first[size.argmax()]
                rest = rest.part(kept, rest.expected[kept].any(axis=0))
                replicate[kept] = rest.effects(effect[kept])
        n_blocks, told = np.count_nonzero(self.expected, axis=1), self.hits * self.tells()
        diseases = [len(np.unique(place[own > 0])) for own in told]
        equal = [effective_number(np.bincount(group, own).astype(np.float64)) for own in told]
        counts = n_blocks, np.array(diseases), np.array(equal)
        return _Component(column, effect, replicates, *counts, total)


def fit(
    team: ArrayLike, block: ArrayLike, disease: ArrayLike, hits: ArrayLike, expected: ArrayLike
) -> Standing:
    """Return the standing of teams by their hits in each block, a disease in a round.

    The arrays have shape (n,), in any order: ids of team, block and disease, hits (0 or more, maybe
    fractions) and the hits expected of equally popular drugs (above 0); entries of a team in one
    block are added up. ValueError for other shapes or values, or if a block has two diseases.

    Two teams are in one component if chains of blocks lead from either to the other, where in each
    block one team has hits and the next took part; else their ratio is not identified. Block
    effects average 1 over a component, weighted by its teams' expected hits. Blocks without a hit
    have effect 0: they do not tell teams apart, but count in that average. A ratio is what the team
    would reach over all blocks of its component. It is hits / expected if the team is alone, or if
    all met all blocks and expected hits are a product of a team's and a block's factor. A team
    without a hit has ratio 0 and is in the component in whose blocks it expected most.
    """
    ids = [np.asarray(one) for one in (team, block, disease)]
    values = [np.asarray(one, dtype=np.float64) for one in (hits, expected)]
    if len({one.shape for one in (*ids, *values)}) != 1 or ids[0].ndim != 1:
        raise ValueError("the arrays differ in shape")
    if not ((values[0] >= 0) & (values[1] > 0) & np.isfinite(sum(values))).all():
        raise ValueError("hits must be 0 or more, and expected hits above 0")
    numbered = [np.unique(one, return_inverse=True) for one in ids]
    (names, teams), (blocks, places), (_, diseases) = numbered
    of_block = np.zeros(len(blocks), dtype=np.intp)
    of_block[places] = diseases
    if (of_block[places] != diseases).any():
        raise ValueError("a block has two diseases")
    tables = np.zeros((2, len(names), len(blocks)))
    for table, value in zip(tables, values, strict=True):
        np.add.at(table, (teams, places), value)
    return (
        _standing(names.tolist(), _Table(*tables), of_block) if len(names) else Standing({}, {}, {})
    )


def _standing(names: list[Any], table: _Table, disease: Indices) -> Standing:
    """Return the standing of the teams in the table's rows; `disease` has one for each column."""
    label, has_hit = table.labels(), table.hits.any(axis=0)
    fits: dict[Any, _Component] = {}
    for first in np.unique(label[label >= 0]):
        inside = np.flatnonzero(label == first)
        met = table.expected[inside].any(axis=0)
        column = {names[team]: at for at, team in enumerate(inside)}
        fits |= dict.fromkeys(column, table.part(inside, met).jackknife(column, disease[met]))
    # All teams with hits in a block are of one component.
    of_block = label[table.hits[:, has_hit].argmax(axis=0)]
    homes: dict[int, int] = {}
    ratios, components = {}, {}
    for team, name in enumerate(names):
        home, chance = int(label[team]), np.bincount(of_block, table.expected[team, has_hit])
        if home < 0:
            home = int(chance.argmax()) if chance.any() else team
        components[name] = homes.setdefault(home, len(homes))
        hitless = Interval(METHOD, UNIT, int((table.expected[team] > 0).sum()), 0, 0.0)
        ratios[name] = fits[name].interval(name) if name in fits else hitless.without(NO_HIT)
    return Standing(ratios, components, fits)
