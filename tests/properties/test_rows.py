"""JSON is written as Python's own writer does it, value for value and letter for letter."""

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tracker.rows import Rows, plain, to_json

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
FINITE = SCALARS.filter(lambda value: not isinstance(value, float) or math.isfinite(value))
VALUES = st.recursive(
    FINITE,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | FINITE, inner)
    ),
)


@given(VALUES)
def test_json_is_that_of_python(value: Any) -> None:
    expected = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    assert to_json(value) == f"{expected}\n"


@given(st.lists(st.tuples(SCALARS, SCALARS | st.dates() | st.datetimes() | st.lists(SCALARS))))
def test_records_have_the_plain_value_of_each_cell(values: list[tuple[Any, ...]]) -> None:
    expected = [{"a": plain(first), "b": plain(second)} for first, second in values]
    assert Rows(["a", "b"], values).records() == expected
