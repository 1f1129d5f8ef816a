"""A model that knows what labels lack is told apart from one with foresight.

tests/speed/lag_worlds.py simulates more worlds and prints the table of docs/statistics.md.
"""

from collections import defaultdict

import pytest
from lag_world import Judged, simulate
from null_world import Setting

from tracker.uncertainty.estimates import Estimate

N_WORLDS = 6


def _is_above(estimate: Estimate | None) -> bool:
    return estimate is not None and estimate.low is not None and estimate.low > 1


@pytest.mark.slow
def test_late_curation_is_told_from_foresight() -> None:
    judged: dict[tuple[str, bool], list[Judged]] = defaultdict(list)
    for one in simulate(Setting(50, 0.5), 4, N_WORLDS, seed=11):
        judged[one.model, one.has_references].append(one)
    # By the dates of releases alone, a model that knows the gaps looks as if it had foresight.
    fooled = judged["knows the gaps", False]
    assert all(_is_above(one.every) for one in fooled)
    assert not any(_is_above(one.dated) for one in fooled)
    knows, foresees = judged["knows the gaps", True], judged["foresees", True]
    assert all(_is_above(one.gaps) for one in knows)
    assert not any(_is_above(one.dated) for one in knows)
    assert sum(_is_above(one.gaps) for one in foresees) <= 1
    assert all(_is_above(one.dated) for one in foresees)
