"""Statistics rewritten in a store's file hide rows from queries, and from nobody who reads rows.

DuckDB keeps the least and the greatest value of each segment, and skips it where a condition
excludes them. Each test rewrites them, with the checksum of their block, and changes no row.
"""

import shutil
import struct
from pathlib import Path

import duckdb
import pytest
from support import exited, ok, tracker_on

from tracker import store
from tracker.store.trust import statistics, trusted_files

_FIRST_BLOCK, _BLOCK = 3 * 4096, 262_144
_FACTOR = 0xBF58476D1CE4E5B9


def rewrite(path: Path, old: bytes, new: bytes) -> int:
    """Replace bytes of a DuckDB file by as many, and make the checksums fit; return how often."""
    assert len(old) == len(new)
    content = bytearray(path.read_bytes())
    n_found, start, blocks = 0, content.find(old), set()
    while start >= 0:
        content[start : start + len(old)] = new
        blocks.add((start - _FIRST_BLOCK) // _BLOCK)
        n_found += 1
        start = content.find(old, start + 1)
    for block in blocks:
        at = _FIRST_BLOCK + block * _BLOCK
        checksum = 5381
        for (word,) in struct.iter_unpack("<Q", content[at + 8 : at + _BLOCK]):
            checksum ^= (word * _FACTOR) & 0xFFFFFFFFFFFFFFFF
        struct.pack_into("<Q", content, at, checksum)
    path.write_bytes(content)
    return n_found


def of_text(least: bytes, greatest: bytes) -> bytes:
    """Return the bounds of a column of text as DuckDB writes them: their first eight bytes."""
    return b"".join(
        tag + b"\0\x08" + bound.ljust(8, b"\0")[:8]
        for tag, bound in ((b"\xc8", least), (b"\xc9", greatest))
    )


def of_numbers(least: int, greatest: int) -> bytes:
    """Return the bounds of a column of small whole numbers."""
    return b"".join(
        tag + b"\0\x64\0\x01\x65\0" + bytes([bound]) + b"\xff\xff"
        for tag, bound in ((b"\xc8", least), (b"\xc9", greatest))
    )


FORGERIES = {
    "the least text": (
        of_text(b"chembl", b"fda"),
        of_text(b"d", b"fda"),
        "release",
        "source",
        "source = 'chembl'",
    ),
    "the greatest text": (
        of_text(b"chembl", b"fda"),
        of_text(b"chembl", b"e"),
        "release",
        "source",
        "source = 'fda'",
    ),
    "the greatest number": (
        of_numbers(1, 6),
        of_numbers(1, 2),
        "release",
        "release_id",
        "release_id > 2",
    ),
    "the least number": (
        of_numbers(1, 6),
        of_numbers(5, 6),
        "release",
        "release_id",
        "release_id < 5",
    ),
}


@pytest.fixture(params=FORGERIES)
def forged(request: pytest.FixtureRequest, demo_store: Path, tmp_path: Path) -> Path:
    """Return the demo's store with statistics that hide rows, of which none was changed."""
    old, new, table, _, condition = FORGERIES[request.param]
    path = Path(shutil.copy(demo_store, tmp_path / "store.duckdb"))
    asked = f"select count(*) from {table} where {condition}"  # noqa: S608 - written above
    with duckdb.connect(str(path), read_only=True) as connection:
        (n_rows,) = connection.execute(asked).fetchone() or (0,)
    assert rewrite(path, old, new) > 0
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute(asked).fetchone() == (0,)
    assert n_rows > 0
    return path


@pytest.fixture
def named(request: pytest.FixtureRequest) -> str:
    *_, table, column, _ = FORGERIES[request.node.callspec.params["forged"]]
    return f"table {table}: the file states other values of {column} than its rows have"


def test_a_check_names_columns_whose_statistics_are_not_those_of_the_rows(
    forged: Path, named: str
) -> None:
    tracker = tracker_on(forged)
    for words in (("check",), ("slate", "verify"), ("report", "--verified")):
        done = exited(4, tracker(*words))
        assert named in done.stderr


_SOURCES = of_text(b"chembl", b"fda") + b"\xca\0\0\xcb\0\x01\xcc\0"
WIDENED = {
    "the greatest number": (of_numbers(1, 6), of_numbers(1, 9), "release_id"),
    "the length of text": (_SOURCES + b"\x06", _SOURCES + b"\x01", "source"),
}


@pytest.mark.parametrize("kind", WIDENED)
def test_bounds_that_hide_nothing_are_named_where_queries_answer_by_them(
    demo_store: Path, tmp_path: Path, kind: str
) -> None:
    """The greatest value is answered from the bounds, and text is cut to its stated length."""
    old, new, column = WIDENED[kind]
    path = Path(shutil.copy(demo_store, tmp_path / "store.duckdb"))
    assert rewrite(path, old, new) > 0
    done = exited(4, tracker_on(path)("check"))
    assert f"table release: the file states other values of {column} than" in done.stderr


def test_tables_of_a_user_are_no_finding(followed_store: Path, tmp_path: Path) -> None:
    """Whatever they refer to, and under whatever name the store is."""
    path = Path(shutil.copy(followed_store, tmp_path / "compact_copy.duckdb"))
    with duckdb.connect(str(path)) as user:
        user.execute("create table parent (id integer primary key)")
        user.execute("create table child (id integer references parent (id))")
        user.execute("create table own (a integer, b integer generated always as (a * 2))")
        user.execute("insert into parent values (1)")
        user.execute("insert into child values (1)")
        user.execute("insert into own (a) values (1)")
    for words in (("check",), ("init",), ("check",)):
        ok(tracker_on(path)(*words))
    with duckdb.connect(str(path), read_only=True) as user:
        assert user.execute("from child").fetchall() == [(1,)]


def test_a_writer_takes_over_the_rows_alone(forged: Path) -> None:
    tracker = tracker_on(forged)
    exited(4, tracker("check"))
    ok(tracker("init"))
    ok(tracker("check"))


def test_a_writer_refuses_a_forged_file_with_tables_of_a_user(forged: Path, named: str) -> None:
    """Nobody knows how they depend on each other, so they are not copied."""
    with duckdb.connect(str(forged)) as user:
        user.execute("create table own (a integer)")
    before = forged.read_bytes()
    done = exited(4, tracker_on(forged)("init"))
    assert named in done.stderr
    assert forged.read_bytes() == before


def test_without_a_folder_for_state_the_rows_alone_are_taken_over(
    forged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    tracker = tracker_on(forged)
    for words in (("init",), ("init",), ("check",)):
        ok(tracker(*words))


def test_a_file_is_remembered_until_it_is_altered(demo_store: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(demo_store, tmp_path / "store.duckdb"))
    assert trusted_files.is_remembered(path)
    old, new, *_ = FORGERIES["the least text"]
    assert rewrite(path, old, new) > 0
    assert not trusted_files.is_remembered(path)
    ok(tracker_on(path)("init"))
    assert trusted_files.is_remembered(path)


@pytest.mark.parametrize("words", [("report", "5c9f"), ("assess",), ("sql", "select 1 as one")])
def test_a_store_that_was_altered_is_told_before_its_numbers(
    words: tuple[str, ...], demo_store: Path, tmp_path: Path
) -> None:
    path = tmp_path / "store.duckdb"
    path.write_bytes(demo_store.read_bytes())
    tracker = tracker_on(path)
    # It may be another's, as far as this user can know.
    assert "is not as tracker" not in tracker(*words).stderr
    assert tracker("slate", "freeze", "--candidates", "mirage").exit_code in (0, 3)
    assert "is not as tracker" not in tracker(*words).stderr
    ok(tracker("init"))
    assert "is not as tracker" not in tracker(*words).stderr
    old, new, *_ = FORGERIES["the least text"]
    assert rewrite(path, old, new) > 0
    done = tracker(*words)
    assert done.stderr.startswith("store.duckdb: is not as tracker last wrote it; 'tracker check'")
    assert "is not as tracker" not in done.stdout


def test_files_that_were_not_read_for_longest_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "file"
    # Beside the path, which is remembered, too.
    for number in range(2 * 512):
        path.write_text(str(number))
        trusted_files.remember(path, path)
    assert trusted_files.is_remembered(path)
    path.write_text("0")
    assert not trusted_files.is_remembered(path)
    assert len([*(tmp_path / "state/tracker/written").iterdir()]) == 512


def test_the_folder_that_remembers_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in a folder that is linked there stays, and what others may write is not believed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path, folder = tmp_path / "file", tmp_path / "state/tracker/written"
    path.write_text("content")
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(2 * 512 + 1):
        (documents / f"report {number}").touch()
    folder.parent.mkdir(parents=True)
    folder.symlink_to(documents)
    trusted_files.remember(path, path)
    assert not trusted_files.is_remembered(path)
    assert len([*documents.iterdir()]) == 2 * 512 + 1
    folder.unlink()
    # Nor is anything forgotten that is no hash.
    shutil.copytree(documents, folder)
    trusted_files.remember(path, path)
    assert trusted_files.is_remembered(path)
    assert len([*folder.iterdir()]) == 2 * 512 + 3
    folder.chmod(0o777)
    assert not trusted_files.is_remembered(path)


def test_rows_are_read_whatever_the_statistics_say(forged: Path, demo_store: Path) -> None:
    with store.reader(forged, from_rows=True) as connection:
        found = connection.exec_driver_sql("select source from release").scalars().all()
        counted = connection.exec_driver_sql(
            "select count(*) from release where source in ('chembl', 'fda') and release_id >= 1"
        ).scalar()
    with store.reader(demo_store) as connection:
        expected = connection.exec_driver_sql("select source from release").scalars().all()
    assert found == expected
    assert counted == sum(source in ("chembl", "fda") for source in expected)


def test_a_forged_store_is_neither_published_nor_exported_as_it_reads(
    forged: Path, demo_store: Path, tmp_path: Path, named: str
) -> None:
    done = exited(4, tracker_on(forged)("publish", "-o", str(tmp_path / "site")))
    assert named in done.stderr
    assert not (tmp_path / "site").exists()
    for path, folder in ((forged, "forged"), (demo_store, "sound")):
        out = str(tmp_path / folder)
        ok(tracker_on(path)("slate", "export", "@latest", "-o", out))
    for sound in (tmp_path / "sound").iterdir():
        assert (tmp_path / "forged" / sound.name).read_bytes() == sound.read_bytes()


def test_statistics_of_stores_that_tracker_wrote_are_those_of_their_rows(
    demo_store: Path, demo_registry: Path
) -> None:
    for path in (demo_store, demo_registry):
        with store.reader(path, from_rows=True) as rows, store.reader(path) as stored:
            assert [*statistics.problems(stored, rows)] == []
