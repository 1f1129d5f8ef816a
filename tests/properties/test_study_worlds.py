"""Studies that make several hits at once leave intervals as they are stated.

A slice of tests/speed/study_worlds.py. The bounds of a share allow for four standard errors of a
binomial count, so that a seed is not what decides.
"""

import numpy as np
import pytest
from null_world import Setting, Trial, draw_world
from study_world import DESIGNS, FAMILY_SIZE, NAMES, draw_hits, simulate
from test_null_worlds import most

SETTING = Setting(50, 0.5)


@pytest.mark.parametrize("name", ["platform", "parent and child", "background"])
def test_every_pair_of_a_study_comes_true(name: str) -> None:
    rng = np.random.default_rng(7)
    world, design = draw_world(SETTING, rng), DESIGNS[name]
    hit, record = draw_hits(world, design, rng)
    assert hit[record > 0].all()
    assert 0.4 < (record > 0).sum() / hit.sum() < 0.8
    sizes, spans = [], []
    for number in range(1, record.max() + 1):
        drugs, diseases = np.nonzero(record == number)
        if len(drugs):
            assert hit[np.ix_(np.unique(drugs), np.unique(diseases))].all()
            sizes.append(len(np.unique(drugs)))
            spans.append(np.ptp(diseases // FAMILY_SIZE))
    # A background drug comes beside those that are tested.
    assert max(sizes) == design.n_drugs[1] + design.has_background
    assert (max(spans) == 0) == design.is_family


@pytest.mark.exhaustive
@pytest.mark.simulation
@pytest.mark.parametrize("name", ["basket", "platform", "parent and child"])
def test_intervals_hold_where_studies_tie_pairs(name: str) -> None:
    trials = list(simulate(SETTING, DESIGNS[name], 12, seed=5))
    assert [tied.model for tied, _ in trials[: len(NAMES)]] == list(NAMES)
    tied = [one for one, _ in trials]
    assert 1 - _covered(tied) <= most(0.05, len(tied))
    wider = [
        (one.judged.versus_matched, other.judged.versus_matched)
        for one, other in trials
        if one.judged.versus_matched and other.judged.versus_matched
    ]
    ratios = [
        np.log(one.high / one.low) / np.log(other.high / other.low)
        for one, other in wider
        if one.high and one.low and other.high and other.low
    ]
    assert min(ratios) > 1 - 1e-9
    # A basket is one drug: it ties no pairs beyond those of the drug.
    assert (max(ratios) > 1 + 1e-9) == (name != "basket")


def _covered(trials: list[Trial]) -> float:
    found = [(one.ratio, one.judged.versus_matched) for one in trials]
    return float(
        np.mean(
            [
                one.low <= ratio <= one.high
                for ratio, one in found
                if one and one.low is not None and one.high is not None
            ]
        )
    )
