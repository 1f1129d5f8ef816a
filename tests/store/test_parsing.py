"""What is kept of parsing sql/: used where it is of these texts and this DuckDB, else made anew."""

import functools
import hashlib
import importlib.util
import json
import os
import stat
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
    _poison(place)
    assert parsing.kept(SELECTS)[SELECTS[0]].tables == ["a"]
    others = ["select 3 as three from prediction"]
    assert parsing.kept(others)[others[0]].tables == ["prediction"]


def _poison(place: Path) -> None:
    """Write what no SELECT has, with the hash that makes it fit, as who may write the file can."""
    key = place.read_text().split()[0]
    rows = json.dumps([[None, [name], [], name] for name in "abc"])
    sha256 = hashlib.sha256(rows.encode()).hexdigest()
    place.write_text(f"{key} {sha256}\n{rows}")


@pytest.mark.parametrize("content", ["", "[", "[]", "{}", "null", "other hash\n[]", "\n"])
def test_a_damaged_file_is_made_anew(place: Path, content: str) -> None:
    place.write_text(content)
    assert parsing.kept(SELECTS)[SELECTS[0]].tables == ["slate"]
    made = place.read_text()
    assert made != content
    place.write_text(made.replace("slate", "event"))
    assert parsing.kept(SELECTS)[SELECTS[0]].tables == ["slate"]


def test_the_file_has_the_mode_of_the_module(place: Path) -> None:
    """Where others can write it, it is not believed, and made anew."""
    earlier = os.umask(0)
    try:
        parsing.kept(SELECTS)
    finally:
        os.umask(earlier)
    mode = stat.S_IMODE(Path(parsing.__file__).stat().st_mode) & 0o666
    assert stat.S_IMODE(place.stat().st_mode) == mode
    _poison(place)
    place.chmod(0o666)
    assert parsing.kept(SELECTS)[SELECTS[0]].tables == ["slate"]
    assert stat.S_IMODE(place.stat().st_mode) == mode


def test_a_check_parses_afresh(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_known", functools.cache(lambda: parsing.kept(SELECTS)))
    parsing.kept(SELECTS)
    _poison(place)
    assert catalog.as_stored(SELECTS[:1]) == ["a"]
    catalog.parse_afresh()
    assert catalog.as_stored(SELECTS[:1]) == ["SELECT 1 AS one FROM slate"]


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
