"""How much memory a command may take: DuckDB, which keeps to it by itself, and the process."""

import os
import re
from pathlib import Path

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", re.IGNORECASE)
_PAGES = Path("/proc/self/statm")
# What Python and its libraries take beside DuckDB.
_BESIDE = 10**9


def limit() -> str:
    """Return the memory that DuckDB may use, as DuckDB takes it: TRACKER_MEMORY_LIMIT or 4GB."""
    return os.environ.get("TRACKER_MEMORY_LIMIT", "4GB")


def process_limit() -> int | None:
    """Return the bytes that a command may take in all, None if the limit is not a size.

    DuckDB does not count lists and other large values of some functions towards its limit, so the
    process may take twice as much, and 1 GB.
    """
    found = _SIZE.fullmatch(limit())
    if found is None:
        return None
    number, prefix, is_binary = found.groups()
    unit = (1024 if is_binary else 1000) ** " KMGT".index(prefix.upper() or " ")
    return int(2 * float(number) * unit) + _BESIDE


def taken() -> int | None:
    """Return the bytes of memory that the process has of its own, None if the system hides them."""
    try:
        _size, resident, shared, *_ = _PAGES.read_text().split()
    except (OSError, ValueError):
        return None
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGESIZE")
