"""Shells complete commands, slates, sets and views, without what is slow to import."""

import json
import shutil
import sys
from pathlib import Path

import click
import duckdb
import pytest
from bench import Bench
from support import printed, ran

from tracker.cli import main

TRACKER = Path(sys.executable).with_name("tracker")
SLOW = ["sqlalchemy", "pandas", "scipy", "altair", "alembic", "rich.console", "tracker.store"]
SCRIPT = """
import json, sys
from click.shell_completion import BashComplete
from tracker.cli import main
*given, incomplete = sys.argv[1:]
found = BashComplete(main, {}, "tracker", "_TRACKER_COMPLETE").get_completions(given, incomplete)
slow = json.loads(sys.stdin.read())
print(json.dumps([[one.value for one in found], [name for name in slow if name in sys.modules]]))
"""


def _completed(*words: object, db: Path | None = None) -> tuple[list[str], list[str]]:
    """Return what a shell offers for the last word, and which slow modules that imported."""
    options = [] if db is None else ["--db", str(db)]
    names = json.dumps([*SLOW, "duckdb"])
    done = ran(sys.executable, "-c", SCRIPT, *options, *words, stdin=names)
    values, slow = json.loads(printed(done))
    return values, slow


@pytest.fixture
def world(demo_store: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_store, tmp_path / "store.duckdb"))


def test_commands_are_completed_without_slow_imports() -> None:
    assert _completed("re") == (["refresh", "release", "replay", "report", "retrospective"], [])
    slate = main.commands["slate"]
    assert isinstance(slate, click.Group)
    assert "freeze" in slate.commands
    assert _completed("slate", "") == (sorted(slate.commands), [])
    assert _completed("v") == (["verify", "view"], [])
    assert _completed("refresh", "") == (["detect", "doctor", "fetch"], [])
    assert _completed("refresh", "doctor", "--off") == (["--offline"], [])
    assert "--db" in _completed("--d")[0]


def _imported(slow: list[str], *words: object) -> str:
    """Return which of the slow modules a command imports."""
    script = "import sys, tracker.cli; tracker.cli.main(sys.argv[1:], standalone_mode=False); "
    script += f"print([name for name in {slow} if name in sys.modules])"
    return printed(ran(sys.executable, "-c", script, *words)).splitlines()[-1]


def test_the_version_needs_no_slow_import() -> None:
    assert _imported([*SLOW, "duckdb"], "--version") == "[]"


@pytest.mark.slow
def test_what_only_reads_imports_no_more_than_it_needs(world: Path) -> None:
    slow = ["alembic", "altair", "filelock", "httpx", "scipy.stats"]
    assert _imported([*slow, "duckdb"], "--db", world, "report", "5c9f4a52") == "['duckdb']"
    slow += ["cryptography", "pandas", "scipy", "duckdb"]
    assert _imported(slow, "--db", world, "slate", "list") == "['duckdb']"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["slate", "show", "5c9f4a"], ["5c9f4a52"]),
        (["report", "est"], ["estimate"]),
        (["report", "5c9f4a"], ["5c9f4a52"]),
        (["report", "estimate", "5c9f4a"], ["5c9f4a52"]),
        (["report", "--versus", "est"], []),
        (["assess", "5c9f4a52-7"], ["5c9f4a52-7"]),
        (["compare", "5c9f4a52", "a07e1f"], ["a07e1f36"]),
        (["outcome", "list", "zz"], []),
        (["slate", "freeze", "--candidates", "w"], ["world"]),
        (["slate", "freeze", "--labels", ""], ["known"]),
        (["view", "tier_hit"], ["tier_hit_rate"]),
    ],
)
def test_names_are_completed(words: list[str], offered: list[str], world: Path) -> None:
    values, slow = _completed(*words, db=world)
    assert values == offered
    assert set(slow) <= {"duckdb"}


def test_every_view_is_offered() -> None:
    listed = json.loads(printed(ran(TRACKER, "view", "--all", "--format", "json")))
    assert _completed("view", "")[0] == sorted(row["view"] for row in listed)


def test_a_store_that_cannot_be_read_offers_nothing(bench: Bench) -> None:
    assert _completed("slate", "show", "", db=bench.folder / "none.duckdb")[0] == []
    assert _completed("slate", "show", "", db=bench.write("text.duckdb", "no store"))[0] == []


def test_names_that_a_shell_would_run_are_not_offered(world: Path) -> None:
    with duckdb.connect(str(world)) as connection:
        for number, name in enumerate(["$(touch x)", "a b", "a;b", "-rf", "fine_1"], start=100):
            connection.execute(
                "insert into candidate_set by name select * replace (? as name, "
                "? as candidate_set_id, ? as sha256) from candidate_set limit 1",
                [name, number, f"{number:064}"],
            )
    found = _completed("slate", "freeze", "--candidates", "", db=world)[0]
    assert found == ["fine_1", "world"]


def test_a_view_in_place_of_a_table_is_not_queried(tmp_path: Path) -> None:
    path = tmp_path / "hostile.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create view candidate_set as select 'x' as name")
    assert _completed("slate", "freeze", "--candidates", "", db=path)[0] == []


def test_the_shell_is_given_a_script() -> None:
    script = printed(ran(TRACKER, _TRACKER_COMPLETE="bash_source"))
    assert "complete -o nosort -F _tracker_completion tracker" in script


def test_each_command_is_where_the_list_says() -> None:
    for name in main.commands:
        assert main.commands[name].name == name
    with pytest.raises(KeyError):
        main.commands["none"]
    assert isinstance(main, click.Group)
