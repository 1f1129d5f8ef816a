"""Honest prospective evaluation of drug repurposing predictions on a DuckDB store."""

import importlib
from typing import TYPE_CHECKING, Any

from tracker.version import VERSION

if TYPE_CHECKING:
    # As sqlite3 and gzip have theirs: users write tracker.open(...).
    from tracker.api.opening import open_store as open  # noqa: A004 (the name of the interface)
    from tracker.api.reports import Report
    from tracker.api.slates import Slate
    from tracker.api.stores import Store
    from tracker.extras import refresh

__version__ = VERSION
__all__ = ["Report", "Slate", "Store", "__version__", "open", "refresh"]

_API = {
    "Report": ("reports", "Report"),
    "Slate": ("slates", "Slate"),
    "Store": ("stores", "Store"),
    "open": ("opening", "open_store"),
}


def __getattr__(name: str) -> Any:
    """Import the Python interface when it is first used: commands do without most of it."""
    if name == "refresh":
        return importlib.import_module("tracker.extras.refresh")
    if name not in _API:
        raise AttributeError(f"module 'tracker' has no attribute '{name}'")
    module, attribute = _API[name]
    return getattr(importlib.import_module(f"tracker.api.{module}"), attribute)


def __dir__() -> list[str]:
    """Name the interface, not what this module itself imports."""
    return sorted(__all__)
