"""The scheduled refresh: its configuration and its run."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracker.extras.refresh.doctor import PROBLEM, Finding, examine
    from tracker.extras.refresh.running import UNCHANGED_EXIT_CODE, Refreshed, fetch, prove, run

__all__ = [
    "PROBLEM",
    "UNCHANGED_EXIT_CODE",
    "Finding",
    "Refreshed",
    "examine",
    "fetch",
    "prove",
    "run",
]

_OF_DOCTOR = ("PROBLEM", "Finding", "examine")


def __getattr__(name: str) -> Any:
    """Import a part when it is first used: each imports httpx, which a report does without."""
    if name not in __all__:
        raise AttributeError(f"module 'tracker.extras.refresh' has no attribute '{name}'")
    module = "doctor" if name in _OF_DOCTOR else "running"
    return getattr(importlib.import_module(f"tracker.extras.refresh.{module}"), name)
