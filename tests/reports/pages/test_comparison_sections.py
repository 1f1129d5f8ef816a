"""The chart of a comparison says which slate finds more, or that none can be told apart."""

from typing import Any

import pytest

from tracker.reports.pages.comparison_sections import SECTIONS
from tracker.reports.records import Section
from tracker.rows import Rows

COLUMNS = ["is_replay", "is_versus_replay", "slate_id", "versus_slate_id", "enrichment_ratio"]
COLUMNS += ["low_enrichment_ratio", "high_enrichment_ratio", "p_adjusted_enrichment_ratio"]
ONE, OTHER = "11111111-aaaa", "22222222-bbbb"


def finding(*rows: tuple[Any, ...]) -> str:
    values: list[tuple[Any, ...]] = [(False, False, *row) for row in rows]
    drawn = SECTIONS[0].draw([Section("comparison", "", "", "", Rows(COLUMNS, values))])
    assert drawn is not None
    return str(drawn.finding)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((4.0, 2.0, 8.0, 0.01), "11111111 finds 4.00 times as much as 22222222."),
        ((0.25, 0.125, 0.5, 0.01), "22222222 finds 4.00 times as much as 11111111."),
        ((4.0, 0.5, 32.0, 0.3), "Beyond popularity, the slates cannot be told apart."),
        ((4.0, None, None, None), "Beyond popularity, the slates cannot be told apart."),
    ],
)
def test_the_better_slate_is_named_where_the_p_value_allows(
    row: tuple[float | None, ...], words: str
) -> None:
    assert finding((ONE, OTHER, *row)).endswith(words)


def test_of_several_pairs_it_says_how_many_differ() -> None:
    """By the p values adjusted over the pairs, as the verdict does, not by each interval."""
    rows = [(ONE, OTHER, 4.0, 2.0, 8.0, 0.01), (ONE, "33333333-cccc", 1.5, 1.1, 2.1, 0.06)]
    assert finding(*rows) == "Beyond popularity, 1 of 2 pairs of slates can be told apart."
