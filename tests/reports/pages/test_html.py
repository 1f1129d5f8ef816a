"""No text of a table becomes markup, whatever kinds of values its column has."""

import re
from datetime import date
from typing import Any

import pytest

from tracker.reports.pages import html
from tracker.reports.pages.page import Dumbbell, Hash, Link, Verdict
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
        pytest.param([Hash(HOSTILE)], id="a hash"),
        pytest.param([Verdict(HOSTILE, "", "", "works"), Verdict("", "", "")], id="verdicts"),
    ],
)
def test_a_cell_shows_its_text_and_no_markup(values: list[Any]) -> None:
    rows = Rows(["name"], [(value,) for value in values])
    body = str(html.environment().filters["body"](rows, 10, False))
    assert "<script" not in body
    assert "&lt;script&gt;" in body


def test_a_dumbbell_has_both_counts_on_its_scale_and_in_words() -> None:
    rows = Rows(["hits"], [(Dumbbell(0, 10.0, 20.0),), (Dumbbell(20, 5.0, 20.0),)])
    body = str(html.environment().filters["body"](rows, 10, False))
    assert re.findall('aria-label="([^"]*)"', body) == [
        "0 where 10.0 were expected",
        "20 where 5.0 were expected",
    ]
    # Expected, found: the ends of the scale are as far from the edges as a dot is wide.
    places = [float(place) for place in re.findall('cx="([^"]*)"', body)]
    assert places[1] + places[2 + 1] == 120
    assert places[0] == 60
    assert places[1] < places[2] < places[3]
