"""On real indications split at random, popularity has no enrichment and likeness of drugs has."""

from pathlib import Path

import numpy as np
import pytest
from null_world import Judged, judge
from real_split import read_pairs, split

from tracker.uncertainty.stats import Interval

pytestmark = pytest.mark.exhaustive

N_SPLITS = 5


@pytest.mark.parametrize("fewest_known", [1, 10])
def test_only_likeness_of_drugs_exceeds_popularity(shared: Path, fewest_known: int) -> None:
    drug, disease = read_pairs(shared / "chembl" / "indications_2026.csv")
    assert len(drug) > 50_000
    splits: list[dict[str, Judged]] = []
    for seed in range(N_SPLITS):
        names, slates = zip(*split(drug, disease, seed, fewest_known=fewest_known), strict=True)
        splits.append(dict(zip(names, judge(slates), strict=True)))
    for judged in splits:
        for name in ("popularity", "degree product"):
            _is_own_baseline(judged[name])
        assert judged["popularity and known"] == judged["popularity"]
        low, _ = _limits(judged["cosine filter"])
        assert low > 1
        for name in ("random", "20 of the 60 broadest"):
            low, high = _limits(judged[name])
            assert low < 1 < high
    # Of 40 drugs so broad, most are alone in their class: some splits leave in effect one drug.
    for judged in splits:
        found = _interval(judged["20 of the 40 broadest"])
        if found.low is None or found.high is None:
            assert found.reason == "too few drugs: in effect fewer than two carry the ratio"
        else:
            assert found.low < 1 < found.high
    for name in ("20 of the 40 broadest", "20 of the 60 broadest", "random"):
        ratios = [judged[name].enrichment or 0.0 for judged in splits]
        assert 0.9 < np.exp(np.log(ratios).mean()) < 1.1


def _is_own_baseline(one: Judged) -> None:
    """Check that the predictions explain themselves, though deciles credit them."""
    assert one.enrichment is None
    assert one.versus_matched is None
    assert "no fair comparison" in (one.reason or "")
    assert one.own_share is not None
    assert one.own_share > 0.9
    assert one.observed is not None
    assert 0.95 < one.observed < 1.05
    assert one.decile_enrichment is not None
    assert one.decile_enrichment > 4


def _interval(one: Judged) -> Interval:
    assert one.versus_matched is not None
    return one.versus_matched


def _limits(one: Judged) -> tuple[float, float]:
    found = _interval(one)
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high
