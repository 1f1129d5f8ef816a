"""Files made to exhaust memory or time, names that engines expand, marks to be removed."""

import gzip
import json
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import Bench, parquet
from evidence import chembl
from memory import refused_in_little_memory
from support import exited, ok, sampled

from tracker import formulas

pytestmark = pytest.mark.slow

SCORED = "disease_name,drug_name,score\n"


def _packed(path: Path, head: bytes, filler: bytes) -> Path:
    """Write 300 MB that pack into some 300 kB."""
    with gzip.open(path, "wb", compresslevel=6) as packed:
        packed.write(head)
        for _ in range(300):
            packed.write(filler * (1_000_000 // len(filler)))
    return path


def _refuse_in_little_memory(bench: Bench, path: Path) -> str:
    """Load a file that must be refused in a process of its own; return its complaint."""
    return refused_in_little_memory(
        bench, path, "load", "candidates", path, "--set", "n", "--model", "m"
    )


@pytest.mark.parametrize("name", sampled(["a.jsonl.gz", "a.csv.gz", "a.json.gz"], 3))
def test_a_bomb_takes_no_memory(name: str, bench: Bench) -> None:
    head = {"a.jsonl.gz": b'{"disease_name": "', "a.json.gz": b'[{"a": "', "a.csv.gz": b""}[name]
    path = _packed(bench.folder / name, head or SCORED.encode() + b'A,"', b"0")
    assert path.stat().st_size < 1_000_000
    _refuse_in_little_memory(bench, path)


def _repeated(head: str, part: str, times: int, tail: str = "") -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("w") as handle:
            handle.write(head)
            for _ in range(100):
                handle.write(part * (times // 100))
            handle.write(tail)

    return write


# A file that is small for what an engine would make of it, and why it is refused.
EXCESSIVE: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "a mark never closed": (
        "a.csv",
        _repeated(SCORED + '"', "a\n", 8_000_000),
        "row 2, column disease_name: the cell is longer than 100 kB, or its quotation mark is "
        "never closed\n",
    ),
    "a mark never closed after others": (
        "a.tsv",
        _repeated(SCORED.replace(",", "\t") + 'A"\t "B', "a\n", 8_000_000),
        "row 2, column drug_name: the cell is longer than 100 kB, or",
    ),
    "a row of many lines": (
        "a.csv",
        _repeated(SCORED, '"\n",', 20_000_000),
        "row 2: the row is longer than 2 MB\n",
    ),
    "millions of short rows": (
        "a.csv",
        _repeated(SCORED, "a\n", 8_000_000),
        "and 7,999,980 more problems (8,000,000 in all)\n",
    ),
    "millions of empty records": (
        "a.json",
        _repeated("[{}", ",{}", 8_000_000, "]"),
        "its records have no fields\n",
    ),
    "long values of records": (
        "a.jsonl",
        _repeated("", '{"drug_name": "' + "a" * 1_000_000 + '"}\n', 100),
        "row 1, column drug_name: the cell is longer than 100 kB\n",
    ),
    "a long value of an array": (
        "a.json",
        _repeated('[{"a": 1}, {"a": ["', "a", 1_000_000, '"]}]'),
        "row 2, column a: the cell is longer than 100 kB\n",
    ),
    "long cells of Parquet": (
        "a.parquet",
        parquet(
            "select repeat('a', 1_000_000) || i as disease_name, 'b' as drug_name, 0.5 as score "
            "from range(300) as t (i)",
            compression="zstd",
        ),
        "at most 200-fold is unpacked\n",
    ),
    "long cells of Parquet on average": (
        "a.parquet",
        parquet(
            "select string_agg(md5(random()::varchar), '') as disease_name, 'b' as drug_name, "
            "0.5 as score from range(8_000_000) group by range // 4000"
        ),
        "column disease_name: its cells are longer than 100 kB on average\n",
    ),
    "one long cell of Parquet": (
        "a.parquet",
        parquet(
            "select if(i = 7, repeat('a', 9_000_000), 'a' || i) as disease_name, "
            "'b' as drug_name, 0.5 as score from range(9_000) as t (i)"
        ),
        "row 8, column disease_name: the cell is longer than 100 kB\n",
    ),
    "rows of Parquet": (
        "a.parquet",
        parquet(
            "select 'a' as disease_name, 'b' as drug_name, 0.5 as score from range(30_000_000)"
        ),
        "column disease_name: has 30,000,000 values in a file of ",
    ),
    "long lists of Parquet": (
        "a.parquet",
        parquet("select [0 for x in range(900_000)] as a from range(3)"),
        "column a, list, element: its lists have more than 10,000 values on average\n",
    ),
}


@pytest.mark.parametrize("case", sampled(EXCESSIVE, 6))
def test_what_an_engine_would_expand_is_refused_before(case: str, bench: Bench) -> None:
    name, write, problem = EXCESSIVE[case]
    path = bench.folder / name
    write(path)
    assert problem in _refuse_in_little_memory(bench, path)


DENSE: dict[str, tuple[bytes, int, str]] = {
    "empty objects": (b"{},", 9_000_000, "opening brackets; at most 8,388,608 are parsed"),
    "short texts": (b'"ab",', 34_000_000, "commas and colons; at most 33,554,432 are parsed"),
}


@pytest.mark.parametrize("kind", DENSE)
@pytest.mark.parametrize("source", ["trials", "fda", "ema"])
def test_a_dense_document_is_refused_before_it_is_parsed(
    source: str, kind: str, bench: Bench
) -> None:
    part, times, problem = DENSE[kind]
    path = bench.folder / "a.json"
    path.write_bytes(b"[" + part * times + b"0]")
    words = ("ingest", source, path, "--released", "2026-03-01")
    assert problem in refused_in_little_memory(bench, path, *words, most_bytes=1 << 30)


def test_a_huge_cell_of_chembl_is_refused(bench: Bench) -> None:
    path = chembl(bench.folder / "chembl_36.db")
    with sqlite3.connect(path) as source:
        source.execute("update molecule_dictionary set pref_name = hex(zeroblob(150000000))")
    words = ("ingest", "chembl", path)
    assert "too big" in refused_in_little_memory(bench, path, *words, most_bytes=1 << 30)


@pytest.mark.parametrize("length", [1_000, 1_001])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_a_name_has_a_thousand_characters(suffix: str, length: int, bench: Bench) -> None:
    name = "\u00e4" * length
    record = {"disease_name": "A", "drug_name": name, "score": 1}
    path = bench.folder / f"a.{suffix}"
    if suffix == "parquet":
        parquet(f"select 'A' as disease_name, '{name}' as drug_name, 1 as score")(path)
    elif suffix == "csv":
        path.write_text(f"{SCORED}A,{name},1\n")
    else:
        path.write_text(json.dumps([record] if suffix == "json" else record, ensure_ascii=False))
    words = ("load", "candidates", path, "--set", "n", "--model", "m")
    if length == 1_000:
        bench.accept(*words)
        return
    row = 2 if suffix == "csv" else 1
    bench.refuse(
        *words,
        message=[
            f"error: a.{suffix}, row {row}, column drug_name: has more than 1,000 characters\n"
        ],
    )


def test_a_line_without_end_is_refused(bench: Bench) -> None:
    path = bench.folder / "a.jsonl"
    with path.open("wb") as handle:
        handle.write(b"{}\n")
        handle.truncate(50_000_000)
    message = ["error: a.jsonl, row 2: the line is longer than 2 MB\n"]
    bench.refuse("load", "candidates", path, "--set", "n", "--model", "m", message=message)


@pytest.mark.parametrize(
    ("source", "name"),
    sampled([("trials", "a.json"), ("trials", "a.jsonl"), ("fda", "a.json"), ("ema", "a.json")], 4),
)
def test_a_huge_source_is_not_read_into_memory(
    empty_store: Path, source: str, name: str, tmp_path: Path
) -> None:
    bench = Bench(Path(shutil.copy(empty_store, tmp_path / "store.duckdb")))
    path = tmp_path / name
    with path.open("wb") as handle:
        # Sparse: it takes no space on the disk.
        handle.truncate(1_100_000_000)
    done = exited(3, bench.run("ingest", source, path))
    assert done.stderr.startswith(f"error: {name}")
    assert "at most 1,073,741,824 are read at once" in done.stderr or "than 100 MB" in done.stderr


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json"])
def test_a_million_columns_are_refused_at_once(suffix: str, bench: Bench) -> None:
    names = [f"c{number}" for number in range(200_000)]
    if suffix == "csv":
        content = ",".join(names)
    elif suffix == "json":
        content = json.dumps([dict.fromkeys(names, 1)])
    else:
        # No line is wide.
        parts = [names[start : start + 100] for start in range(0, len(names), 100)]
        content = "".join(json.dumps(dict.fromkeys(part, 1)) + "\n" for part in parts)
    path = bench.write(f"wide.{suffix}", content)
    started = time.process_time()
    message = [f"error: wide.{suffix}: has 200,000 columns; at most 10,000 are read\n"]
    bench.refuse("load", "candidates", path, "--set", "n", "--model", "m", message=message)
    assert time.process_time() - started < 20


@pytest.mark.parametrize("number", ["2_5", "1_000", "1_0e1_0", "0.5_5"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_no_number_has_underscores(number: str, suffix: str, bench: Bench) -> None:
    record = {"disease_name": "A", "drug_name": "B", "score": number}
    path = bench.folder / f"a.{suffix}"
    if suffix == "parquet":
        parquet(f"select 'A' as disease_name, 'B' as drug_name, '{number}' as score")(path)
    elif suffix == "csv":
        path.write_text(f"{SCORED}A,B,{number}\n")
    else:
        path.write_text(json.dumps([record] if suffix == "json" else record))
    message = [f"column score: '{number}' is not a number\n"]
    bench.refuse("load", "candidates", path, "--set", "n", "--model", "m", message=message)


ITEMS = ["=1+1", "+x", "-y", "@z", "'=q", "''=r", "'s", "\uff1da", "\uff0bb", "\uff0dc", "\uff20d"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_template_is_submitted_back_whatever_its_items_begin_with(
    suffix: str, bench: Bench
) -> None:
    """Text that a spreadsheet would run is marked in CSV, and the mark is removed on reading."""
    truth = bench.folder / f"truth.{suffix}"
    if suffix == "csv":
        # In a user's own file, too, the mark of '=q is removed.
        truth.write_text("item,t\n" + "".join(f"{item},1\n" for item in ITEMS if item != "'=q"))
    else:
        values = ", ".join("('" + item.replace("'", "''") + "', 1)" for item in ITEMS)
        parquet(f"from (values {values}) as v (item, t)")(truth)
    define = ("benchmark", "define", "new", "--kind", "regression", "--item-column", "item")
    bench.accept(*define, "--truth", truth)
    template = bench.accept("benchmark", "template", "new")
    for row in template.splitlines()[1:]:
        assert row[0] in "'\"", row
    filled = bench.write(
        "filled.csv",
        template.splitlines()[0] + "\n" + "".join(f"{row}1\n" for row in template.splitlines()[1:]),
    )
    submit = ("--submitter", "s", "--track", "test")
    n_items = len(ITEMS) - (suffix == "csv")
    assert f"froze submission 1: {n_items} values" in bench.accept(
        "benchmark", "submit", "new", filled, *submit
    )


@pytest.mark.parametrize("folder", sampled(["a[1]b", "~", "a*b", "a[b", "a?b", "{a,b}"], 6))
def test_a_folder_may_have_any_name(
    folder: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.folder)
    Path(folder).mkdir()
    (Path(folder) / "new.csv").write_text(SCORED + "A,B,0.5\n")
    load = ("load", "candidates", f"{folder}/new.csv", "--set", "new", "--model", "m")
    ok(bench.run(*load))
    bench.accept("slate", "export", bench.slate, f"{folder}/out")
    ok(bench.run("slate", "import", f"{folder}/out"))
    bench.accept("publish", "-o", f"{folder}/site")
    assert (Path(folder) / "site" / "index.html").is_file()
    assert sorted(path.name for path in Path(folder).iterdir()) == ["new.csv", "out", "site"]


@pytest.mark.parametrize("folder", sampled(["a[1]b", "~", "a*b", "a[b", "{a,b}"], 5))
def test_a_store_may_be_in_any_folder(
    folder: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.folder)
    Path(folder).mkdir()
    own = Bench(Path(folder) / "x.duckdb")
    own.accept("init")
    ok(own.run("release", "list"))
    assert (bench.folder / folder / "x.duckdb").is_file()


def test_a_store_that_duckdb_could_not_write_is_refused_by_its_path(bench: Bench) -> None:
    """DuckDB takes what follows a question mark for options, and loses its log."""
    folder = bench.write("a?b", None)
    done = exited(3, Bench(folder / "x.duckdb").run("init"))
    assert "the path of a store cannot contain a question mark" in done.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("name", "line"), [("a.csv", "A,B,0.5"), ("a.jsonl", "{}")])
def test_lines_that_end_in_only_a_carriage_return_are_bounded(
    name: str, line: str, bench: Bench
) -> None:
    path = bench.folder / name
    path.write_bytes(f"{line}\r".encode() * 800_000)
    message = [f"error: {name}, row ", "the line is longer than 2 MB"]
    bench.refuse("load", "candidates", path, "--set", "n", "--model", "m", message=message)


def test_a_csv_with_only_carriage_returns_is_refused(bench: Bench) -> None:
    path = bench.write("a.csv", f"{SCORED}A,B,0.5\n".replace("\n", "\r"))
    message = ["error: a.csv, row 1: the line ends in a carriage return alone"]
    bench.refuse("load", "candidates", path, "--set", "n", "--model", "m", message=message)


@pytest.mark.parametrize("text", ["=1", "'=1", "''=1", "\t1", "'\r1", "\uff1dx", "it's", "'x"])
def test_a_mark_is_removed_exactly(text: str) -> None:
    assert formulas.unmarked(formulas.marked(text)) == text
