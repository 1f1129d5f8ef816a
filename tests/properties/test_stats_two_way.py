"""A standing is the Poisson maximum, and what teams met moves none of them; intervals cover."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize
from scipy import stats as scipy_stats

from tracker.uncertainty.stats import two_way
from tracker.uncertainty.stats.two_way import Standing

Array = NDArray[Any]
Rows = tuple[Array, Array, Array, Array, Array]
SEEDS = st.integers(0, 10_000)


def world(
    seed: int, n_teams: int = 6, n_diseases: int = 20, *, scale: float = 2.0, skill: float = 0.4
) -> tuple[Array, Rows]:
    """True ratios, and entries of teams in three rounds of each disease, alike by disease."""
    rng = np.random.default_rng(seed)
    ratio = np.exp(rng.normal(0, skill, n_teams))
    disease = np.repeat(np.arange(n_diseases), 3)
    block = np.exp(rng.normal(-0.32, 0.8, n_diseases))[disease] * rng.gamma(9, 1 / 9, disease.size)
    own = rng.gamma(4, 1 / 4, (n_teams, n_diseases))[:, disease]
    expected = scale * rng.gamma(4, 1 / 4, own.shape)
    hits = rng.poisson(expected * ratio[:, None] * block * own)
    team, place = np.nonzero(rng.random(own.shape) < 0.7)
    return ratio, (team, place, disease[place], hits[team, place], expected[team, place])


def estimates(standing: Standing) -> dict[Any, float | None]:
    return {team: one.estimate for team, one in standing.ratios.items()}


def entries(table: dict[str, dict[str, tuple[float, float]]]) -> Rows:
    """The rows of hits and expected hits by team and block; a block's disease is its first word."""
    rows = [
        (team, block, block.split()[0], *cell)
        for team, row in table.items()
        for block, cell in row.items()
    ]
    team, block, disease, hits, expected = (np.array(one) for one in zip(*rows, strict=True))
    return team, block, disease, hits, expected


def by_optimizer(rows: Rows, n_teams: int) -> Array:
    """Ratios of the maximum of Poisson's likelihood over teams and blocks, found by slope alone."""
    team, block, _, hits, expected = rows
    total = np.bincount(block, hits)
    kept = total[block] > 0
    place = np.unique(block[kept], return_inverse=True)[1]
    n_blocks = int(place.max()) + 1

    def loss(effects: Array) -> tuple[float, Array]:
        linear = effects[team[kept]] + effects[n_teams + place]
        mean = expected[kept] * np.exp(linear)
        away = mean - hits[kept]
        slope = np.concatenate(
            [np.bincount(team[kept], away, n_teams), np.bincount(place, away, n_blocks)]
        )
        return float(mean.sum() - hits[kept] @ linear), slope

    found = optimize.minimize(
        loss, np.zeros(n_teams + n_blocks), jac=True, method="BFGS", options={"gtol": 1e-7}
    ).x
    weight = np.bincount(block, expected)[np.unique(block[kept])]
    level = float(weight @ np.exp(found[n_teams:]) / expected.sum())
    return np.asarray(np.exp(found[:n_teams]) * level)


@pytest.mark.parametrize("seed", range(6))
def test_ratios_are_the_maximum_of_the_likelihood(seed: int) -> None:
    _, rows = world(seed, n_teams=4, n_diseases=8, scale=1.0 + seed)
    standing = two_way.fit(*rows)
    assert set(standing.components.values()) == {0}
    assert list(estimates(standing).values()) == pytest.approx(by_optimizer(rows, 4), rel=1e-4)


def test_fitting_in_turns_ends_at_the_same_ratios() -> None:
    """Sixty teams in a chain, each of which meets only the next."""
    rng = np.random.default_rng(1)
    team = np.concatenate([np.arange(60), np.arange(1, 61)])
    block = np.concatenate([np.arange(60)] * 2)
    hits, expected = rng.integers(1, 20, 120), rng.uniform(1, 5, 120)
    standing = two_way.fit(team, block, block, hits, expected)
    # Of two teams in one block, hits / expected of either have the ratio of the teams.
    rate = hits / expected
    for first, second in ((0, 1), (20, 21), (0, 60)):
        links = range(first, second)
        ratio = standing.versus(first, second).estimate
        assert ratio == pytest.approx(np.prod([rate[one] / rate[one + 60] for one in links]))


