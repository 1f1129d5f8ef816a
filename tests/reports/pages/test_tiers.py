"""The sentence of a report's chart by tier has the numbers of its own tier."""

from tracker.reports.pages import tiers
from tracker.reports.pages.lead import Lead
from tracker.reports.records import Section
from tracker.rows import Rows


def test_the_finding_has_the_interval_of_the_high_tier() -> None:
    columns = ["evidence_window", "population", "tier", "n_predictions", "n_hits", "hit_rate"]
    rows = Rows(
        [*columns, "low", "high"],
        [
            ("prospective", "novel", "high", 40, 10, 0.25, 0.125, 0.5),
            ("prospective", "novel", "all", 100, 12, 0.12, 0.0625, 0.75),
        ],
    )
    drawing = tiers.hit_rates(
        [Section("tier_hit_rate", "", "", "", rows)], Lead("prospective", "novel")
    )
    assert drawing is not None
    assert drawing.finding == (
        "Of the 40 novel high-tier predictions, 10 came true after the freeze (25.0%, "
        "95% interval 12.5% to 50.0%); 12 of all 100 (12.0%)."
    )
    assert list(drawing.values) == [
        "high tier, prospective: 25.0% (10 of 40)",
        "all tiers, prospective: 12.0% (12 of 100)",
    ]
