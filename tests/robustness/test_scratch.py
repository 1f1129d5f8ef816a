"""Private folders for spilled and temporary data: never shared, always removed."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from tracker import memory, scratch, store
from tracker.errors import InputRefused

pytestmark = pytest.mark.slow

N_READERS = 8
MEMORY_LIMIT = "30MB"
# Sorts several times as much as that memory limit can take.
SPILLING = """
select cast(sum(hash(name) % 1000000 * (place % 97)) as bigint) as checksum
from (
    select name, row_number() over (order by name) as place
    from (select repeat(md5(cast(range * {0} + {0} as varchar)), 4) as name from range(100000))
)
"""
ENDLESS = SPILLING.format(1).replace("range(100000)", "range(100000000)")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the test's own temporary folder, which child processes use too."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Return a store in its own folder."""
    path = tmp_path / "place" / "store.duckdb"
    path.parent.mkdir()
    with store.writer(path):
        pass
    return path


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _ask(path: Path, number: int) -> int:
    with store.reader(path) as connection:
        return _answer(connection, number)


def _answer(connection: Connection, number: int) -> int:
    answer = connection.execute(text(SPILLING.format(number % 4 + 1))).scalar_one()
    return int(answer)


def _write(path: Path, number: int) -> None:
    with store.writer(path) as connection:
        _answer(connection, number)
        connection.execute(
            text("insert into drug values (:number, null, 'a drug')"), {"number": number}
        )


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let processes use little memory: the pool starts new ones, with these settings."""
    monkeypatch.setenv("TRACKER_MEMORY_LIMIT", MEMORY_LIMIT)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))


@pytest.mark.parametrize(
    "n_queries", [16, pytest.param(200, marks=pytest.mark.exhaustive)], ids=["few", "many"]
)
@pytest.mark.usefixtures("small_memory")
def test_concurrent_readers_that_spill_answer_like_a_single_one(
    n_queries: int, made: Path, temporary: Path
) -> None:
    expected = [_ask(made, number) for number in range(4)]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(N_READERS + 1, mp_context=spawn) as pool:
        asked = [pool.submit(_ask, made, number) for number in range(n_queries)]
        written = [pool.submit(_write, made, number) for number in range(1, 4)]
        answers = [one.result() for one in asked]
        for one in written:
            one.result()
    assert answers == [expected[number % 4] for number in range(n_queries)]
    assert _names(made.parent) == {"store.duckdb", "store.duckdb.lock"}
    assert _names(temporary) == set()


def _tracker(*words: str, db: Path) -> subprocess.Popen[str]:
    """Start a command as a shell does, with nothing changed about signals."""
    script = "from tracker.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", script, "--db", str(db), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_until_spilling(folder: Path, process: subprocess.Popen[str]) -> Path:
    """Return the private folder in which a process has written a file."""
    for _ in range(6000):
        found = list(folder.glob(".tracker-*/files/*.tmp"))
        if found:
            return found[0].parent.parent
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("nothing was spilled")


@pytest.mark.usefixtures("small_memory")
def test_what_a_killed_reader_spilled_is_removed_by_the_next_command(made: Path) -> None:
    reader = _tracker("sql", ENDLESS, db=made)
    spilled = _wait_until_spilling(made.parent, reader)
    # The owner is alive: a sweep leaves the folder alone.
    with store.reader(made):
        assert spilled.exists()
    reader.kill()
    reader.communicate()
    assert spilled.exists()
    with store.reader(made):
        assert not spilled.exists()
    assert _names(made.parent) == {"store.duckdb", "store.duckdb.lock"}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.usefixtures("small_memory")
def test_a_signal_ends_a_command_in_one_line_and_leaves_nothing(
    number: signal.Signals, code: int, made: Path, temporary: Path
) -> None:
    reader = _tracker("sql", ENDLESS, db=made)
    _wait_until_spilling(made.parent, reader)
    reader.send_signal(number)
    printed, errors = reader.communicate(timeout=120)
    assert reader.returncode == code
    assert printed == ""
    assert errors == f"error: interrupted by {number.name}\n"
    assert _names(made.parent) == {"store.duckdb", "store.duckdb.lock"}
    assert _names(temporary) == set()


def test_a_second_signal_does_not_wait() -> None:
    program = (
        "import time\n"
        "from tracker.cli import signals\n"
        "with signals.raised():\n"
        "    try:\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(600)\n"
        "    finally:\n"
        "        print('cleaning', flush=True)\n"
        "        time.sleep(600)\n"
    )
    busy = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert busy.stdout is not None
    with busy:
        for line in ("ready\n", "cleaning\n"):
            assert busy.stdout.readline() == line
            busy.send_signal(signal.SIGTERM)
        assert busy.wait(timeout=60) == -signal.SIGTERM


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_wait_for_a_native_call(first: signal.Signals) -> None:
    program = (
        "import hashlib\n"
        "from tracker.cli import signals\n"
        "with signals.raised():\n"
        "    print('ready', flush=True)\n"
        # A quarter of an hour in which Python runs no handler.
        "    hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)\n"
    )
    busy = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert busy.stdout is not None
    with busy:
        try:
            assert busy.stdout.readline() == "ready\n"
            time.sleep(0.5)
            busy.send_signal(first)
            with pytest.raises(subprocess.TimeoutExpired):
                busy.wait(timeout=1)
            busy.send_signal(signal.SIGTERM)
            assert busy.wait(timeout=5) == 128 + signal.SIGTERM
        finally:
            busy.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="a process cannot see its memory")
@pytest.mark.usefixtures("small_memory")
def test_a_list_that_duckdb_does_not_count_ends_the_command_in_one_line(made: Path) -> None:
    before = made.read_bytes()
    listed = "select length(list_transform(range(400_000_000), x -> x + 1)) as n"
    command = _tracker("sql", listed, db=made)
    printed, errors = command.communicate(timeout=60)
    assert (command.returncode, printed) == (3, "")
    assert errors.startswith("error: needs more than 1.1 GB of memory, twice what ")
    assert errors.count("\n") == 1
    assert made.read_bytes() == before
    check = _tracker("check", db=made)
    printed, errors = check.communicate(timeout=60)
    assert check.returncode == 0, errors
    assert _names(made.parent) == {"store.duckdb", "store.duckdb.lock"}


@pytest.mark.parametrize(
    ("given", "n_bytes"),
    [("4GB", 9 * 10**9), ("500 mb", 2 * 10**9), ("1GiB", 2**31 + 10**9), ("80%", None)],
)
def test_the_memory_of_a_process_follows_that_of_duckdb(
    given: str, n_bytes: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKER_MEMORY_LIMIT", given)
    assert memory.process_limit() == n_bytes


def test_a_signal_that_was_ignored_stays_ignored(made: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        command = _tracker("check", db=made)
    finally:
        signal.signal(signal.SIGHUP, before)
    for _ in range(20):
        command.send_signal(signal.SIGHUP)
        time.sleep(0.05)
    assert command.communicate()[1] == ""
    assert command.returncode == 0


def test_readers_spill_below_the_folder_of_the_environment(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "it's chosen"
    chosen.mkdir()
    monkeypatch.setenv("TRACKER_TEMP", str(chosen))
    setting = text("select current_setting('temp_directory')")
    with store.reader(made) as connection:
        folder = Path(connection.execute(setting).scalar_one())
        assert folder.is_dir()
        assert chosen in folder.parents
        assert _names(made.parent) == {"store.duckdb", "store.duckdb.lock"}
    assert _names(chosen) == set()
    monkeypatch.setenv("TRACKER_TEMP", str(tmp_path / "absent"))
    with pytest.raises(InputRefused, match="TRACKER_TEMP"), store.reader(made):
        pass


def test_every_open_connection_has_its_own_folder(made: Path) -> None:
    setting = text("select current_setting('temp_directory')")
    with store.reader(made) as connection, store.writer(made) as writing:
        reading = connection.execute(setting).scalar_one()
        assert Path(reading).is_dir()
        assert writing.execute(setting).scalar_one() != reading
        # The same file in the same process is one instance of DuckDB.
        with store.reader(made) as second:
            assert second.execute(setting).scalar_one() == reading
    assert _names(made.parent) == {"store.duckdb", "store.duckdb.lock"}


def test_a_sweep_follows_no_link_and_removes_nothing_foreign(tmp_path: Path) -> None:
    place, victim = tmp_path / "place", tmp_path / "victim"
    for folder in (place, victim):
        folder.mkdir()
    (victim / "lock").touch()
    (victim / "files").mkdir()
    (victim / "files" / "dear").write_text("dear")
    (place / ".tracker-aaaaaaaa").symlink_to(victim)
    dead = place / ".tracker-bbbbbbbb"
    dead.mkdir()
    (dead / "lock").touch()
    (dead / "files").symlink_to(victim)
    (place / ".tracker-cccccccc" / "notes").mkdir(parents=True)
    (place / ".tracker-dddddddd").mkdir()
    (place / ".tracker-of-mine").mkdir()
    (place / ".tracker-of-mine" / "lock").touch()
    scratch.sweep(place)
    assert (victim / "files" / "dear").read_text() == "dear"
    kept = {".tracker-aaaaaaaa", ".tracker-bbbbbbbb", ".tracker-cccccccc", ".tracker-of-mine"}
    assert _names(place) == kept


def test_folders_made_at_once_during_sweeps_are_never_lost(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        rounds = [pool.submit(_make_folders, tmp_path / "temporary", 100) for _ in range(4)]
        assert [one.result() for one in rounds] == [100] * 4
    assert _names(tmp_path / "temporary") == set()


def _make_folders(place: Path, number: int) -> int:
    n_found = 0
    for _ in range(number):
        with scratch.folder(place) as folder:
            (folder / "mine").write_text("mine")
            scratch.sweep(place)
            n_found += (folder / "mine").read_text() == "mine"
    return n_found


def test_a_store_in_a_folder_that_cannot_be_written_is_read(
    made: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*, prefix: str, dir: Path) -> str:  # noqa: A002 - the name that tempfile gives it
        if dir == made.parent:
            raise PermissionError(13, "Permission denied")
        return genuine(prefix=prefix, dir=str(dir))

    genuine = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with store.reader(made) as connection:
        setting = text("select current_setting('temp_directory')")
        assert temporary in Path(connection.execute(setting).scalar_one()).parents
        assert _answer(connection, 1)


def test_a_store_is_copied_where_blocks_cannot_be_shared(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = made.stat().st_size
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    with store.writer(made) as connection:
        connection.execute(text("insert into drug values (1, null, 'a drug')"))
    assert made.stat().st_size >= before
    with store.reader(made) as connection:
        assert connection.execute(text("select name from drug")).scalar_one() == "a drug"
