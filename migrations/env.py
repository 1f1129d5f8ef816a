"""Runs the migrations on the connection that tracker.store.opening passes in."""

from alembic import context
from alembic.ddl.impl import DefaultImpl
from sqlalchemy import MetaData

from tracker import schema
from tracker.store import dictionary


class DuckDBImpl(DefaultImpl):
    """alembic has no DuckDB implementation of its own; DuckDB rolls DDL back."""

    __dialect__ = "duckdb"
    transactional_ddl = True


def _is_table(_object: object, _name: str | None, kind: str, _reflected: bool, _to: object) -> bool:
    """Compare tables, columns and uniques; DuckDB reflects the index behind a key as an index."""
    return kind != "index"


def _as_stored() -> MetaData:
    """Return the tables with the comments on their columns, which come with the views."""
    stored = MetaData()
    for table in schema.metadata.tables.values():
        for column in table.to_metadata(stored).columns:
            column.comment = str(dictionary.columns()[column.name])
    return stored


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=_as_stored(),
    include_object=_is_table,
)
with context.begin_transaction():
    context.run_migrations()
