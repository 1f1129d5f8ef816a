"""The pictures of the architecture are those that the code gives, and the page is short."""

import ast
import re
from functools import cache
from xml.etree import ElementTree

import pytest
from support import ENDPOINT, ROOT, docs_module

from tracker import schema
from tracker.log import leaf_data
from tracker.store import catalog

DOCS = ROOT / "docs"
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")
SCRIPT = docs_module("draw_architecture")
SVG = "{http://www.w3.org/2000/svg}"


@cache
def drawn() -> dict[str, str]:
    found: dict[str, str] = SCRIPT.pictures()
    return found


def names_in(picture: str) -> list[str]:
    """The names of the boxes of a picture."""
    root = ElementTree.fromstring(drawn()[picture])  # noqa: S314 - the test's own text
    return [one.text or "" for one in root.iter(f"{SVG}text") if one.get("class") == "name"]


def test_the_pictures_are_drawn_from_the_code_as_it_is() -> None:
    """Else run docs/draw_architecture.py and look at what changed."""
    kept = {path.name: path.read_text(encoding="utf-8") for path in SCRIPT.PICTURES.iterdir()}
    assert sorted(kept) == sorted(drawn())
    assert [name for name, content in drawn().items() if kept[name] != content] == []
    assert set(re.findall(r"\[!\[[^]]{20,}\]\(pictures/([\w.]+)\)\]", PAGE)) == set(kept)


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) <= 1_500


@pytest.mark.parametrize("picture", ["floors.svg", "tower.svg", "matching.svg", "seals.svg"])
def test_a_picture_fits_the_column_and_its_texts_fit_their_boxes(picture: str) -> None:
    """At 1440 pixels the column of a page has 688; no box lies on another."""
    root = ElementTree.fromstring(drawn()[picture])  # noqa: S314 - the test's own text
    assert int(root.attrib["width"]) <= 720
    boxes = [
        tuple(int(one.attrib[name]) for name in ("x", "y", "width", "height"))
        for one in root.iter(f"{SVG}rect")
        if one.get("rx") == "6"
    ]
    assert len(boxes) == len(names_in(picture)) > 10
    for n, (x, y, width, height) in enumerate(boxes):
        assert 0 <= x < x + width <= int(root.attrib["width"])
        for x_2, y_2, width_2, height_2 in boxes[n + 1 :]:
            is_beside = x + width <= x_2 or x_2 + width_2 <= x
            assert is_beside or y + height <= y_2 or y_2 + height_2 <= y


def test_imports_lead_to_lower_floors() -> None:
    floor = {name: n for n, row in enumerate(SCRIPT.layers()) for name in row}
    found = SCRIPT.imports()
    upward = [(one, other) for one in found for other in found[one] if floor[other] <= floor[one]]
    assert upward == []
    assert "store" in found["slates"]
    packages = {path.parent.name for path in (ROOT / "tracker").glob("*/__init__.py")}
    assert packages <= {*names_in("floors.svg")}


def test_the_tower_has_every_view_between_the_events_and_the_endpoint() -> None:
    below, steps = SCRIPT.tower()
    reads = catalog.reads()
    named = {*below}.union(*steps.values())
    assert {"event", "slate_event", "pair_event", ENDPOINT} <= named
    expected = {
        name
        for name in catalog.read_below(catalog.find(ENDPOINT))
        if name == "event" or (name in reads and "event" in reaching(name))
    }
    assert named == expected | {ENDPOINT}
    assert {*names_in("tower.svg")} == {*below}


def reaching(name: str) -> frozenset[str]:
    return catalog.read_below(catalog.find(name))


def test_the_matching_chain_begins_and_ends_where_it_says() -> None:
    below, kinds = SCRIPT.matching_chain()
    targets = {name for direct in below.values() for name in direct}
    assert {*below} - targets == {"trial_condition", "trial_intervention"}
    assert [name for name, direct in below.items() if not direct] == ["trial_pair"]
    assert kinds["drug_match"] == kinds["trial_condition"] == "fact"
    assert kinds["registry_text"] == "box"
    assert kinds["trial_pair"] == "kept"


def test_every_sealed_table_has_one_form_of_leaf() -> None:
    tables = [name for names in SCRIPT.leaf_forms().values() for name in names]
    assert sorted(tables) == sorted(table.name for table in leaf_data.tables())
    said = drawn()["seals.svg"]
    assert [name for name in tables if not re.search(rf"\b{name}\b", said)] == []


@pytest.mark.parametrize("seal", SCRIPT.SEALS, ids=lambda seal: f"{seal[0]} in {seal[1]}")
def test_what_seals_what_is_as_the_code_has_it(
    seal: tuple[str, str, str, tuple[str, ...]],
) -> None:
    """The function that a line names has its words, and its columns are in the schema."""
    *ends, where, words = seal
    for end in ends:
        table, _, column = str(end).partition(".")
        if column and not str(end).endswith(".json"):
            assert column in schema.metadata.tables[table].c
    module, _, name = where.partition(".")
    sources = [
        ast.get_source_segment(path.read_text(encoding="utf-8"), node) or ""
        for path in (ROOT / "tracker").rglob(f"{module}.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    assert [all(word in source for word in words) for source in sources].count(True) == 1


def test_a_longer_way_stands_for_an_arrow() -> None:
    reduced = SCRIPT.reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    assert reduced == {"a": {"b"}, "b": {"c"}, "c": set()}
