"""The table of intervals in docs/statistics.md has every interval that the product computes."""

import re
from pathlib import Path

import pytest
from sqlalchemy import text
from support import ROOT

from tracker import store
from tracker.extras.benchmarks import submission_estimates
from tracker.extras.retrospective.evaluation_estimates import EVALUATION_KEYS
from tracker.figures import ENTRIES
from tracker.uncertainty.estimates import comparison

# What holds the intervals of other views.
CARRIERS = {"estimate", "latest_estimate", "scoreboard", "scoreboard_line", "scoreboard_quarter"}
COLUMNS = 8


def rows() -> list[list[str]]:
    """Return the cells of each row of the table."""
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    section = page.split("{#every-interval}")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def named() -> set[str]:
    return {name for row in rows() for name in re.findall(r"`(\w+\.\w+)`", row[0])}


def test_every_figure_with_an_interval_has_a_row() -> None:
    computed = {
        f"{entry.view}.{figure.name}"
        for entry in ENTRIES
        for figure in entry.figures
        if figure.interval
    }
    computed |= {f"{view}.{view}" for view in EVALUATION_KEYS}
    computed |= {
        f"{view}.{column}"
        for _, figures in submission_estimates._FIGURES.values()
        for view, column, _ in figures
    }
    computed |= {f"{comparison.VIEW}.{one}" for one in (comparison.DIFFERENCE, comparison.RATIO)}
    assert computed <= named(), computed - named()


@pytest.mark.slow
def test_every_column_of_limits_has_a_row(empty_store: Path) -> None:
    query = text(
        "select table_name, regexp_replace(column_name, '_?(low|high)$', '') as figure "
        "from information_schema.columns where regexp_matches(column_name, '(^|_)(low|high)$')"
    )
    with store.reader(empty_store) as connection:
        found = {tuple(row) for row in connection.execute(query)}
    limits = {f"{view}.{figure}" for view, figure in found if view not in CARRIERS}
    assert len(limits) >= 4
    assert limits <= named(), limits - named()


def test_every_row_says_what_was_measured_and_where_it_fails() -> None:
    for row in rows():
        assert len(row) == COLUMNS, row
        assert all(row), row
