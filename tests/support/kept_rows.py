"""Compares the rows that a store keeps of views with their definitions."""

from pathlib import Path

from tracker import store
from tracker.store.state import kept


def wrong(path: Path) -> list[str]:
    """Return which rows that a store keeps are not those of their definition."""
    with (
        store.reader(path) as stored,
        store.reader(path, from_rows=True) as rows,
        kept.computed(rows),
    ):
        return [*kept.problems(stored, rows)]
