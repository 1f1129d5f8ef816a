"""Adds limits to the enrichment of each disease in a report."""

from dataclasses import replace
from functools import cache

from tracker.reports.records import Section, records
from tracker.rows import Rows
from tracker.uncertainty import stats


def with_limits(section: Section) -> Section:
    """Return the section with exact 95% limits of each enrichment, `low` and `high`.

    They are the limits of Clopper and Pearson of the disease's hit rate over the rate expected of
    it, which is taken as known; None without an enrichment.
    """
    # Diseases have as many predictions as each other, so few counts differ.
    limits = cache(stats.clopper_pearson)
    rows = []
    for one, row in zip(records([section], section.view), section.rows.values, strict=True):
        low = high = None
        if one["enrichment_vs_popularity"] is not None:
            found = limits(one["n_hits"], one["n_predictions"])
            if found.low is not None and found.high is not None:
                low = found.low / one["expected_hit_rate"]
                high = found.high / one["expected_hit_rate"]
        rows.append((*row, low, high))
    return replace(section, rows=Rows([*section.rows.columns, "low", "high"], rows))
