"""The scheduled refresh: its configuration and its run."""

from tracker.refresh.doctor import PROBLEM, Finding, examine
from tracker.refresh.running import (
    UNCHANGED_EXIT_CODE,
    Refreshed,
    fetch,
    prove,
    run,
)

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
