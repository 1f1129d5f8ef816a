"""Values written into SQL: to bind one, DuckDB imports pandas, longer than a small query takes."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

# Placeholders; and quoted names, texts and comments, where a question mark is no placeholder.
_TOKEN = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|(?P<next>\?)|\$(?P<number>\d+)",
    re.DOTALL,
)

_KINDS: dict[type, str] = {date: "date", float: "double", UUID: "uuid"}


def quoted(value: str) -> str:
    """Return a text as a literal."""
    return "'" + value.replace("'", "''") + "'"


def written(statement: str, parameters: Any) -> str | None:
    """Return a statement with its parameters written into it, None if any needs to be bound.

    Texts are written if they are plain, as ids and words of the code are.
    """
    if not parameters or not isinstance(parameters, Sequence):
        return None
    found = [_literal(value) for value in parameters]
    if None in found:
        return None
    ordered = iter(found)

    def put(match: re.Match[str]) -> str:
        if match["next"]:
            return str(next(ordered))
        return str(found[int(match["number"]) - 1]) if match["number"] else match[0]

    return _TOKEN.sub(put, statement)


def _literal(value: object) -> str | None:
    if value is None:
        return "null"
    if isinstance(value, str):
        return quoted(value) if value.isascii() and value.isprintable() else None
    if isinstance(value, int):
        # In brackets: after a minus, that of a negative one would begin a comment.
        return f"({value})".lower()
    if isinstance(value, datetime):
        return f"'{value}'::{'timestamp' if value.tzinfo is None else 'timestamptz'}"
    kind = _KINDS.get(type(value))
    return None if kind is None else f"'{value}'::{kind}"
