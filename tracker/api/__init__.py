"""The Python interface, for notebooks and programs: a store, its slates, and their reports."""

from tracker.api.opening import open_store
from tracker.api.reports import Report
from tracker.api.slates import Slate
from tracker.api.stores import Store

__all__ = ["Report", "Slate", "Store", "open_store"]
