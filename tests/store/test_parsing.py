"""What is kept of parsing sql/: used where it is of these texts and this DuckDB, else made anew."""

import importlib.util
import json
from pathlib import Path

import pytest

from tracker.store import catalog, parsing

SELECTS = ["select 1 as one from slate", "with slate as (select 2) from slate", "select from"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.pycache_prefix", str(tmp_path))
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    path = Path(importlib.util.cache_from_source(parsing.__file__)).with_name("sql.json")
    path.parent.mkdir(parents=True)
    return path


def test_what_was_parsed_is_kept_for_the_same_texts_alone(place: Path) -> None:
    expected = dict(zip(SELECTS, parsing.parse(SELECTS), strict=True))
    assert parsing.kept(SELECTS) == expected
    key, _ = json.loads(place.read_text())
    place.write_text(json.dumps([key, [[None, [name], [], name] for name in "abc"]]))
    assert parsing.kept(SELECTS)[SELECTS[0]].tables == ["a"]
    others = ["select 3 as three from prediction"]
    assert parsing.kept(others)[others[0]].tables == ["prediction"]


@pytest.mark.parametrize("content", ["", "[", "[]", "{}", "null", '["other", []]'])
def test_a_damaged_file_is_made_anew(place: Path, content: str) -> None:
    place.write_text(content)
    assert parsing.kept(SELECTS)[SELECTS[0]].tables == ["slate"]
    assert json.loads(place.read_text())[0] != "other"


def test_nothing_is_kept_where_nothing_can_be_or_may_be_written(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    parsing.kept(SELECTS)
    assert not place.exists()
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    place.parent.rmdir()
    assert parsing.kept(SELECTS)[SELECTS[1]].ctes == ["slate"]


def test_a_text_that_is_no_select_has_no_other_text() -> None:
    problem = parsing.parse(SELECTS)[2]
    assert problem.problem is not None
    assert problem.stored is None
    assert catalog.as_stored(SELECTS[:1]) == ["SELECT 1 AS one FROM slate"]
