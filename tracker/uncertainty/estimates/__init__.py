"""Estimates: the figures of the views with their uncertainty, computed and stored.

The views supply the point values and the counts for resampling; tracker.uncertainty.stats supplies
intervals and tests; this package combines them under the keys of the views.
"""

from tracker.uncertainty.estimates.lists import MOST_OWN_SHARE
from tracker.uncertainty.estimates.power import detectable, record_power, stored_power
from tracker.uncertainty.estimates.records import (
    REPLICATES_UNSTORED,
    Estimate,
    append,
    is_same,
    newest,
    stored_or,
)
from tracker.uncertainty.estimates.slates import (
    COMPARED,
    Figures,
    estimate_slate,
    figure_key,
    headline_figures,
    record_slate,
    stored_or_computed,
)

__all__ = [
    "COMPARED",
    "MOST_OWN_SHARE",
    "REPLICATES_UNSTORED",
    "Estimate",
    "Figures",
    "append",
    "detectable",
    "estimate_slate",
    "figure_key",
    "headline_figures",
    "is_same",
    "newest",
    "record_power",
    "record_slate",
    "stored_or",
    "stored_or_computed",
    "stored_power",
]
