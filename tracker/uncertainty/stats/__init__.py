"""Intervals, tests, bands and power: functions of arrays, and of a seed where they resample.

docs/statistics.md describes the methods. Views compute the point values that reports show; this
package quantifies their uncertainty. Distributions come from scipy.special, since scipy.stats takes
longer to import than most reports take to compute; only `paired` uses it, for the binomial.
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
