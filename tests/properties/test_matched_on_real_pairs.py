"""On real indications split at random, popularity has no enrichment and likeness of drugs has."""

from pathlib import Path

import pytest
from null_world import Judged, judge
from real_split import read_pairs, split

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("fewest_known", [1, 10])
def test_only_likeness_of_drugs_exceeds_popularity(shared: Path, fewest_known: int) -> None:
    drug, disease = read_pairs(shared / "chembl" / "indications_2026.csv")
    assert len(drug) > 50_000
    names, slates = zip(*split(drug, disease, 0, fewest_known=fewest_known), strict=True)
    judged: dict[str, Judged] = dict(zip(names, judge(slates), strict=True))
    for name in ("popularity", "degree product"):
        enrichment, deciles = judged[name].enrichment, judged[name].decile_enrichment
        assert enrichment is not None
        assert 0.9 < enrichment < 1.1
        assert deciles is not None
        assert deciles > 4
        assert judged[name].versus_matched is None
    assert judged["popularity and known"] == judged["popularity"]
    for name, is_better in (("cosine filter", True), ("random", False)):
        compared = judged[name].versus_matched
        assert compared is not None
        assert compared.interval.low is not None
        assert (compared.interval.low > 1) == is_better