def test_an_easy_block_met_alone_moves_no_team_up() -> None:
    """By hand: b is twice as good as a in what both met, however much a hits alone."""
    both = {"a": {"x": (2.0, 2.0), "y": (3.0, 3.0)}, "b": {"x": (4.0, 2.0), "y": (6.0, 3.0)}}
    alone = {"a": both["a"] | {"easy": (90.0, 3.0)}, "b": both["b"]}
    for table in (both, alone):
        versus = two_way.fit(*entries(table)).versus("a", "b")
        assert versus.estimate == pytest.approx(0.5)
    ratios = estimates(two_way.fit(*entries(alone)))
    # Effects: 2/2, 3/3 and 90/3 of a's own ratio, weighted by 4, 6 and 3 expected hits.
    assert ratios["a"] == pytest.approx((4 + 6 + 3 * 30) / 13)
    assert ratios["b"] == pytest.approx(2 * (4 + 6 + 3 * 30) / 13)


@given(SEEDS)
def test_where_all_met_all_alike_ratios_are_those_of_sums(seed: int) -> None:
    """Blocks without a hit included: expected hits are a product of team and block."""
    rng = np.random.default_rng(seed)
    expected = np.outer(rng.uniform(0.5, 2, 4), rng.uniform(0.1, 2, 12))
    hits = rng.poisson(expected)
    hits[:, 0], hits[:, 1] = 0, 1
    team, block = np.indices(hits.shape).reshape(2, -1)
    standing = two_way.fit(team, block, block, hits.ravel(), expected.ravel())
    crude = hits.sum(axis=1) / expected.sum(axis=1)
    assert list(estimates(standing).values()) == pytest.approx(crude)


def test_a_single_team_has_hits_over_expected() -> None:
    hits, expected = np.arange(8.0), np.full(8, 2.0)
    found = two_way.fit(np.full(8, "a"), np.arange(8), np.arange(8), hits, expected).ratios["a"]
    assert found.estimate == pytest.approx(28 / 16)
    assert (found.n, found.n_units, found.n_replicates) == (8, 7, 7)
    # The jackknife by hand: a disease with hits at a time, the one without in the first group.
    left = [(28 - hit) / (16 - 2 * (2 if hit == 1 else 1)) for hit in hits[1:]]
    squares = (np.log(left) - np.log(28 / 16)) ** 2
    error = (6 / 7 * squares.sum()) ** 0.5
    df = min(3 * squares.sum() ** 2 / (squares**2).sum() - 3, 28**2 / (hits @ hits) - 1)
    low, high = np.log([found.low or 0, found.high or 0])
    half = scipy_stats.t.ppf(0.975, df) * error
    assert (low, high) == pytest.approx((np.log(28 / 16) - half, np.log(28 / 16) + half))


def test_teams_that_never_met_are_not_compared() -> None:
    _, rows = world(3)
    team, block, disease, hits, expected = rows
    apart = team % 2
    standing = two_way.fit(team, block + 100 * apart, disease, hits, expected)
    assert standing.components == {0: 0, 2: 0, 4: 0, 1: 1, 3: 1, 5: 1}
    between = standing.versus(0, 1)
    assert (between.estimate, between.low, between.p_value) == (None, None, None)
    assert between.reason == two_way.APART
    # Either half is as it would be alone.
    half = [one[apart == 0] for one in rows]
    assert estimates(two_way.fit(*half)) == pytest.approx(
        {name: estimates(standing)[name] for name in (0, 2, 4)}
    )
    assert standing.versus(0, 2).low == pytest.approx(two_way.fit(*half).versus(0, 2).low)


def test_teams_linked_by_hits_of_one_side_are_not_compared() -> None:
    """In x, b has nothing beside a: their ratio would be beyond any number."""
    table = {"a": {"x": (2.0, 1.0)}, "b": {"x": (0.0, 1.0), "y": (1.0, 1.0)}}
    standing = two_way.fit(*entries(table))
    assert standing.components == {"a": 0, "b": 1}
    assert estimates(standing) == pytest.approx({"a": 2.0, "b": 0.5})
    assert standing.versus("a", "b").reason == two_way.APART


