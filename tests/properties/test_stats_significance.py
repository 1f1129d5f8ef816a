"""Holm's correction agrees with another implementation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from tracker.uncertainty import stats


# statsmodels takes a quarter of a second each time.
@pytest.mark.slow
@settings(max_examples=8)
@given(st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.3, 1.0]), min_size=3, max_size=9))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    expected = multipletests(p_values, method="holm")[1]
    assert stats.holm(p_values) == pytest.approx(expected.tolist(), abs=1e-12)


def test_holm_leaves_out_what_was_not_tested() -> None:
    assert stats.holm([None, 0.01, None, 0.04, 0.03]) == [None, 0.03, None, 0.06, 0.06]
    assert stats.holm([None]) == [None]
    assert stats.holm([]) == []
