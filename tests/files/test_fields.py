"""What a file says is compared with a description of its fields; each problem is one line."""

from typing import Any

import pytest

from tracker.errors import InputRefused
from tracker.files import fields

ITEM = fields.record({"name": fields.TEXT, "at": fields.INSTANT}, {"size": fields.whole(0, 9)})
TABLE = fields.table(
    {"items": fields.listed(ITEM, "a list of items", least=1)},
    {
        "url": fields.text("an address", lambda text: text.startswith("h") or None, is_shown=False),
        "share": fields.number("a share", lambda value: 0 <= value <= 1),
        "sha256": fields.optional(fields.SHA256),
    },
    rule=lambda value: [(".share", "is not for one item")] if len(value["items"]) == 1 else [],
)
GOOD = {"name": "a", "at": "2026-01-01"}
BREAK = r"\n"
NESTED: list[Any] = []
for _ in range(900):
    NESTED = [NESTED]

PROBLEMS: dict[str, tuple[Any, list[str]]] = {
    "none": ({"items": [GOOD, {**GOOD, "more": 1, "size": 9}], "sha256": None, "share": 1}, []),
    "no table": ([1], ["f.toml: [1] is not a table"]),
    "a rule": ({"items": [GOOD]}, ["f.toml, share: is not for one item"]),
    "all at once": (
        {"items": [{"at": 1}, GOOD], "itmes": 0, "share": float("nan")},
        [
            "f.toml, itmes: unknown key; known: items, url, share, sha256",
            "f.toml, items[1].name: is missing; needs text",
            "f.toml, items[1].at: 1 is not an instant (YYYY-MM-DDTHH:MM:SS+00:00)",
            "f.toml, share: nan is not a share",
        ],
    ),
    "no rule of what is wrong": ({"items": []}, ["f.toml, items: [] is not a list of items"]),
    "true is no number": (
        {"items": [{**GOOD, "size": True}, GOOD], "share": True},
        [
            "f.toml, items[1].size: true is not a whole number from 0 to 9",
            "f.toml, share: true is not a share",
        ],
    ),
    "an instant beyond the calendar": (
        {"items": [{**GOOD, "at": "0001-01-01T00:00:00+14:00"}, GOOD]},
        [
            "f.toml, items[1].at: '0001-01-01T00:00:00+14:00' is not an instant "
            "(YYYY-MM-DDTHH:MM:SS+00:00)"
        ],
    ),
    "a password": ({"items": [GOOD] * 2, "url": "x:pass@"}, ["f.toml, url: is not an address"]),
    "deep nesting": (
        {"items": [{**GOOD, "name": NESTED}, GOOD]},
        ["f.toml, items[1].name: [[[[[[[...]]]]]]] is not text"],
    ),
    "a long text on lines": (
        {"items": [{**GOOD, "at": "\n" * 999}, GOOD]},
        [f"f.toml, items[1].at: '{29 * BREAK}\\ ... is not an instant (YYYY-MM-DDTHH:MM:SS+00:00)"],
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_each_problem_is_one_line(name: str) -> None:
    value, lines = PROBLEMS[name]
    assert list(fields.problems("f.toml", value, TABLE)) == lines


def test_what_is_required_is_refused_with_its_first_problem() -> None:
    assert fields.require("f.json", GOOD, ITEM) is GOOD
    with pytest.raises(InputRefused) as caught:
        fields.require("f.json", {}, ITEM)
    assert caught.value.lines == ["f.json, name: is missing; needs text"]