def test_a_team_without_a_hit_has_no_interval() -> None:
    _, (team, block, disease, hits, expected) = world(4)
    without = hits * (team != 2)
    standing = two_way.fit(team, block, disease, without, expected)
    found = standing.ratios[2]
    assert (found.estimate, found.low, found.p_value, found.reason) == (0, None, None, "no hit")
    assert standing.components[2] == standing.components[0]
    assert (standing.versus(2, 0).estimate, standing.versus(0, 2).estimate) == (0, None)
    assert standing.versus(0, 2).reason == two_way.NO_HIT
    # The others are as if it had not been there.
    rest = team != 2
    others = two_way.fit(*(one[rest] for one in (team, block, disease, hits, expected)))
    assert others.ratios == {name: one for name, one in standing.ratios.items() if name != 2}
    # Without a hit at all, or without entries.
    nothing = two_way.fit(team, block, disease, 0 * hits, expected)
    assert set(estimates(nothing).values()) == {0}
    assert two_way.fit([], [], [], [], []).ratios == {}


def test_few_diseases_and_one_that_carries_a_team_give_no_interval() -> None:
    _, rows = world(5, n_diseases=4, scale=20)
    few = two_way.fit(*rows)
    assert {one.reason for one in (few.ratios[0], few.versus(0, 1))} == {two_way.TOO_FEW}
    team, block, disease, hits, expected = world(5, scale=20)[1]
    # Team 0 met the others in one disease alone.
    apart = block + 1_000 * ((team == 0) & (disease > 5))
    carried = two_way.fit(team, apart, disease, hits, expected).ratios
    assert carried[0].reason == two_way.ONE_GROUP or carried[0].reason is None
    one = block + 1_000 * ((team == 0) & (disease > 0))
    assert two_way.fit(team, one, disease, hits, expected).ratios[0].reason == two_way.TOO_FEW
    same = np.tile(np.arange(6), 2)
    equal = two_way.fit(np.repeat([0, 1], 6), same, same, np.full(12, 3), np.ones(12))
    assert equal.versus(0, 1).reason == two_way.EQUAL


@settings(max_examples=20)
@given(SEEDS)
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    _, rows = world(seed % 50)
    order = np.random.default_rng(seed).permutation(len(rows[0]))
    first, other = two_way.fit(*rows), two_way.fit(*(one[order] for one in rows))
    assert first.components == other.components
    for one, same in ((first.ratios[0], other.ratios[0]), (first.versus(1, 2), other.versus(1, 2))):
        assert (one.estimate, one.low, one.p_value) == pytest.approx(
            (same.estimate, same.low, same.p_value)
        )


def test_versus_is_the_ratio_of_ratios_and_turns_round() -> None:
    standing = two_way.fit(*world(6)[1])
    ahead, behind = standing.versus(0, 1), standing.versus(1, 0)
    ratios = estimates(standing)
    assert ahead.estimate == pytest.approx((ratios[0] or 0) / (ratios[1] or 1))
    assert ahead.low == pytest.approx(1 / (behind.high or 1))
    assert ahead.p_value == pytest.approx(behind.p_value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({3: [1.0]}, "shape"),
        ({3: [1.0, -1.0]}, "hits"),
        ({4: [1.0, 0.0]}, "expected"),
        ({4: [1.0, np.inf]}, "expected"),
        ({3: [1.0, np.nan]}, "hits"),
        ({1: ["x", "x"]}, "two diseases"),
    ],
)
def test_wrong_arrays_are_refused(change: dict[int, list[Any]], message: str) -> None:
    rows: list[Any] = [["a", "b"], ["x", "y"], ["X", "Y"], [1.0, 2.0], [1.0, 1.0]]
    with pytest.raises(ValueError, match=message):
        two_way.fit(*(change.get(place, one) for place, one in enumerate(rows)))


@pytest.mark.slow
def test_intervals_cover_and_equal_teams_are_told_apart_seldom() -> None:
    inside, own, false = [], [], []
    for seed in range(300):
        ratio, rows = world(seed)
        standing = two_way.fit(*rows)
        versus, first = standing.versus(0, 1), standing.ratios[0]
        if versus.low and versus.high:
            inside.append(versus.low <= ratio[0] / ratio[1] <= versus.high)
        if first.low and first.high:
            own.append(first.low <= ratio[0] <= first.high)
        p_value = two_way.fit(*world(seed, skill=0.0)[1]).versus(0, 1).p_value
        false.append(p_value is not None and p_value < 0.05)
    assert min(len(inside), len(own)) > 280
    assert 0.91 <= np.mean(own) <= 0.985
    assert 0.91 <= np.mean(inside) <= 0.985
    assert np.mean(false) <= 0.07
