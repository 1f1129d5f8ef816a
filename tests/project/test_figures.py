"""The registry of figures names what the views, the view of headline figures and the guide do."""

from pathlib import Path

import pytest
from support import ROOT, WORLD, Tracker, answer, ok

from tracker import store
from tracker.figures import ENTRIES, METRICS, FigureView

DIMENSIONS = ("tier", "evidence_window", "population")


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.view)
def test_what_an_entry_names_are_columns_of_its_view(entry: FigureView, empty_store: Path) -> None:
    named = {*entry.keys}
    for figure in entry.figures:
        named |= {figure.name}
        if figure.noun or (figure.interval and figure.interval.method == "grouped_rate"):
            named |= {*figure.dimensions}
        if figure.interval and figure.interval.method == "grouped_rate":
            named |= {figure.interval.trials}
    with store.reader(empty_store) as connection:
        columns = connection.exec_driver_sql(f"describe {entry.view}").scalars().all()
    assert named <= set(columns)


@pytest.mark.slow
def test_the_headline_figures_are_the_metrics(db: Path, tracker: Tracker) -> None:
    """Each with its dimensions; one that it lacks is 'all'."""
    ok(tracker("slate", "import", WORLD / "spring_slate"))
    with store.reader(db) as connection:
        found = {
            row.metric: {name for name in DIMENSIONS if getattr(row, name) > 1}
            for row in answer(
                connection,
                "select metric, count(distinct tier) as tier, "
                "count(distinct evidence_window) as evidence_window, "
                "count(distinct population) as population "
                "from headline_figure group by metric",
            )
        }
    assert found == {name: set(metric.dimensions) for name, metric in METRICS.items()}


@pytest.mark.parametrize("name", METRICS)
def test_the_guide_names_the_metric(name: str) -> None:
    guide = (ROOT / "docs" / "guides" / "plans.md").read_text(encoding="utf-8")
    dimension = "Metrics with a `tier`" if "tier" in METRICS[name].dimensions else "Metrics of the"
    line = next(line for line in guide.splitlines() if line.startswith(f"- {dimension}"))
    assert f"`{name}`" in line
