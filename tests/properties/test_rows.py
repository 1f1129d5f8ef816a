"""JSON is written as Python's own writer does it, but for characters that a terminal obeys."""

import json
import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tracker.rows import Rows, markdown_cell, plain, to_json

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
FINITE = SCALARS.filter(lambda value: not isinstance(value, float) or math.isfinite(value))
VALUES = st.recursive(
    FINITE,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | FINITE, inner)
    ),
)


# DEL and the second set of controls, separators of lines, and marks that turn the direction.
OBEYED = {*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)}


@given(VALUES)
@example("\x7f\x9b\u2028\u202e\u2069\u200e\\u009b")
def test_json_is_that_of_python(value: Any) -> None:
    plainly = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    written = [f"\\u{ord(one):04x}" if ord(one) in OBEYED else one for one in plainly]
    assert to_json(value) == f"{''.join(written)}\n"
    assert json.loads(to_json(value)) == json.loads(plainly)


def test_no_text_of_a_cell_is_markdown() -> None:
    assert markdown_cell("~~a_b~~ _c_ &lt; &#62; R&D") == (r"\~\~a_b\~\~ \_c\_ \&lt; \&#62; R&D")


@given(st.lists(st.tuples(SCALARS, SCALARS | st.dates() | st.datetimes() | st.lists(SCALARS))))
def test_records_have_the_plain_value_of_each_cell(values: list[tuple[Any, ...]]) -> None:
    expected = [{"a": plain(first), "b": plain(second)} for first, second in values]
    assert Rows(["a", "b"], values).records() == expected
