"""The axis of rows of dots: what it reaches, what is cut, and its ticks."""

import math
from itertools import pairwise
from typing import Any

import pytest

from tracker.reports.pages import interval_chart
from tracker.reports.pages.figures import Estimate, Intervals, Mark, Scale

RATIO = Scale("ratio", ".1f", is_ratio=True)


def rows_of(*estimates: Estimate, scale: Scale = RATIO) -> list[dict[str, Any]]:
    """Return the data of a drawing of these estimates."""
    drawn = interval_chart.intervals(Intervals(estimates, scale, Mark(1, "equal"))).to_dict()
    (rows,) = [one for one in drawn["datasets"].values() if any("is_cut" in row for row in one)]
    return list(rows)


def domain_of(*estimates: Estimate, scale: Scale = RATIO) -> dict[str, Any]:
    """Return the scale of the horizontal axis of these estimates."""
    drawn = interval_chart.intervals(Intervals(estimates, scale, Mark(1, "equal"))).to_dict()
    scales = [one["encoding"]["x"]["scale"] for one in drawn["layer"] if "x" in one["encoding"]]
    assert all(one == scales[0] for one in scales)
    return dict(scales[0])


def test_an_interval_of_a_ratio_is_cut_at_three_times_the_largest_value() -> None:
    rows = rows_of(Estimate("a", "s", 2, 1, 100), Estimate("b", "s", 1.5, 1, 3))
    assert [(one["high"], one["is_cut"]) for one in rows] == [(6, True), (3, False)]


def test_an_interval_of_a_ratio_is_cut_at_a_third_of_the_smallest_value() -> None:
    rows = rows_of(Estimate("a", "s", 0.6, 0.01, 2), Estimate("b", "s", 1.5, 0.3, 3))
    assert [one["low"] for one in rows] == pytest.approx([0.2, 0.3])
    assert [one["is_cut_below"] for one in rows] == [True, False]


def test_a_ratio_of_zero_has_an_arrow_and_no_dot() -> None:
    """It has no place on a logarithmic axis."""
    zero, other = rows_of(Estimate("a", "s", 0, 0, 3), Estimate("b", "s", 2, 1, 4))
    assert (zero["x"], zero["is_cut_below"]) == (None, True)
    assert zero["start"] == zero["low"] == pytest.approx(1 / 3)
    assert (other["x"], other["is_cut_below"]) == (2, False)


def test_half_and_twice_are_as_far_from_one() -> None:
    scale = domain_of(Estimate("a", "s", 0.5), Estimate("b", "s", 2))
    low, high = scale["domain"]
    assert scale["type"] == "log"
    assert low == 0.5
    # Beyond 2 there is room for notes alone.
    assert high == pytest.approx(2 * (2 / 0.5) ** (room := math.log(high / 2) / math.log(4)))
    assert room > 0


def test_a_single_ratio_of_one_has_an_axis() -> None:
    low, high = domain_of(Estimate("a", "s", 1))["domain"]
    assert low == pytest.approx(1 / 3)
    assert high > 3


def test_ratios_that_are_all_zero_or_unknown_have_an_axis() -> None:
    low, high = domain_of(Estimate("a", "s", 0), Estimate("b", "s", math.nan))["domain"]
    assert 0 < low < 1 < high


def test_other_values_begin_at_the_low_end_of_their_scale() -> None:
    scale = domain_of(Estimate("a", "s", 0.4, 0.2, 0.6), scale=Scale("rate", ".0%"))
    assert scale["domainMin"] == 0
    assert "type" not in scale


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 0.003), (-1, 1), (0, 12_345), (3, 3)])
def test_an_axis_has_a_few_round_values_within_its_ends(low: float, high: float) -> None:
    values = interval_chart.round_values(low, high)
    assert 1 <= len(values) <= 7
    assert all(low - 1e-9 <= value <= max(high, low + 1) + 1e-9 for value in values)
    steps = {round(later - earlier, 9) for earlier, later in pairwise(values)}
    assert len(steps) <= 1


def test_an_axis_of_counts_has_each_number_once() -> None:
    assert interval_chart.round_values(0, 2, least_step=1) == (0, 1, 2)
    assert [Scale("hits", form).least_step for form in (",.0f", ",d", ".0%")] == [1, 1, 0]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.2, 6, (0.2, 0.5, 1, 2, 5)),
        (0.8, 1.6, (0.8, 1, 1.2, 1.4, 1.6)),
        (0.01, 100, (0.01, 0.1, 1, 10, 100)),
        (0.05, 50, (0.1, 0.3, 1, 3, 10, 30)),
        (0.3, 30, (0.5, 1, 2, 5, 10, 20)),
    ],
)
def test_an_axis_of_ratios_has_the_roundest_values(
    low: float, high: float, expected: tuple[float, ...]
) -> None:
    assert interval_chart.ratio_values(low, high) == expected
