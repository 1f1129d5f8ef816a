"""Foreign, damaged, locked and full stores: one clear line, and the old store as it was."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from bench import TWINS, Bench, Content, snapshot
from filelock import FileLock
from support import printed, ran, sampled

from tracker import store

pytestmark = pytest.mark.slow

FINE = "disease_name,drug_name,score\nAsthma,New,0.5\n"
TRACKER = Path(sys.executable).with_name("tracker")

WRITING: list[list[str]] = [
    ["init"],
    ["load", "candidates", "fine.csv", "--set", "new", "--model", "m"],
    ["slate", "freeze", "--candidates", "base"],
    ["slate", "import", "published"],
]
READING: list[list[str]] = [
    ["check"],
    ["slate", "list"],
    ["slate", "verify"],
    ["slate", "show", "469bb270-0000-4000-8000-000000000001"],
    ["slate", "export", "469bb270-0000-4000-8000-000000000001", "exported"],
    ["report", "469bb270-0000-4000-8000-000000000001"],
    ["sql", "select 1"],
]


@pytest.fixture(autouse=True)
def here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the bench's folder."""
    bench.write("fine.csv", FINE)
    monkeypatch.chdir(bench.folder)


def changed(*statements: str) -> Callable[[Path], None]:
    """Return a way to run statements on the store without tracker."""

    def change(path: Path) -> None:
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)

    return change


def replaced_by(*statements: str) -> Callable[[Path], None]:
    """Return a way to put another DuckDB file in the store's place."""

    def change(path: Path) -> None:
        path.unlink()
        changed(*statements)(path)

    return change


def patched(start: int, content: bytes) -> Callable[[Path], None]:
    """Return a way to overwrite bytes of the store."""

    def change(path: Path) -> None:
        whole = bytearray(path.read_bytes())
        whole[start : start + len(content)] = content
        path.write_bytes(whole)

    return change


def replaced(content: Content) -> Callable[[Path], None]:
    """Return a way to put something else in the store's place."""

    def change(path: Path) -> None:
        path.unlink()
        Bench(path).write(path.name, content)

    return change


def broken_off(path: Path) -> None:
    """Keep the first part of the store only."""
    path.write_bytes(path.read_bytes()[:300_000])


# The change of the store, the message of every command.
STATES: dict[str, tuple[Callable[[Path], None], str]] = {
    "text": (replaced("not a database, only words"), "store.duckdb: is not a DuckDB file"),
    "one byte": (replaced("x"), "store.duckdb: is not a DuckDB file"),
    "a folder": (replaced(None), "store.duckdb: "),
    "other tables": (
        replaced_by("create table mine (a integer)"),
        "store.duckdb: is a DuckDB file",
    ),
    "tables in another schema": (
        replaced_by("create schema mine", "create table mine.mine (a integer)"),
        "store.duckdb: is a DuckDB file",
    ),
    "a newer revision": (
        changed("update alembic_version set version_num = '9999'"),
        "was written by a newer tracker (revision 9999); upgrade tracker",
    ),
    "two revisions": (
        changed("insert into alembic_version values ('0001')"),
        "store.duckdb: ",
    ),
    "no revision": (
        replaced_by(
            "create table alembic_version (version_num varchar)",
            "insert into alembic_version values (null)",
        ),
        "store.duckdb: is damaged: its revision, in alembic_version, is NULL",
    ),
    "a revision without tables": (
        replaced_by(
            "create table alembic_version (version_num varchar)",
            "insert into alembic_version values ('0002')",
        ),
        "store.duckdb: ",
    ),
    "broken off": (
        broken_off,
        "store.duckdb: cannot be opened as a store: ",
    ),
    "a damaged header": (patched(4096, bytes(8192)), "store.duckdb: cannot be opened as a store: "),
    "damaged blocks": (
        patched(12288, b"\xa5" * 200_000),
        "store.duckdb: cannot be opened as a store: ",
    ),
    "a newer DuckDB": (
        patched(12, (999).to_bytes(8, "little")),
        "store.duckdb: cannot be opened as a store: ",
    ),
}


