"""`tracker sql` has bounds: of time, of memory, and of what it may write."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from bench import Bench, snapshot
from sqlalchemy import Connection
from support import printed, ran, sampled

from tracker import store
from tracker.cli.batches import render_batches
from tracker.errors import TimedOut
from tracker.rows import Rows, render
from tracker.store import queries
from tracker.store.state import narrowing

TRACKER = Path(sys.executable).with_name("tracker")
ENDLESS = "select count(*) from range(1000000) a, range(1000000) b"
# One function that ignores interruptions for a long time; it uses 3 GB at most.
DEAF = "select list_sum(range(400000000))"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "json", "markdown", "table", "parquet"])
def test_a_time_limit_ends_a_query(bench: Bench, form: str) -> None:
    path = bench.write("out", "as it was")
    words = ["sql", ENDLESS, "--timeout", "0.5", "--format", form, "-o", path]
    began = time.monotonic()
    complaint = bench.refuse(*words, message=[], code=1)
    assert complaint == "error: the query was stopped after 0.5 s (--timeout)\n"
    assert time.monotonic() - began < 30
    assert path.read_text() == "as it was"


@pytest.mark.slow
def test_a_time_limit_covers_the_fetching(bench: Bench) -> None:
    words = ["sql", "from range(1000000000)", "--timeout", "1", "--format", "csv", "-o"]
    bench.refuse(*words, bench.folder / "out", message=["stopped after 1 s"], code=1)


def test_a_query_within_its_time_is_answered(bench: Bench) -> None:
    for limit in ("0", "60"):
        assert bench.accept("sql", "select 1 as a", "--timeout", limit, "--format", "csv")


@pytest.mark.slow
@pytest.mark.parametrize("form", sampled(["csv", "parquet"], 2))
@pytest.mark.parametrize(
    "query",
    [ENDLESS, "from range(1000000000)", pytest.param(DEAF, marks=pytest.mark.slow)],
    ids=["executing", "fetching", "deaf"],
)
def test_an_interrupt_ends_a_query(bench: Bench, query: str, form: str) -> None:
    path = bench.write("out", "as it was")
    before = snapshot(bench.folder)
    words = ["--db", str(bench.db), "sql", query, "--format", form, "-o", str(path)]
    with subprocess.Popen([TRACKER, *words], stderr=subprocess.PIPE, text=True) as process:
        # The private folders of the output and of the store.
        while process.poll() is None and len(list(bench.folder.glob(".tracker-*"))) < 2:
            time.sleep(0.05)
        # A fast machine ends the query that hears no interrupt in three seconds.
        time.sleep(1 if query == DEAF else 3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        complaint = process.communicate(timeout=60)[1]
        took = time.monotonic() - sent
    assert process.returncode == 130
    assert complaint == "error: interrupted by SIGINT\n"
    # Half a second on an idle machine; the uninterruptible query alone would take many.
    assert took < 5
    # Files left by an uninterruptible query are removed by the next command.
    bench.accept("check")
    assert snapshot(bench.folder) == before


@pytest.mark.parametrize("form", sampled(["csv", "json", "markdown", "parquet"], 4, slow=True))
def test_memory_stays_bounded(bench: Bench, form: str) -> None:
    """Fetched at once, these rows take 800 MB and more."""
    query = "select i, i * 0.5 as x, repeat('name ', 40) || i as n from range(1500000) r (i)"
    words = ["sql", query, "--format", form, "-o", "/dev/null"]
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    command = [sys.executable, "-c", script, TRACKER, "--db", bench.db, *words]
    most = printed(ran(*command, TRACKER_MEMORY_LIMIT="200MB"))
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(most) * unit < 500e6


DEEP = "select * from enrichment_vs_matched where slate_id is not null order by all"


def _answer(connection: Connection, query: str) -> list[Any]:
    _, batches = queries.Query(connection, query).rows()
    return [row for batch in batches for row in batch]


@pytest.mark.slow
def test_rows_of_another_instant_are_computed_first(demo_store: Path) -> None:
    with store.reader(demo_store, as_of=datetime.now(UTC)) as connection:
        # Names have no case, and nobody need read what was answered.
        queries.Query(connection, DEEP.upper()).rows()
        rows = _answer(connection, DEEP)
        assert narrowing.held(connection) == frozenset()
    with store.reader(demo_store) as connection:
        assert rows == _answer(connection, DEEP)
    assert len(rows) == 40


@pytest.mark.slow
def test_a_time_limit_covers_what_is_computed_first(demo_store: Path) -> None:
    with store.reader(demo_store, as_of=datetime.now(UTC)) as connection:
        began = time.monotonic()
        with pytest.raises(TimedOut, match=r"stopped after 0\.05 s"):
            queries.Query(connection, DEEP, timeout=0.05).rows()
        assert time.monotonic() - began < 5
        assert narrowing.held(connection) == frozenset()
        assert _answer(connection, "select 1") == [(1,)]


@pytest.mark.slow
def test_another_client_answers_a_deep_view(demo_store: Path) -> None:
    with duckdb.connect(str(demo_store), read_only=True) as other:
        rows = other.execute(DEEP).fetchall()
    with store.reader(demo_store) as connection:
        assert rows == _answer(connection, DEEP)


VALUES: list[tuple[Any, ...]] = [
    (1, -2.5, "=1+1", None, [1, {"a": "\n"}], True),
    (None, 1e300, "日本 | _a_\n", "", {}, False),
    (10**30, float("nan"), "x" * 200 + " y", None, [], None),
]
COLUMNS = ["a", "b b", "c", "a", "-long_name_of_a_column", "日"]


@pytest.mark.parametrize("form", ["csv", "json", "markdown"])
@pytest.mark.parametrize("n_rows", [0, 1, 3])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_batches_have_the_bytes_of_the_whole(form: str, n_rows: int, size: int) -> None:
    values = VALUES[:n_rows] if form != "markdown" else VALUES[:1] * n_rows
    batches = [values[i : i + size] for i in range(0, len(values), size)] or [[]]
    whole = render(Rows(COLUMNS, values), form)
    assert "".join(render_batches(COLUMNS, iter(batches), form)) == whole


def test_json_matches_the_standard_library() -> None:
    rows = Rows(COLUMNS, VALUES)
    expected = json.dumps(rows.records(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    assert "".join(render_batches(COLUMNS, iter([VALUES]), "json")) == expected


@pytest.mark.slow
def test_a_table_shows_so_many_rows(bench: Bench) -> None:
    for words, n_shown in (([], 1000), (["--rows", "3"], 3), (["--rows", "0"], 1500)):
        done = bench.run("sql", "from range(1500)", *words)
        assert len(done.stdout.splitlines()) == n_shown + 2
        note = f"only the first {n_shown:,} rows are shown; --rows 0 or another --format shows all"
        assert done.stderr == ("" if n_shown == 1500 else note + "\n")
    assert bench.run("sql", "from range(3)", "--rows", "3").stderr == ""
    assert len(bench.accept("sql", "from range(5000)", "--format", "csv").splitlines()) == 5001


@pytest.mark.parametrize(
    "query",
    [
        "copy (select 1) to '{db}' (format csv, use_tmp_file false)",
        "copy (select 1) to '{db}.wal'",
        "explain analyze copy (select 1) to '{db}.wal'",
        "explain /**/ analyze/**/COPY/**/(select 1) to '{db}.wal'",
        "/* /* */ explain select 1 -- */ explain analyze copy (select 42) to '{db}' "
        "(format csv, use_tmp_file false)",
        "explain (/* ) select 1 -- */ analyze) copy (select 1) to '{db}.wal'",
        " --\rexplain analyze copy (select 1) to '{db}.wal' /*\n explain select 1 -- */",
        "export database '{db}.tmp'",
        "prepare p as copy (select 1) to '{db}.wal'",
        "attach '{db}.wal' as x",
    ],
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_no_query_writes_next_to_or_over_the_store(bench: Bench, query: str, form: str) -> None:
    words = ["sql", query.format(db=bench.db), "--format", form, "-o", bench.folder / "out"]
    bench.refuse(*words, message=["the query failed"])


@pytest.mark.parametrize(
    "query", ["show tables", "describe slate", "summarize slate", "explain select 1", "values (1)"]
)
def test_whatever_reads_is_run(bench: Bench, query: str) -> None:
    assert bench.accept("sql", query)
    path = bench.folder / "out.parquet"
    bench.accept("sql", query, "--format", "parquet", "-o", path)
    assert duckdb.read_parquet(str(path)).fetchall()


def test_parquet_goes_to_any_name_and_keeps_the_as_of_day(bench: Bench) -> None:
    path = bench.folder / "it's {a} name.parquet"
    query = "select getvariable('as_of') is not null as is_past"
    bench.accept("sql", query, "--as-of", "2026-01-01", "--format", "parquet", "-o", path)
    with duckdb.connect() as connection:
        assert connection.read_parquet(str(path)).fetchall() == [(True,)]


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_two_columns_of_one_name_are_refused_where_one_would_be_lost(
    bench: Bench, form: str
) -> None:
    words = ["sql", "select 1 as a, 2 as a", "--format", form, "-o", bench.folder / "out"]
    bench.refuse(*words, message=["two columns of the query have the same name"])


def test_a_query_is_needed_on_a_terminal(db: Path) -> None:
    """Nothing is waited for that nobody knows to type."""
    own, terminal = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", "from tracker.cli import main; main()", "--db", str(db), "sql"],
            stdin=terminal,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(own)
        os.close(terminal)
    assert done.returncode == 2
    assert "a query is missing: SQL, a .sql file, or - for standard input" in done.stderr
