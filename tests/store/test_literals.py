"""Values written into statements: what DuckDB makes of them is what it makes of bound ones."""

import math
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tracker.store import literals

VALUES = [
    "it's",
    '"',
    "--",
    "$1",
    "?",
    "",
    "\\n",
    "5c9f4a52",
    0,
    -5,
    2**40,
    True,
    False,
    None,
    0.1,
    -1e-300,
    1e300,
    math.inf,
    -math.inf,
    UUID(int=7),
    date(2025, 3, 4),
    datetime(2025, 3, 4, 5, 6, 7, 89),
    datetime(2025, 3, 4, 5, 6, 7, 89, UTC),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_the_same_written_and_bound(value: Any) -> None:
    statement = "select $1 as one, 0 -$2 as two, '$1 ?' as three -- $1 ?"
    written = literals.written(statement, (value, 3))
    assert written is not None
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        assert connection.execute(written).fetchall() == [(value, -3, "$1 ?")]
        assert connection.execute(statement, (value, 3)).fetchall() == [(value, -3, "$1 ?")]


def test_question_marks_are_written_in_their_order() -> None:
    assert literals.written('select ? as "?", ? /* ? */', ("a", 1)) == (
        "select 'a' as \"?\", (1) /* ? */"
    )


@pytest.mark.parametrize("value", ["caf\u00e9", "a\nb", "a\0b", [1], b"a"], ids=repr)
def test_other_values_are_bound(value: Any) -> None:
    assert literals.written("select ?", (value,)) is None
