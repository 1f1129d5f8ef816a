"""The scheduled refresh: its configuration and its run."""

from tracker.refresh.running import (
    UNCHANGED_EXIT_CODE,
    Refreshed,
    run,
)

__all__ = [
    "UNCHANGED_EXIT_CODE",
    "Refreshed",
    "run",
]
