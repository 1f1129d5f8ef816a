"""Finds values that tracker never writes, and on which a command would stumble as it reads them.

A date before the year 1 or an infinite instant has no counterpart in Python, a plan that is no
object has no criteria, and a hash that is not hexadecimal has no bytes. Whoever writes into the
file can put them there; `tracker check` names them before it reads anything else.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection

from tracker import schema

_DATES = date(1, 1, 1), date(9999, 12, 31)
_INSTANTS = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)

# Where loaded files may state anything, as in the details of events, no kind is expected.
_OBJECTS = ("plan", "parameters", "fingerprint", "recipe", "definition", "row_key")
_HASHED = ("log_entry", "moved_entry", "log_head")
_HASH = "[0-9a-f]{64}"
_PEAKS = rf'\[("{_HASH}"(, ?"{_HASH}")*)?\]'


def problems(connection: Connection) -> list[str]:
    """Return a line for each column with such a value: the first row that has one, and the value.

    One query for each table that can have one, whatever else the file was altered in.
    """
    found = []
    for table in schema.metadata.sorted_tables:
        rules = dict(_rules(table))
        if not rules:
            continue
        query = sa.select(*(sa.func.bool_or(wrong) for wrong in rules.values()))
        has = connection.execute(query.select_from(table)).one()
        for (name, wrong), is_wrong in zip(rules.items(), has, strict=True):
            if is_wrong:
                found.append(_first(connection, table, name, wrong))
    return found


def _rules(table: sa.Table) -> Iterator[tuple[str, ColumnElement[bool]]]:
    """Yield the columns that can hold what tracker never writes, with the condition for it."""
    for column in table.columns:
        if isinstance(column.type, sa.Date):
            yield column.name, sa.not_(column.between(*_DATES))
        elif isinstance(column.type, sa.TIMESTAMP):
            yield column.name, sa.not_(column.between(*_INSTANTS))
        elif column.name in _OBJECTS:
            yield column.name, sa.func.json_type(column) != "OBJECT"
        elif column.name == "peaks":
            yield (
                column.name,
                sa.not_(sa.func.regexp_full_match(sa.cast(column, sa.String), _PEAKS)),
            )
        elif table.name in _HASHED and column.name.endswith("sha256"):
            yield column.name, sa.not_(sa.func.regexp_full_match(column, _HASH))


def _first(connection: Connection, table: sa.Table, name: str, wrong: ColumnElement[bool]) -> str:
    keys = list(table.primary_key)
    columns = [sa.cast(one, sa.String) for one in (*keys, table.columns[name])]
    *key, value = connection.execute(
        sa.select(*columns).where(wrong).order_by(*keys).limit(1)
    ).one()
    row = f", row {', '.join(key)}" if key else ""
    return f"table {table.name}{row}: {name} is {value!r}, which tracker never writes"
