"""The store: one DuckDB file, its tables, its views, and how it is opened."""

from tracker.clock import now
from tracker.errors import DEFAULT_WAIT_SECONDS
from tracker.store.opening import (
    copy,
    reader,
    require_place,
    set_as_of,
    use_stated_dates,
    violations,
    writer,
)
from tracker.store.revisions import alembic_config, upgrade

__all__ = [
    "DEFAULT_WAIT_SECONDS",
    "alembic_config",
    "copy",
    "now",
    "reader",
    "require_place",
    "set_as_of",
    "upgrade",
    "use_stated_dates",
    "violations",
    "writer",
]