@pytest.mark.parametrize("words", [WRITING[0], WRITING[1], READING[0], READING[-1]])
@pytest.mark.parametrize("state", sampled(STATES, 4))
def test_a_file_that_is_not_a_store_is_refused(bench: Bench, state: str, words: list[str]) -> None:
    change, message = STATES[state]
    change(bench.db)
    bench.refuse(*words, message=[message])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (WRITING[0], "is damaged: its tables are not those of revision 0014, which it states"),
        (WRITING[1], "is damaged: its tables are not those of revision 0014, which it states"),
        (READING[0], "is a store of another version; bring it up to date with 'tracker init'"),
    ],
)
def test_a_revision_that_the_tables_belie_is_refused(
    bench: Bench, words: list[str], message: str
) -> None:
    changed("update alembic_version set version_num = '0014'")(bench.db)
    bench.refuse(*words, message=[f"store.duckdb: {message}"])


@pytest.mark.parametrize("words", sampled(READING, 8))
def test_readers_do_not_make_a_store(bench: Bench, words: list[str]) -> None:
    bench.db.unlink()
    bench.refuse(
        *words,
        message=["store.duckdb: store not found; check --db, or create one with 'tracker init'"],
    )


@pytest.mark.parametrize("words", sampled(WRITING, 8))
def test_writers_do_not_make_a_folder(bench: Bench, words: list[str]) -> None:
    elsewhere = Bench(bench.folder / "nowhere" / "store.duckdb")
    before = snapshot(bench.folder)
    done = elsewhere.run(*words)
    assert (done.exit_code, snapshot(bench.folder)) == (3, before)
    assert done.stderr.endswith("nowhere: no such folder for the store\n")


def test_a_name_too_long_for_a_store(bench: Bench) -> None:
    for words in (WRITING[0], READING[0]):
        done = Bench(bench.folder / ("x" * 300)).run(*words)
        assert done.exit_code in (1, 3)
        assert "error: unexpected" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("words", sampled(WRITING, 8))
def test_a_folder_that_cannot_be_written(bench: Bench, words: list[str]) -> None:
    bench.folder.chmod(0o500)
    try:
        bench.refuse(*words, message=["cannot be written: Permission denied"], code=1)
    finally:
        bench.folder.chmod(0o700)


