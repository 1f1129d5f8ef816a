"""Rankers, sources and commands that packages add to tracker through its entry points.

None replaces tracker's own: of several entries of one name tracker's counts, else that of the
package whose name comes first.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tracker.errors import InputRefused

_OWN = "slate-tracker"


def named(group: str) -> dict[str, EntryPoint]:
    """Return the entries of a group by their names, in the order of these."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, []).append(entry)
    # What package an entry is of is read from a file, each time.
    return {
        name: entries[0] if len(entries) == 1 else min(entries, key=_precedence)
        for name, entries in sorted(found.items())
    }


def is_own(entry: EntryPoint) -> bool:
    """Whether an entry is tracker's own."""
    return entry.dist is not None and entry.dist.name == _OWN


def origin(entry: EntryPoint) -> str:
    """Return the place of an entry's code and the release of its package."""
    release = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown distribution"
    return f"{entry.value} of {release}"


def load(entry: EntryPoint, noun: str) -> Any:
    """Import what an entry names; raises InputRefused if its code cannot be imported."""
    try:
        return entry.load()
    except Exception as error:
        raise InputRefused(
            f"{noun} '{entry.name}' ({origin(entry)}) cannot be loaded: {error}"
        ) from error


def _precedence(entry: EntryPoint) -> tuple[bool, str]:
    return not is_own(entry), entry.dist.name if entry.dist else ""
