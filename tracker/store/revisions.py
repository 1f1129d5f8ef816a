"""Revisions of a store: which one a file is of, and bringing it up to date.

A store is data, not code: one that defines anything besides tracker's tables and views is refused
before a query runs on it.
"""

import functools
from typing import TYPE_CHECKING, Any

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import resources, schema
from tracker.errors import InputRefused
from tracker.log import sealing
from tracker.store import building, catalog, definitions, sealed_sets

if TYPE_CHECKING:
    from alembic.config import Config

_BUILT_BY = (
    "select comment from system.main.duckdb_tables() "
    "where schema_name = 'state' and table_name = 'made_from'"
)
_HEADS = "select version_num from alembic_version"

# The migration of 0.3.0 continues from 0.2.0 and from all revisions between: it goes by the tables.
_BEFORE_0_3 = "0009"
_IN_0_3 = "0029"
# Two revisions each had these numbers: a store that states one, and lacks the table, continues from
# the other revision.
_GIVEN_TWICE = {"0005": ("submission", "0004"), "0030": ("publication", _BEFORE_0_3)}


def upgrade(connection: Connection, revision: str = "head") -> str | None:
    """Bring the tables to `revision` and rebuild the views unless they are current.

    Returns the reason for which the store is then to be sealed: 'created' or 'upgraded', or None
    if it was of this revision. Raises InputRefused if the file is damaged, has other tables, or is
    of a newer tracker, StoreAltered if it has foreign definitions, and CheckFailed if its rows are
    not as many as were sealed.
    """
    target = known()[-1] if revision == "head" else revision
    contents = definitions.read(connection)
    found = revision_of(connection, contents)
    if schema.log_head.name in contents.tables:
        sealing.require_counts(connection, contents.tables)
    if found != target:
        from alembic import command

        config = alembic_config()
        config.attributes["connection"] = connection
        if found is not None and (led_on_from := _led_on_from(found, contents)) != found:
            command.stamp(config, led_on_from, purge=True)
        try:
            command.upgrade(config, revision)
        except sa.exc.DBAPIError as error:
            if not isinstance(error.orig, duckdb.CatalogException):
                raise
            raise InputRefused(
                f"is damaged: its tables are not those of revision {found}, which it states"
            ) from error
        contents = definitions.read(connection)
    if revision == "head":
        definitions.require_tables(contents)
        sealed_sets.require_present(connection, contents)
        installed = sealed_sets.installed(connection, contents)
        is_built = building.are_views_current(connection, installed)
        altered = definitions.altered_views(contents, installed)
        if not is_built or altered or definitions.altered_state(contents, installed):
            building.build_views(connection, installed)
    if found == target:
        return None
    return "created" if found is None else "upgraded"


@functools.cache
def known() -> tuple[str, ...]:
    """Return the revisions in their order, with which the names of the migrations begin.

    Alembic would read them in the migrations, and takes longer to import than a store to open.
    """
    versions = resources.directory("migrations") / "versions"
    return tuple(sorted(path.name.partition("_")[0] for path in versions.glob("[0-9]*.py")))


def alembic_config() -> "Config":
    """Return the configuration alembic runs with; there is no alembic.ini."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(resources.directory("migrations")))
    return config


def require_store(connection: Connection, contents: definitions.Contents) -> list[str]:
    """Return the revisions that a tracker store states; refuse another program's file."""
    heads: list[Any] = []
    if definitions.REVISION_TABLE in contents.tables:
        heads = list(connection.exec_driver_sql(_HEADS).scalars())
    if len(heads) > 1:
        raise InputRefused(f"is damaged: it states {len(heads)} revisions")
    if heads == [None]:
        # DuckDB reads so where the file says of a column that it has values of that kind.
        raise InputRefused(f"is damaged: its revision, in {definitions.REVISION_TABLE}, is NULL")
    if not heads or not contents.tables & schema.metadata.tables.keys():
        own = {*definitions.expected_views(catalog.read_views()), definitions.REVISION_TABLE}
        if heads or not contents.names <= own:
            raise InputRefused("is a DuckDB file with other tables, not a tracker store")
    return heads


def require_current(connection: Connection, contents: definitions.Contents) -> None:
    """Raise InputRefused unless the store is of the revision and the views of this tracker."""
    current = revision_of(connection, contents)
    if current is None:
        raise InputRefused("is a DuckDB file but not a tracker store")
    is_current = current == known()[-1]
    if is_current:
        definitions.require_tables(contents)
    installed = sealed_sets.installed(connection, contents)
    is_built = is_current and building.are_views_current(connection, installed)
    if is_current and (is_built or not definitions.altered_views(contents, installed)):
        # Also where only view_build differs.
        definitions.require_views(contents, installed)
    if not is_built:
        found = connection.exec_driver_sql(_BUILT_BY).scalar()
        by = f" ({found})" if found not in (None, building.built_by()) else ""
        raise InputRefused(
            f"is a store of another version{by}; bring it up to date with 'tracker init'"
        )


def revision_of(connection: Connection, contents: definitions.Contents) -> str | None:
    """Return a tracker store's revision, None for an empty file; refuse anything else.

    Raises InputRefused for another program's file, a damaged store, and one of a newer tracker, and
    StoreAltered if it has foreign definitions.
    """
    heads = require_store(connection, contents)
    definitions.require_own(connection, contents, catalog.read_views())
    if not heads:
        return None
    (head,) = heads
    if not (head in known() or _BEFORE_0_3 < head < _IN_0_3):
        raise InputRefused(f"was written by a newer tracker (revision {head}); upgrade tracker")
    return head


def _led_on_from(head: str, contents: definitions.Contents) -> str:
    """Return the revision from which migrations lead on a store that states `head`."""
    if _BEFORE_0_3 < head < _IN_0_3:
        return _BEFORE_0_3
    table, other = _GIVEN_TWICE.get(head, ("", head))
    return head if not table or table in contents.tables else other
