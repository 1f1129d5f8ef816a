"""Sealed candidate sets: the same figures from files, and whatever may become of the files."""

import itertools
import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
import sqlalchemy as sa
from bench import LABELS, Bench
from support import WORLD, sampled

from tracker import schema, store
from tracker.log import sealing
from tracker.slates import loads, seals
from tracker.store import connections

pytestmark = pytest.mark.slow

ALIASES = "entity,name,kind,value\ndrug,drug 1,synonym,one\n"
SUM = "select count(*) as n, sum(cast(round(1e9 * score) as bigint)) as total from candidate"


def scored(bench: Bench, name: str = "more.csv", n_diseases: int = 20, n_drugs: int = 15) -> Path:
    """Write a file of scored pairs."""
    rows = "".join(
        f"disease {d},drug {g},{(d * 31 + g * 17) % 97 / 97}\n"
        for d in range(n_diseases)
        for g in range(n_drugs)
    )
    return bench.write(name, "disease_name,drug_name,score\n" + rows)


def answer(bench: Bench, query: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = bench.read("sql", query)
    return rows


def parts(bench: Bench) -> list[Path]:
    return sorted(bench.folder.rglob("*.parquet"))


@pytest.fixture
def sealed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A store with a set of its own and set 2, 'whole', sealed in four files."""
    monkeypatch.setattr(seals, "PART_ROWS", 75)
    file = scored(bench)
    bench.accept("load", "candidates", file, "--set", "whole", "--model", "m2", "--sealed")
    assert len(parts(bench)) == 4
    return bench


def test_a_set_loaded_sealed_has_the_pairs_of_one_that_is_stored(sealed: Bench) -> None:
    file = sealed.folder / "more.csv"
    sealed.accept("load", "candidates", file, "--set", "kept", "--model", "m2")
    pairs = "select disease_id, drug_id, score from candidate where candidate_set_id = {} order by "
    found = [answer(sealed, pairs.format(number) + "all") for number in (2, 3)]
    assert found[0] == found[1]
    assert len(found[0]) == 300
    assert "nothing was added" in sealed.accept(
        "load", "candidates", file, "--set", "whole", "--model", "m2", "--sealed"
    )
    sealed.accept("check")


def test_a_large_set_is_sealed_unless_it_is_to_be_stored(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is large is lowered, since the real one takes seconds."""
    file = scored(bench, "three.csv", n_diseases=1, n_drugs=3)
    load = ("load", "candidates", file, "--model", "m", "--set")
    both = ["give --sealed or --stored, not both"]
    bench.refuse(*load, "none", "--stored", "--sealed", message=both, code=2)
    for most, name, words, is_sealed in (
        (3, "as many", (), False),
        (2, "more", (), True),
        (2, "kept", ("--stored",), False),
    ):
        monkeypatch.setattr(loads, "MOST_STORED_PAIRS", most)
        said = bench.accept(*load, name, *words)
        assert ("they are sealed in files in " in said) == is_sealed
    n_parts = "select name, n_parts from candidate_set join sealed_set using (candidate_set_id)"
    assert bench.query(n_parts) == [("more", 1)]
    counted = answer(bench, "select candidate_set_id, count(*) as n from candidate group by all")
    assert [row["n"] for row in counted if row["candidate_set_id"] != 1] == [3, 3, 3]
    bench.accept("check")


def test_slates_of_a_sealed_set_are_those_of_a_stored_one(sealed: Bench) -> None:
    file = sealed.folder / "more.csv"
    sealed.accept("load", "candidates", file, "--set", "kept", "--model", "m2")
    for name in ("whole", "kept"):
        sealed.accept("slate", "freeze", "--candidates", name, "--top-k", "4")
    lines = sealed.query(
        "select list(line_checksum order by disease_id, drug_id) from prediction "
        "join slate using (slate_id) where candidate_set_id in (2, 3) group by slate_id"
    )
    assert len(lines) == 2
    assert lines[0] == lines[1]


def test_reports_are_the_same_when_their_set_is_sealed(bench: Bench) -> None:
    whole = ("report", bench.slate, "--format", "json")
    before = json.loads(bench.accept(*whole))
    bench.accept("candidate", "seal", "base")
    after = json.loads(bench.accept(*whole))
    # A report states the head of the log, which is another.
    assert after["sections"] == before["sections"]
    assert before["sections"]
    bench.accept("check")
    bench.accept("slate", "verify")


def test_each_part_has_its_diseases_in_order(sealed: Bench) -> None:
    ranges = []
    for path in parts(sealed):
        with duckdb.connect() as connection:
            rows = connection.execute(
                "select disease_id, drug_id from read_parquet(?, hive_partitioning = false)",
                [str(path)],
            ).fetchall()
        assert rows == sorted(rows)
        ranges.append((rows[0][0], rows[-1][0], len(rows)))
    assert [number for _, _, number in ranges] == [75] * 4
    assert all(one[1] < other[0] for one, other in itertools.pairwise(ranges))


def test_a_query_for_one_set_opens_its_files_alone(sealed: Bench) -> None:
    sealed.accept("candidate", "seal", "base")
    with store.reader(sealed.db) as connection:
        for query in (
            "select sum(score) from candidate where candidate_set_id = 1",
            "select sum(score) from candidate inner join slate using (candidate_set_id)",
        ):
            plan = connection.exec_driver_sql(f"explain analyze {query}").one()[1]
            assert "Total Files Read: 1" in plan, plan


def test_candidate_sets_are_listed_with_their_places(sealed: Bench) -> None:
    rows = sealed.read("candidate", "list")
    assert [(row["name"], row["n_pairs"], row["n_parts"]) for row in rows] == [
        ("base", 6, None),
        ("whole", 300, 4),
    ]
    assert rows[0]["place"] is None
    assert Path(rows[1]["place"]) == parts(sealed)[0].parent
    assert rows[1]["n_bytes"] == sum(path.stat().st_size for path in parts(sealed))


def test_the_manifest_has_the_hash_of_each_file(sealed: Bench) -> None:
    manifest = json.loads((parts(sealed)[0].parent / "manifest.json").read_text())
    assert manifest["candidate_set"] == "whole"
    stored = sealed.query(
        "select part_number, n_rows, n_bytes, sha256 from sealed_part order by all"
    )
    fields = ("part_number", "n_rows", "n_bytes", "sha256")
    assert [tuple(part[name] for name in fields) for part in manifest["parts"]] == stored
    assert [part["file"] for part in manifest["parts"]] == [path.name for path in parts(sealed)]


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _other_schema(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.sql("select 'a' as note").to_parquet(str(path))


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def _lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


# What becomes of a file, and what check and a query say.
LENGTH = "has another length than when it was sealed: "
LINK = "is not a plain file in a plain folder: "
SPOILED: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "missing": (Path.unlink, "is missing: sealed-", "is missing: sealed-"),
    "truncated": (lambda path: os.truncate(path, 100), "has 100 bytes and had ", LENGTH),
    "longer": (_lengthen, " bytes and had ", LENGTH),
    "of another schema": (_other_schema, " bytes and had ", LENGTH),
    "a link": (_link, LINK, LINK),
}


@pytest.mark.parametrize("how", sampled(SPOILED, 4))
def test_a_spoiled_part_is_named_and_nothing_is_read_from_it(how: str, sealed: Bench) -> None:
    spoil, words, short = SPOILED[how]
    spoil(parts(sealed)[2])
    part, file = "part 3 of the sealed candidate set 2", "part-00003.parquet"
    sealed.refuse("check", message=[f"sealed_sets: {part} ('whole') ", words, file], code=4)
    sealed.refuse("sql", SUM, message=[f"{part} {short}", file], code=4)
    freeze = ("slate", "freeze", "--candidates", "whole")
    sealed.refuse(*freeze, message=[part, words, file], code=4)
    # What needs no sealed set is answered.
    assert answer(sealed, "select n_parts from sealed_set") == [{"n_parts": 4}]
    sealed.accept("report", sealed.slate)


def test_an_altered_byte_is_found(sealed: Bench) -> None:
    _flip(parts(sealed)[1])
    words = ["sealed_sets: part 2 of the sealed candidate set 2 ('whole') was altered after"]
    sealed.refuse("check", message=[*words, "part-00002.parquet"], code=4)


def test_nothing_is_recorded_of_an_altered_set(sealed: Bench) -> None:
    sealed.accept("load", "labels", sealed.write("labels.csv", LABELS), "--set", "known")
    _flip(parts(sealed)[1])
    part = ["part 2 of the sealed candidate set 2 was altered after", "part-00002.parquet"]
    sealed.refuse("slate", "freeze", "--candidates", "whole", message=part, code=4)
    sets = ("--candidates", "whole", "--labels", "known")
    sealed.refuse("slate", "freeze", "--ranker", "popularity", *sets, message=part, code=4)
    sealed.refuse("retrospective", "evaluate", *sets, message=part, code=4)
    # The other set is as it was.
    sealed.accept("slate", "freeze", "--candidates", "base")


@pytest.mark.parametrize("is_imported_first", [True, False])
def test_no_slate_gets_an_altered_set(sealed: Bench, is_imported_first: bool) -> None:
    world = ("load", "candidates", WORLD / "candidates.csv", "--set", "world", "--model", "m")
    gets: tuple[object, ...] = ("slate", "import", WORLD / "spring_slate")
    if is_imported_first:
        sealed.accept(*gets)
        gets = ("slate", "attach", "@latest", "--candidates", "world")
    sealed.accept(*world, "--sealed")
    _flip(next(path for path in parts(sealed) if path.parent.name.endswith("3")))
    sealed.refuse(*gets, message=["of the sealed candidate set 3 was altered after"], code=4)


@pytest.mark.parametrize("command", sampled([(("report",),), (("sql", SUM),)], 2))
def test_an_altered_part_that_cannot_be_read_is_named(
    command: tuple[str, ...], sealed: Bench
) -> None:
    """A report of now reads what is kept of the set."""
    sealed.accept("slate", "freeze", "--candidates", "whole")
    ((slate,),) = sealed.query("select slate_id from slate where candidate_set_id = 2")
    path = parts(sealed)[1]
    with duckdb.connect() as connection:
        starts = connection.execute(
            "select coalesce(dictionary_page_offset, data_page_offset) from parquet_metadata(?)",
            [str(path)],
        ).fetchall()
        content = bytearray(path.read_bytes())
        for (start,) in starts:
            content[start : start + 8] = b"\x1f" * 8
        path.write_bytes(content)
        with pytest.raises(duckdb.Error) as raised:
            connection.execute("select sum(score) from read_parquet(?)", [str(path)]).fetchall()
    assert path.name not in str(raised.value)
    words = ["part 2 of the sealed candidate set 2 was altered after", path.name]
    today = datetime.now(UTC).date()
    given = command if command[0] == "sql" else ("report", str(slate), "--as-of", str(today))
    sealed.refuse(*given, message=words, code=4)


def test_an_altered_manifest_is_found(sealed: Bench) -> None:
    manifest = parts(sealed)[0].with_name("manifest.json")
    manifest.write_text(manifest.read_text().replace("whole", "other"))
    words = "the manifest of the sealed candidate set 2 ('whole') was altered"
    sealed.refuse("check", message=[words], code=4)


def test_another_client_answers_what_needs_no_sealed_set(
    sealed: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    with duckdb.connect(str(sealed.db), read_only=True) as other:
        assert other.execute("select count(*) from slate_sets").fetchone() == (3,)
        with pytest.raises(duckdb.IOException, match=r"candidate_set_id=2/part-00001\.parquet"):
            other.execute(SUM)
        other.execute(f"set file_search_path = '{sealed.folder}'")
        assert other.execute("select count(*) from candidate").fetchone() == (306,)
    monkeypatch.chdir(sealed.folder)
    with duckdb.connect(str(sealed.db), read_only=True) as other:
        assert other.execute("select count(*) from candidate").fetchone() == (306,)


def test_a_folder_elsewhere_is_read_where_the_user_named_it(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    seal = ("candidate", "seal", "base", "--to", lake)
    bench.refuse(*seal, message=[f"{lake}: no such folder"])
    address = ("candidate", "seal", "base", "--to", "s3://bucket/sets")
    bench.refuse(*address, message=["set TRACKER_SEALED=s3://bucket/sets, without which"])
    lake.mkdir()
    bench.refuse(*seal, message=[f"{lake}: set TRACKER_SEALED={lake}, without which"])
    monkeypatch.setenv("TRACKER_SEALED", str(lake))
    bench.accept(*seal)
    assert not parts(bench)
    assert len([*lake.rglob("*.parquet")]) == 1
    assert answer(bench, "select count(*) as n from candidate") == [{"n": 6}]
    bench.accept("check")
    monkeypatch.delenv("TRACKER_SEALED")
    words = ["part 1 of the sealed candidate set 1 is missing: ", f"is not in {bench.folder}"]
    bench.refuse("sql", SUM, message=words, code=4)
    monkeypatch.setenv("TRACKER_SEALED", str(tmp_path / "gone"))
    bench.refuse("sql", "select 1", message=["TRACKER_SEALED: ", "gone: no such folder"])


def test_a_folder_of_the_same_name_where_one_works_is_refused(
    sealed: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB would read it first."""
    here = tmp_path / "here"
    here.mkdir()
    (folder,) = sealed.folder.glob("sealed-*")
    shutil.copytree(folder, here / folder.name)
    monkeypatch.chdir(here)
    words = ["is hidden by a file of the same name in the current folder: "]
    sealed.refuse("sql", SUM, message=words, code=4)
    sealed.refuse("check", message=words, code=4)
    sealed.refuse("slate", "freeze", "--candidates", "whole", message=words, code=4)


def test_a_forged_store_names_no_other_file(sealed: Bench, tmp_path: Path) -> None:
    """What a stranger can put into the tables and the view, and what a reader may open."""
    secret = tmp_path / "candidate_set_id=2" / "secret.parquet"
    secret.parent.mkdir()
    shutil.copy(parts(sealed)[0], secret)
    with duckdb.connect(str(sealed.db)) as other:
        other.execute(f"set file_search_path = '{sealed.folder}'")
        (select,) = other.execute(
            "select sql from duckdb_views() where view_name = 'candidate'"
        ).fetchone() or ("",)
        name = parts(sealed)[0].relative_to(sealed.folder).as_posix()
        other.execute("drop view candidate")
        other.execute(select.replace(name, str(secret)))
    sealed.refuse("sql", SUM, message=["the view candidate is not the one that tracker installed"])
    # Rebuilt, it reads what the numbers say.
    sealed.accept("init")
    assert str(secret) not in _allowed(sealed)
    assert answer(sealed, "select count(*) as n from candidate") == [{"n": 306}]
    sealed.refuse("sql", f"from '{secret}'", message=["file system operations are disabled"])


def _allowed(bench: Bench) -> str:
    with store.reader(bench.db) as connection:
        setting = "select cast(current_setting('allowed_paths') as varchar)"
        return str(connection.exec_driver_sql(setting).scalar_one())


def test_a_part_that_is_listed_and_was_never_sealed_is_refused(sealed: Bench) -> None:
    with duckdb.connect(str(sealed.db)) as other:
        other.execute("insert into sealed_part values (2, 9, 1, 5, 'x')")
    sealed.refuse("sql", SUM, message=["bring it up to date with 'tracker init'"])
    sealed.refuse("init", message=["the table sealed_part has 5 rows and 4 were sealed"], code=4)


def test_a_failed_load_leaves_no_files(sealed: Bench) -> None:
    rows = "disease_name,drug_name,score\nA,B,0.5\nA,B,0.4\n"
    file = sealed.write("twice.csv", rows)
    words = ["twice.csv, row 3, column drug_name: the pair 'A', 'B' repeats row 2"]
    load = ("load", "candidates", file, "--set", "twice", "--model", "m", "--sealed")
    sealed.refuse(*load, message=words)


def test_a_full_disk_leaves_all_as_it_was(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tracker.store.statements.write_file", full)
    words = ["candidate_set_id=1: cannot be written: No space left on device"]
    bench.refuse("candidate", "seal", "base", message=words, code=1)


def test_what_killed_commands_left_is_cleared(sealed: Bench) -> None:
    """Of this store: a set that it does not list goes, one that it lists is complete."""
    folder = parts(sealed)[0].parent
    orphan, foreign = (folder.with_name(f"candidate_set_id={number}") for number in (3, 4))
    for one, owner in ((folder, sealed.db), (orphan, sealed.db), (foreign, "/\udcff.duckdb")):
        one.mkdir(exist_ok=True)
        (one / "unfinished").write_bytes(os.fsencode(owner))
    (orphan / "part-00001.parquet").write_bytes(b"half")
    sealed.accept("init")
    assert not orphan.exists()
    assert foreign.exists()
    assert not (folder / "unfinished").exists()
    sealed.accept("check")
    # The number of the foreign one is not used by this store.
    load = ("load", "candidates", scored(sealed, "b.csv", 2), "--model", "m", "--sealed", "--set")
    sealed.accept(*load, "third")
    sealed.refuse(*load, "fourth", message=["candidate_set_id=4: exists, and is not of a set of"])


@pytest.mark.parametrize("share", [None, 0.0, 0.5, 1.0])
def test_a_folder_that_was_not_marked_is_taken_over(sealed: Bench, share: float | None) -> None:
    """As a command leaves it that is killed before its mark is written whole."""
    mark = str(sealed.db.resolve())
    folder = parts(sealed)[0].parent.with_name("candidate_set_id=3")
    folder.mkdir()
    if share is not None:
        (folder / "unfinished").write_text(mark[: round(share * len(mark))])
    file = scored(sealed, "b.csv", 2)
    sealed.accept("load", "candidates", file, "--model", "m", "--sealed", "--set", "third")
    assert not (folder / "unfinished").exists()
    sealed.accept("check")


def test_what_is_sealed_is_not_sealed_again(sealed: Bench) -> None:
    words = ["candidate set 'whole' is sealed already"]
    sealed.refuse("candidate", "seal", "whole", message=words)
    words = ["no candidate set is named 'whol'; did you mean 'whole'?"]
    sealed.refuse("candidate", "seal", "whol", message=words)


def test_the_store_becomes_smaller_and_keeps_the_rest(bench: Bench) -> None:
    with duckdb.connect(str(bench.db)) as other:
        other.execute('create table "own table" as select 7 as n')
    file = scored(bench, "large.csv", 400, 500)
    bench.accept("load", "candidates", file, "--set", "large", "--model", "m")
    bench.accept("load", "aliases", bench.write("a.csv", ALIASES))
    before, size = bench.counts(), bench.db.stat().st_size
    bench.accept("candidate", "seal", "large")
    after = bench.counts()
    assert size - bench.db.stat().st_size > 1_000_000
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {
        "log_entry",
        "log_head",
        "moved_entry",
        "sealed_part",
        "sealed_set",
        "stored_candidate",
    }
    assert bench.query('from "own table"') == [(7,)]
    bench.accept("check")
    bench.accept("load", "labels", bench.write("l.csv", LABELS), "--set", "later")


def _load_together(bench: Bench, *names: str) -> None:
    """Load sets in one write, so that the log has their rows in one chunk."""
    with store.writer(bench.db) as connection:
        for number, name in enumerate(names, 1):
            loads.load_candidates(connection, scored(bench, f"{name}.csv", number), name, "m")


def test_the_log_verifies_after_sets_were_moved_out_of_its_entries(bench: Bench) -> None:
    _load_together(bench, "one", "two", "three")
    entries = "select count(*) from log_entry where table_name = 'candidate'"
    assert bench.query(entries) == [(2,)]
    expected = answer(bench, SUM)
    for n_moved, name in enumerate(("two", "base", "three", "one"), 1):
        bench.accept("candidate", "seal", name)
        bench.accept("check")
        assert len(bench.query("select distinct candidate_set_id from moved_entry")) == n_moved
        assert answer(bench, SUM) == expected
    assert bench.query("select count(*) from stored_candidate") == [(0,)]
    bench.accept("load", "candidates", scored(bench), "--set", "later", "--model", "m")
    bench.accept("check")
    bench.accept("candidate", "seal", "later")
    bench.accept("check")


def test_what_is_left_of_an_entry_is_still_sealed(bench: Bench) -> None:
    _load_together(bench, "one", "two")
    bench.accept("candidate", "seal", "one")
    with duckdb.connect(str(bench.db)) as other:
        other.execute("update stored_candidate set score = 0.5 where candidate_set_id = 3")
    words = "one or more of the rows 7 to 36 of stored_candidate (candidate_set_id 3) was altered"
    bench.refuse("check", message=[words], code=4)
    bench.refuse("candidate", "seal", "two", message=[words], code=4)


def test_a_forged_move_is_found(bench: Bench) -> None:
    """Rows that were taken out without being sealed, with a row of moved_entry that allows it."""
    bench.accept("load", "candidates", scored(bench), "--set", "whole", "--model", "m", "--sealed")
    with connections.engine(bench.db, read_only=False) as engine:
        with engine.begin() as connection:
            entry = schema.log_entry.c
            wanted = sa.select(entry.entry_id).where(entry.table_name == "candidate")
            forged = {"entry_id": connection.execute(wanted).scalar_one(), "candidate_set_id": 2}
            connection.execute(schema.moved_entry.insert(), {**forged, "n_rows": 0})
            connection.execute(schema.stored_candidate.delete())
        with engine.begin() as connection:
            sealing.seal(connection)
    words = "moved_pair_count: {'candidate_set_id': 2, 'reason': 'the log says that other rows"
    bench.refuse("check", message=[words], code=4)


def test_a_report_needs_only_the_files_of_its_own_sets(sealed: Bench) -> None:
    sealed.accept("candidate", "seal", "base")
    for path in parts(sealed):
        if "candidate_set_id=2" in str(path):
            path.unlink()
    assert "part 1 of the sealed candidate set 2" in sealed.run("sql", SUM).stderr
    sealed.accept("report", sealed.slate)


@pytest.mark.parametrize("command", [("report",), ("report", "--format", "html")], ids=" ".join)
def test_a_report_names_the_part_that_is_missing(command: tuple[str, ...], sealed: Bench) -> None:
    sealed.accept("candidate", "seal", "base")
    (part,) = [path for path in parts(sealed) if "candidate_set_id=1" in str(path)]
    part.unlink()
    message = ["part 1 of the sealed candidate set 1 is missing: sealed-", part.name]
    sealed.refuse(*command, sealed.slate, message=message, code=4)


def test_a_moved_store_finds_its_files_beside_it(sealed: Bench, tmp_path: Path) -> None:
    expected = answer(sealed, SUM)
    moved = tmp_path / "moved"
    moved.mkdir()
    (folder,) = sealed.folder.glob("sealed-*")
    shutil.move(folder, moved / folder.name)
    shutil.move(sealed.db, moved / "renamed.duckdb")
    assert answer(Bench(moved / "renamed.duckdb"), SUM) == expected


def test_a_store_in_a_folder_with_a_comma_has_no_sealed_sets(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "a,b"
    folder.mkdir()
    other = Bench(Path(shutil.copy(bench.db, folder / "store.duckdb")))
    words = ["the path of a folder of sealed sets cannot have a comma"]
    other.refuse("candidate", "seal", "base", message=words)
