"""tracker refresh doctor: each thing that can be wrong with a refresh is found, with what helps."""

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
import servers
from evidence import chembl
from filelock import FileLock
from servers import World, serving
from support import Tracker, exited, ok

from tracker.evidence import release_ledger

CONFIGURATION = """
store = "store.duckdb"
settle_seconds = 0
source = [{kind = "chembl", path = "drop/*.db"}]
"""


@pytest.fixture
def drop(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A watched folder with a release in it."""
    assert db.parent == tmp_path
    monkeypatch.chdir(tmp_path)
    Path("tracker.toml").write_text(CONFIGURATION)
    Path("drop").mkdir()
    chembl(Path("drop/chembl_36.db"))
    return tmp_path / "drop"


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory, drop: Path) -> Iterator[World]:
    """A server, and a configuration that follows it."""
    assert drop.exists()
    with serving(World.of(servers.sources(tmp_path_factory.mktemp("sources")))) as found:
        Path("tracker.toml").write_text(found.configuration())
        yield found


def findings(tracker: Tracker, *words: str, code: int = 0) -> dict[str, list[dict[str, str]]]:
    """The findings by check."""
    done = exited(code, tracker("refresh", "doctor", "--format", "json", *words))
    found: dict[str, list[dict[str, str]]] = {}
    for one in json.loads(done.stdout):
        assert (one["remedy"] is None) == (one["state"] == "ok"), one
        found.setdefault(one["check"], []).append(one)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("drop")
def test_all_is_well(tracker: Tracker, db: Path) -> None:
    before = db.read_bytes()
    done = ok(tracker("refresh", "doctor"))
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "ok       configuration: tracker.toml: follows 1 source\n" in done.stdout
    assert "ok       next refresh: would ingest 1 new file: chembl_36.db\n" in done.stdout
    assert db.read_bytes() == before
    ok(tracker("refresh"))
    assert findings(tracker)["next refresh"][0]["finding"] == "no new files yet"


@pytest.mark.slow
def test_the_servers_are_asked(world: World, tracker: Tracker) -> None:
    assert [one["state"] for one in findings(tracker)["server"]] == ["ok"] * 5
    assert len(world.requests) == 6, "one each, and a redirect"
    world.faults["/fda"] = [servers.body(b"<html>Log in</html>")]
    world.faults["/chembl"] = servers.always(servers.status(503))
    found = findings(tracker, code=4)["server"]
    states = {one["finding"].partition(":")[0]: one["state"] for one in found}
    assert [name for name, state in states.items() if state == "problem"] == ["chembl", "drugsfda"]
    assert "503 Service Unavailable (tried 2 times)" in found[0]["finding"]
    n_before = len(world.requests)
    assert "server" not in findings(tracker, "--offline")
    assert len(world.requests) == n_before


def test_a_wrong_configuration(drop: Path, tracker: Tracker) -> None:
    Path("tracker.toml").write_text(CONFIGURATION + 'colour = "blue"\nsize = 1\n')
    found = findings(tracker, code=4)["configuration"]
    assert [one["finding"].partition(";")[0] for one in found] == [
        "tracker.toml, colour: unknown key",
        "tracker.toml, size: unknown key",
    ]
    Path("tracker.toml").unlink()
    (one,) = findings(tracker, code=4)["configuration"]
    assert "tracker.toml: no such file" in one["finding"]
    assert drop.exists()


@pytest.mark.usefixtures("drop")
def test_a_store_that_is_not_there_or_no_store(tracker: Tracker, db: Path) -> None:
    db.unlink()
    assert findings(tracker)["store"][0]["state"] == "warning"
    db.write_bytes(b"no store")
    assert findings(tracker, code=4)["store"][0]["state"] == "problem"


@pytest.mark.usefixtures("drop")
def test_another_process_writes(tracker: Tracker, db: Path) -> None:
    with FileLock(f"{db}.lock"):
        found = findings(tracker)["store"]
    assert [one["state"] for one in found] == ["ok", "warning"]
    assert "another process is writing" in found[1]["finding"]


@pytest.mark.slow
@pytest.mark.usefixtures("drop")
def test_a_clock_behind_the_newest_release(
    tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ok(tracker("refresh"))
    monkeypatch.setattr(release_ledger, "today", lambda: date(2025, 1, 1))
    (clock,) = findings(tracker, code=4)["clock"]
    assert clock["finding"] == "shows 2025-01-01, before the newest release of 2025-07-01"


@pytest.mark.usefixtures("drop")
def test_a_full_disk(tracker: Tracker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=1_000))
    (disk,) = findings(tracker, code=4)["disk"]
    assert disk["remedy"] == "make room"


def test_files(drop: Path, tracker: Tracker) -> None:
    shutil.rmtree(drop)
    (files,) = findings(tracker)["files"]
    assert (files["state"], files["finding"]) == (
        "warning",
        "chembl, drop/*.db: no file",
    )


@pytest.mark.slow
def test_a_refused_file_is_explained(drop: Path, tracker: Tracker) -> None:
    (drop / "chembl_37.db").write_bytes(b"SQLite format 3\0 cut off")
    exited(3, tracker("refresh"))
    refused = findings(tracker)["next refresh"][1]
    assert refused["finding"].startswith("refuses chembl_37.db: chembl_37.db: is not a SQLite file")


@pytest.mark.slow
@pytest.mark.usefixtures("drop")
def test_a_command_that_is_not_there(tracker: Tracker) -> None:
    notify = "[notify]\ncommand = "
    Path("tracker.toml").write_text(f"{CONFIGURATION}{notify}'no-such-mail -s x'\n")
    (one,) = findings(tracker, code=4)["notify"]
    assert one["finding"] == "no-such-mail: no such command"
    Path("tracker.toml").write_text(f"{CONFIGURATION}{notify}'sh -c true'\n")
    assert findings(tracker)["notify"][0]["finding"] == "digests are given to sh"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "only_a_shell"),
    [
        ("cat >> notified.txt", ">>"),
        ("cat | sh", "|"),
        ("true && true", "&&"),
        ("true; true", ";"),
        ('echo "$HOME/x"', "$HOME"),
        ("echo `id` $(id)", "`, `, $("),
        ("echo 'a > b' $1", "$1"),
    ],
)
@pytest.mark.usefixtures("drop")
def test_a_command_that_needs_a_shell(tracker: Tracker, command: str, only_a_shell: str) -> None:
    """A refresh runs the words as they are: '>>' would be the name of a file."""
    _notify_by(command)
    (one,) = findings(tracker, code=4)["notify"]
    assert one["finding"].startswith(f"{only_a_shell} means nothing here: ")
    assert one["remedy"] == f"write it as: sh -c {shlex.quote(command)}"
    _notify_by(one["remedy"].removeprefix("write it as: "))
    assert findings(tracker)["notify"][0]["state"] == "ok"


@pytest.mark.parametrize("command", ["echo 'a > b | c'", 'echo "a; b"', "echo \\>"])
@pytest.mark.usefixtures("drop")
def test_what_is_quoted_needs_no_shell(tracker: Tracker, command: str) -> None:
    _notify_by(command)
    assert findings(tracker)["notify"][0]["finding"] == "digests are given to echo"


def _notify_by(command: str) -> None:
    quoted = json.dumps(command)
    Path("tracker.toml").write_text(f"{CONFIGURATION}[notify]\ncommand = {quoted}\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_folder_that_cannot_be_read(drop: Path, tracker: Tracker) -> None:
    drop.chmod(0)
    (files,) = findings(tracker, code=4)["files"]
    drop.chmod(0o755)
    assert files["remedy"] == "give this user permission to read it"
