"""Uncertainty: intervals, tests, bands and power; arrays and a seed in, a dataclass out.

Intervals and tests follow docs/statistics.md. The point values of reports are the views'; this
package quantifies their uncertainty. Where data cannot support an interval with its nominal
coverage, limits are None and `reason` explains why. Distributions are those of scipy.special:
scipy.stats, which rests on them, takes longer to import than most reports to compute.
"""

from tracker.uncertainty.stats.curve_bands import SURVIVAL_METHOD, Curve, kaplan_meier
from tracker.uncertainty.stats.discrimination import auc_over_diseases, auprc, delong
from tracker.uncertainty.stats.intervals import LEVEL, Interval, clopper_pearson
from tracker.uncertainty.stats.power import further_events
from tracker.uncertainty.stats.ranking import spearman, top_recall
from tracker.uncertainty.stats.resampling import N_REPLICATES, hit_rate, means, of_draws
from tracker.uncertainty.stats.significance import holm

__all__ = [
    "LEVEL",
    "N_REPLICATES",
    "SURVIVAL_METHOD",
    "Curve",
    "Interval",
    "auc_over_diseases",
    "auprc",
    "clopper_pearson",
    "delong",
    "further_events",
    "hit_rate",
    "holm",
    "kaplan_meier",
    "means",
    "of_draws",
    "spearman",
    "top_recall",
]