@pytest.fixture
def store_open_elsewhere(bench: Bench) -> Iterator[None]:
    """Hold the store open for writing in another process."""
    hold = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print(flush=True); input()"
    command = [sys.executable, "-c", hold, str(bench.db)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield
        holder.communicate(b"\n")


@pytest.mark.usefixtures("store_open_elsewhere")
def test_a_store_open_in_another_program_is_busy(bench: Bench) -> None:
    for words in [*WRITING, *READING]:
        bench.refuse(
            *words,
            message=["is open for writing in a program outside tracker; close it there"],
            code=5,
        )


def test_a_second_writer_is_refused_and_readers_are_not(bench: Bench) -> None:
    with FileLock(f"{bench.db}.lock"):
        for words in WRITING:
            message = ["store.duckdb is being written by another process; waited 0.2 s"]
            bench.refuse(*words, message=message, code=5)
        for words in READING:
            bench.accept(*words)


def test_readers_work_while_a_writer_does(bench: Bench) -> None:
    before = bench.db.read_bytes()
    with store.writer(bench.db) as connection:
        connection.exec_driver_sql("insert into drug values (99, null, 'half-written')")
        for words in READING:
            bench.accept(*words)
        seen = bench.accept(
            "sql", "select count(*) from drug where drug_id = 99", "--format", "csv"
        )
        assert seen.endswith("\n0\n")
        assert bench.db.read_bytes() == before
    seen = bench.accept("sql", "select count(*) from drug where drug_id = 99", "--format", "csv")
    assert seen.endswith("\n1\n")


@pytest.fixture
def small_disk(bench: Bench, tmp_path: Path) -> Iterator[Callable[[int, int], Bench]]:
    """Return a way to move the store to a disk with room for so many copies and bytes more."""
    mounted = []

    def mount(copies: int, spare: int) -> Bench:
        disk = tmp_path / "disk"
        disk.mkdir()
        size = (bench.db.stat().st_size // 4096 + 1) * 4096 * (1 + copies) + spare
        options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
        try:
            made = subprocess.run(["mount", *options], capture_output=True, check=False)
        except FileNotFoundError:
            pytest.skip("no mount on this machine")
        if made.returncode:
            pytest.skip("only root may mount a small disk")
        mounted.append(disk)
        return Bench(Path(shutil.copy(bench.db, disk / "store.duckdb")))

    yield mount
    for disk in mounted:
        subprocess.run(["umount", str(disk)], check=True)


# How many more stores and how many bytes the disk has room for, and the command.
EXPORT = ["slate", "export", "469bb270-0000-4000-8000-000000000001"]
BIG = ["load", "candidates", "big.csv", *WRITING[1][3:]]
DISKS: dict[str, tuple[int, int, list[str]]] = {
    "no room for a copy": (0, 100_000, WRITING[1]),
    "no room in the copy": (1, 500_000, BIG),
    "no room for an export": (0, 0, EXPORT),
    "no room for the manifest": (0, 4096, EXPORT),
    "no room for CSV": (0, 8192, ["sql", "from range(100000)", "--format", "csv", "-o"]),
    "no room for Parquet": (0, 8192, ["sql", "from range(100000)", "--format", "parquet", "-o"]),
    "no room for a demo": (0, 8192, ["demo", "-o"]),
}


@pytest.mark.parametrize("case", sampled(DISKS, 4))
def test_a_full_disk_is_reported_plainly(
    bench: Bench, small_disk: Callable[[int, int], Bench], case: str
) -> None:
    if case == "no room in the copy":
        rows = "".join(f"D{i % 50},N{i},0.{i:06d}\n" for i in range(60_000))
        bench.write("big.csv", "disease_name,drug_name,score\n" + rows)
    copies, spare, words = DISKS[case]
    disk = small_disk(copies, spare)
    if words[0] != "load":
        words = [*words, str(disk.folder / "out")]
    before = snapshot(disk.folder)
    done = ran(TRACKER, "--db", disk.db, *words)
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "no space left" in done.stderr.lower()
    assert "unexpected" not in done.stderr
    left = {name: value for name, value in snapshot(disk.folder).items() if name != "out"}
    assert left == before


@pytest.mark.parametrize(
    "words",
    [["report", "@latest", "--full"], ["sql", "select list(i) from range(9_000_000) t (i)"]],
    ids=["report", "sql"],
)
def test_too_little_memory_is_reported_plainly(bench: Bench, words: list[str]) -> None:
    before = snapshot(bench.db.parent)
    done = ran(TRACKER, "--db", bench.db, *words, TRACKER_MEMORY_LIMIT="8MB")
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "needs more than the 8MB of memory it may use; nothing was changed" in done.stderr
    assert snapshot(bench.db.parent) == before


def test_a_full_disk_behind_standard_output(bench: Bench) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [TRACKER, "--db", bench.db, "sql", "from range(100000)", "--format", "csv"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "unexpected" not in done.stderr


READ_ONLY: list[list[str]] = [
    ["check"],
    ["verify"],
    ["slate", "verify"],
    ["report", TWINS[0], "--verified", "--format", "csv"],
    ["slate", "export", TWINS[0], "{elsewhere}/slate"],
    ["publish", "-o", "{elsewhere}/site"],
]
# root may write any file; without these capabilities modes apply to it, too.
AS_OTHERS = [
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
    "--",
]
# The folder is mounted once more over itself, for reading alone, as this command sees it.
READ_ONLY_MOUNT = (
    "unshare",
    "--mount",
    "sh",
    "-ec",
    'mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; cd /; exec "$@"',
)


def _permitted(*words: str) -> bool:
    """Whether this machine lets a test run such a command."""
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.parametrize("kind", ["a read-only file", "a read-only file system"])
def test_a_store_that_can_only_be_read_is_checked_and_published(
    kind: str, bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    if kind == "a read-only file":
        prefix = AS_OTHERS if os.geteuid() == 0 else []
    else:
        prefix = [*READ_ONLY_MOUNT, str(bench.folder)]
    if prefix and not _permitted(*prefix, "true"):
        pytest.skip("this user may not run a command like that")
    bench.db.chmod(0o444)
    before = bench.db.read_bytes()
    command = [*prefix, TRACKER, "--db", bench.db]
    for words in READ_ONLY:
        printed(ran(*command, *[word.format(elsewhere=elsewhere) for word in words]))
    assert bench.db.read_bytes() == before
    done = ran(*command, *WRITING[2])
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr


def test_a_row_that_must_be_there_is_missed_in_a_line(bench: Bench) -> None:
    """State of a slate that the file hides: what reads it says so, and check names it."""
    slate = bench.slate
    changed("delete from state.slate_follow_up")(bench.db)
    bench.refuse("assess", slate, message=["is missing, or there twice", "tracker check"], code=4)
    bench.refuse("check", message=["slate_follow_up"], code=4)
