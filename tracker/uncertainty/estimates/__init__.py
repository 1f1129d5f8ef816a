"""Estimates: figures of views with their intervals and tests, under the keys of the views.

Views supply point values and the pairs or counts; tracker.uncertainty.stats computes the rest.
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
    Figures,
    estimate_slate,
    figure_key,
    headline_figures,
    record_slate,
    stored_or_computed,
)

__all__ = [
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
