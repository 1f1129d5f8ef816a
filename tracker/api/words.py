"""How commands print results in words."""

from tracker.reports.outcome_words import counted
from tracker.reports.render import with_intervals
from tracker.reports.words import SOURCES, count, joined

__all__ = ["SOURCES", "count", "counted", "joined", "with_intervals"]
