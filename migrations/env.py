"""Runs the migrations on the connection that tracker.store.opening passes in."""

from alembic import context
from alembic.ddl.impl import DefaultImpl

from tracker.store import schema


class DuckDBImpl(DefaultImpl):
    """alembic has no DuckDB implementation of its own; DuckDB rolls DDL back."""

    __dialect__ = "duckdb"
    transactional_ddl = True


def _is_table(_object: object, _name: str | None, kind: str, _reflected: bool, _to: object) -> bool:
    """Compare tables, columns and uniques; DuckDB reflects the index behind a key as an index."""
    return kind != "index"


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=schema.metadata,
    include_object=_is_table,
)
with context.begin_transaction():
    context.run_migrations()
