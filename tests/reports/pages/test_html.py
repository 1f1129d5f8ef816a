"""No text of a table becomes markup, whatever kinds of values its column has."""

from datetime import date
from typing import Any

import pytest

from tracker.reports.pages import html
from tracker.reports.pages.page import Link
from tracker.rows import Rows

HOSTILE = "<script>alert('x')</script>"


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([HOSTILE, "gout"], id="texts"),
        pytest.param([HOSTILE, None], id="texts and none"),
        pytest.param([HOSTILE, date(2026, 1, 1)], id="texts and days"),
        pytest.param([HOSTILE, 0.5], id="texts and numbers"),
        pytest.param([[HOSTILE], "gout"], id="a list"),
        pytest.param([Link(HOSTILE, "slates/1.html"), Link("gout", "slates/2.html")], id="links"),
        pytest.param([Link("gout", f'"{HOSTILE}'), "gout"], id="an address"),
    ],
)
def test_a_cell_shows_its_text_and_no_markup(values: list[Any]) -> None:
    rows = Rows(["name"], [(value,) for value in values])
    body = str(html.environment().filters["body"](rows, 10, False))
    assert "<script" not in body
    assert "&lt;script&gt;" in body
