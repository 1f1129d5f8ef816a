"""The store: one DuckDB file, its tables, its views, and how it is opened."""

from tracker.errors import DEFAULT_WAIT_SECONDS
from tracker.store.clock import now
from tracker.store.opening import (
    believe_dates,
    copy,
    look_back,
    reader,
    require_place,
    violations,
    writer,
)
from tracker.store.revisions import alembic_config, upgrade

__all__ = [
    "DEFAULT_WAIT_SECONDS",
    "alembic_config",
    "believe_dates",
    "copy",
    "look_back",
    "now",
    "reader",
    "require_place",
    "upgrade",
    "violations",
    "writer",
]
