"""The board of a round in worlds whose truth is known; tests/speed/rounds.py measures more."""

import numpy as np
import pytest
from null_world import Setting, judge_parts
from past_world import draw_past
from round_teams import KINDS, Summary, board, draw_teams, part, simulate, summarise

from tracker.uncertainty.estimates import rounds
from tracker.uncertainty.stats import holm


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["equal, 70 % common", "one of lift two"])
def test_a_board_is_that_of_the_views(kind: str) -> None:
    """What is pooled of each list is counted in NumPy, or by the views that a store has."""
    rng = np.random.default_rng(3)
    slates = draw_teams(draw_past(Setting(12, 0.5), rng).world, KINDS[kind], 4, 25, rng)
    counted, (places, pairs) = map(part, slates), board(judge_parts(slates))
    own_places, own_pairs = board(counted)
    assert list(places) == list(own_places)
    for name, place in places.items():
        own = own_places[name]
        assert own.p_adjusted == pytest.approx(place.p_adjusted, rel=1e-7)
        assert (own.rank, own.block) == (place.rank, place.block)
    for pair, own_pair in zip(pairs, own_pairs, strict=True):
        assert (own_pair.first, own_pair.versus) == (pair.first, pair.versus)
        assert own_pair.compared.p_value == pytest.approx(pair.compared.p_value, rel=1e-7)


def test_who_lists_the_same_is_not_told() -> None:
    rng = np.random.default_rng(4)
    world = draw_past(Setting(12, 0.5), rng).world
    slate, other = draw_teams(world, KINDS["one of lift two"], 2, 50, rng)
    parts = {"a": part(slate), "b": part(other), "copy of a": part(slate)}
    known = {name: each for name, each in parts.items() if each is not None}
    places, pairs = rounds.ranked(known, dict.fromkeys(known, 0.0))
    assert list(places) == ["a", "copy of a", "b"]
    same, first, second = pairs
    assert (same.first, same.versus) == ("a", "copy of a")
    assert same.compared.p_value is None
    assert first.compared == second.compared
    of_one = [place.found.p_value for place in places.values()]
    assert [place.p_adjusted for place in places.values()] == holm(of_one)


def _measured(setting: Setting, kinds: list[str], n_rounds: int) -> dict[str, Summary]:
    found = list(simulate(setting, kinds, n_rounds, n_teams=4, length=25, seed=11))
    return {kind: summarise([each for each in found if each.kind == kind]) for kind in kinds}


@pytest.mark.slow
def test_equal_teams_are_seldom_told_apart() -> None:
    """Of 60 rounds, where 0.05 has a standard error of 0.028."""
    found = _measured(Setting(12, 0.5), ["equal, own lists", "equal, 70 % common"], 60)
    for of_kind in found.values():
        assert of_kind.given.mean > 0.9
        assert of_kind.apart.mean < 0.14
        assert of_kind.pairs.mean < 0.1
        assert of_kind.any_from_one.mean < 0.14


@pytest.mark.slow
def test_a_lift_of_two_is_found_about_as_often_as_stated() -> None:
    """Of 40 rounds, where the share found has a standard error of 0.07."""
    found = _measured(Setting(50, 0.5), ["one of lift two"], 40)["one of lift two"]
    assert found.stated.mean == pytest.approx(found.found.mean, abs=0.22)
    assert found.any_from_one.mean < 0.14
