"""Tables for people: a figure and its interval are one column, the first after the keys."""

from tracker.reports.records import Section
from tracker.reports.render import render_section
from tracker.reports.words import to_three_digits
from tracker.rows import Rows


def _drawn(view: str, columns: list[str], *values: tuple[object, ...]) -> list[str]:
    section = Section(view, "Title", "formula", "units", Rows(columns, [*values]))
    return render_section(section, "table").splitlines()[5:]


def test_the_interval_stands_with_its_figure() -> None:
    columns = ["tier", "n_predictions", "n_hits", "hit_rate", "low", "high", "method"]
    assert _drawn(
        "tier_hit_rate",
        columns,
        ("high", 224, 43, 43 / 224, 0.1219296, 0.2799, "clustered"),
        ("moderate", 2, 0, 0.0, 0.0, 0.84, "exact"),
        ("all", 0, 0, None, None, None, None),
    ) == [
        " tier                 hit_rate  n_predictions  n_hits  method",
        " ───────────────────────────────────────────────────────────────",
        " high      0.192 (0.122\N{EN DASH}0.280)            224      43  clustered",
        " moderate    0.00 (0.00\N{EN DASH}0.840)              2       0  exact",
        " all                                        0       0",
    ]


def test_without_an_entry_the_limits_belong_to_what_stands_before_them() -> None:
    lines = _drawn("another", ["name", "n", "ratio", "low", "high"], ("a", 1, 1.0, 0.5, 2.0))
    assert lines[0].split() == ["name", "ratio", "n"]
    assert lines[2].split() == ["a", "1.00", "(0.500\N{EN DASH}2.00)", "1"]
    lines = _drawn("estimate", ["figure", "value", "low", "high"], ("hit_rate", 0.1, None, None))
    assert lines[2].split() == ["hit_rate", "0.100"]


def test_three_digits_are_shown() -> None:
    shown = [to_three_digits(value) for value in (-4474.0, 132.0, 999.6, 2.8, 0.0, 1.5e-7)]
    assert shown == ["-4474", "132", "1000", "2.80", "0.00", "1.50e-07"]
