"""The registry of figures names what the views, the view of headline figures and the guide do."""

from pathlib import Path

import pytest
from support import ROOT, WORLD, Tracker, answer

from tracker import store
from tracker.figures import METRICS

DIMENSIONS = ("tier", "evidence_window", "population")


@pytest.mark.slow
def test_each_view_has_its_metrics_as_columns(db: Path) -> None:
    with store.writer(db, run_checks=False) as connection:
        for metric in METRICS.values():
            columns = connection.exec_driver_sql(f"from {metric.view} limit 0").keys()
            assert {metric.name, *metric.dimensions} <= set(columns)


@pytest.mark.slow
def test_the_headline_figures_are_the_metrics(db: Path, tracker: Tracker) -> None:
    """Each with its dimensions; one that it lacks is 'all'."""
    assert tracker("slate", "import", WORLD / "spring_slate").exit_code == 0
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
