"""What Spark computes in DuckDB's place: the same rows, in freezes and evaluations.

One Spark serves the whole module, and the commands that it runs.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import sqlalchemy as sa
import worlds
from bench import Bench
from golden_case import Case, cases
from golden_view import VIEWS, computed_below, named, problems, put
from support import sampled

from tracker.errors import InputRefused, TrackerError
from tracker.extras.spark import dialect, sessions
from tracker.extras.spark.engine import Spark
from tracker.store import catalog, sealed_sets
from tracker.store.state import engines

# What reads candidates and whose rows are kept, or wanted of an evaluation.
COMPUTED = {
    name
    for name, view in VIEWS.items()
    if sealed_sets.VIEW in catalog.reads()[name]
    and (view.stored or view.section == "retrospective")
}
# A few that read little, of each kind of rewriting; all of them belong to the exhaustive run.
CASES = [case for case in cases(VIEWS) if case.view in COMPUTED]


# What the two engines define differently, as queries of DuckDB.
QUERIES = {
    "division": "select 7 / 2 as a, 7 // 2 as b, -7 // 2 as c, 1.0 / 3 as d, 2.5 * 2 as e",
    "division by zero": "select 1 / x as a, -1 / x as b, 7 // x as c, 7 % x as d, x / 2 as e, "
    "1.5 / nullif(x, 0) as f from (values (0), (2)) as t (x) order by x",
    "rounding": "select cast(2.5::double as integer) as a, cast(x as bigint) as b "
    "from (values (3.5::double), (-2.5::double), (7.49::double)) as t (x) order by b",
    "rounding what may be a number": "select try_cast(x as integer) as a, try_cast(x / 2 as "
    "bigint) as b, try_cast('2.7' as integer) as c, try_cast('two' as integer) as d, "
    "try_cast(1e12::double as integer) as e "
    "from (values (3.5::double), (-2.5::double), (7.49::double)) as t (x) order by x",
    "NULLs last": "select x from (values (2), (null), (1)) as t (x) order by x desc, x",
    "lists side by side": "select k, unnest([k, k + 1]) as a, cast(unnest(['1', '2', '3']) as "
    "bigint) as b from (select unnest(range(2)) as k) as t order by k, b",
    "lists beside a star": "select * exclude (b), 2 * k as c, unnest([b, 5]) as b "
    "from (select unnest(range(2)) as k, 7 as b) as t order by k, b",
    "distinct lists": "select distinct unnest([1, 1, k]) as a "
    "from (select unnest(range(3)) as k) as t order by a",
    "qualify": "select k % 3 as third, row_number() over (partition by k % 3 order by k desc) as n "
    "from (select unnest(range(9)) as k) as t "
    "qualify row_number() over (partition by k % 3 order by k desc) <= 2 order by third, n",
    "ordered lists": "select list(v order by k desc) as a, list(v order by k nulls first) as b, "
    "list(v order by k) filter (where k > 1) as c, list(v order by k) filter (where k > 9) as d "
    "from (values (1, 'a'), (2, 'b'), (null, 'c'), (3, null)) as t (k, v)",
    "sums of lists": "select list_sum(list(x order by x)) as a, list_sum(list(x order by x) "
    "filter (where x > 1)) as b from (values (0.1::double), (0.2::double), (null)) as t (x)",
    "largest of each": "select list_min(max(k, 2)) as a, max(k, 2) as b "
    "from (select unnest(range(5)) as k) as t",
    "edges": "with counted as (select histogram(x, (select [1.0::double, 2.0::double, "
    "4.0::double])) as h from (values (0.5::double), (1.0::double), (3.0::double), (4.0::double)) "
    "as t (x)) select unnest(map_keys(h)) as k, unnest(map_values(h)) as n from counted order by k",
    "extremes": "select arg_max(v, k) as a, arg_min(v, row(k, v)) as b, any_value(v) as c from "
    "(values (1, null), (2, 'b'), (3, null)) as t (k, v)",
    "places": "select [1, 2][1] as b, [1, 2][1 + 2] as d, list_position([5, 6], 7) as c, "
    "[7, 8, 9][k] as e, [7, 8, 9][k + 1] as f, [7, 8, 9][list_position([5, 6], k + 3) + 1] as g "
    "from (values (2)) as t (k)",
    "texts without NULL": "select concat('a', null, v) as b from (values ('b')) as t (v)",
    "named windows": "select k, sum(k) over w as s from (select unnest(range(4)) as k) as t "
    "window w as (partition by k % 2 order by k) order by k",
    "neighbour": "select nextafter(0.3::double, cast('-infinity' as double)) as a",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_query_means_the_same_on_both_engines(query: str, spark: Any) -> None:
    on_spark = spark.sql(dialect.translate(query, {})).toArrow()
    with sa.create_engine("duckdb://").connect() as connection:
        expected = [tuple(row) for row in connection.exec_driver_sql(query)]
    names = on_spark.column_names
    found = [tuple(row[name] for name in names) for row in on_spark.to_pylist()]
    assert found == expected


@pytest.mark.parametrize("case", sampled(CASES, 40), ids=named)
def test_a_view_returns_the_expected_rows_on_spark(
    case: Case, spark: Any, store_path: Path, tmp_path: Path
) -> None:
    """The views that it reads are DuckDB's."""
    with worlds.scratch(store_path) as connection:
        put(connection, case)
        engine = Spark(connection, spark.newSession, tmp_path)
        with computed_below(connection, *catalog.reads()[case.view] & VIEWS.keys()):
            connection.exec_driver_sql(f"drop table if exists temp.{case.view}")
            with engines.computed_by(connection, engine):
                engines.create_rows(connection, case.view, VIEWS[case.view], "true")
            actual = [worlds.flat(row) for row in worlds.view_rows(connection, case.view)]
            types = worlds.view_types(connection, case.view)
    assert not problems(case, actual, types)


@pytest.mark.usefixtures("spark")
def test_an_evaluation_is_the_same_on_both_engines(bench: Bench) -> None:
    rng = random.Random(7)  # noqa: S311 - a test's data
    pairs = [f"disease {d},drug {n}" for d in range(12) for n in range(40)]
    scored = [f"{pair},{rng.choice((rng.random(), round(rng.random(), 1)))}" for pair in pairs]
    labeled = [f"{pair},{rng.randrange(5)}" for pair in rng.sample(pairs, 90)]
    for name, header, rows in (("candidates", "score", scored), ("labels", "label", labeled)):
        lines = [f"disease_name,drug_name,{header}", *rows]
        file = bench.write(f"many-{name}.csv", "\n".join(lines))
        model = ("--model", "m2") if name == "candidates" else ()
        bench.accept("load", name, file, "--set", "many", *model)
    words = ("evaluate", "--candidates", "many", "--labels", "many", "--format", "json")
    on_spark = json.loads(bench.accept("spark", *words))
    on_duckdb = json.loads(bench.accept("retrospective", *words))
    assert on_spark["evaluation"] == on_duckdb["evaluation"]
    assert on_spark["sections"]["auc"][0]["auc"] == on_duckdb["sections"]["auc"][0]["auc"]
    for ours, theirs in zip(
        on_spark["sections"]["ndcg_at_k"], on_duckdb["sections"]["ndcg_at_k"], strict=True
    ):
        assert ours["ndcg_at_k"] == pytest.approx(theirs["ndcg_at_k"], rel=1e-12)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("is_sealed", "words"),
    [
        (False, ()),
        pytest.param(True, (), marks=pytest.mark.slow),
        pytest.param(False, ("--novel-only",), marks=pytest.mark.slow),
    ],
    ids=["stored", "sealed", "novel"],
)
def test_a_freeze_on_spark_has_the_same_hash(
    is_sealed: bool, words: tuple[str, ...], attacked: Path, tmp_path: Path
) -> None:
    hashes = []
    now = datetime.now(UTC)
    for engine in ("slate", "spark"):
        folder = tmp_path / engine
        folder.mkdir()
        made = Bench(Path(shutil.copy(attacked, folder / "store.duckdb")))
        if is_sealed:
            made.accept("candidate", "seal", "base")
        with (
            mock.patch("tracker.slates.freezing.uuid.uuid4", return_value=uuid.UUID(int=7)),
            mock.patch("tracker.clock.now", return_value=now),
        ):
            made.accept(engine, "freeze", "--candidates", "base", "--labels", "known", *words)
        # The rows that are kept are those of their definition, on either engine.
        made.accept("check")
        hashes.append(made.query("select max(content_sha256) from slate where origin = 'frozen'"))
    assert hashes[0] == hashes[1]


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_an_altered_part_of_a_sealed_set_is_named(bench: Bench) -> None:
    bench.accept("candidate", "seal", "base")
    (part,) = bench.folder.glob("sealed-*/*/part-*.parquet")
    evaluate = ("spark", "evaluate", "--candidates", "base", "--labels", "known")
    bench.accept(*evaluate)
    content = part.read_bytes()
    part.write_bytes(content[:-10])
    bench.refuse(*evaluate, message=["part 1", "bytes"], code=4)
    part.write_bytes(content[:4] + b"x" * (len(content) - 8) + content[-4:])
    bench.refuse(*evaluate, message=["part 1"], code=4)
    part.unlink()
    bench.refuse(*evaluate, message=["part 1"], code=4)


def _java(folder: Path, answer: str) -> str:
    made = folder / "bin" / "java"
    made.parent.mkdir(parents=True)
    made.write_text(f"#!/bin/sh\necho '{answer}' >&2\n", encoding="utf-8")
    made.chmod(0o755)
    return str(folder)


def test_without_packages_it_says_what_to_install(bench: Bench) -> None:
    with mock.patch("importlib.util.find_spec", return_value=None):
        message = ["Spark needs pyspark and sqlglot: pip install '.[spark]' in a checkout"]
        words = ("spark", "evaluate", "--candidates", "base", "--labels", "known")
        bench.refuse(*words, message=message, code=1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "is Java 11"),
        ('java version "1.8.0_292"', "is Java 8"),
        ("nothing", "does not say which Java it is"),
        (None, "there is none"),
    ],
)
def test_an_old_java_is_named(
    answer: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    home = str(tmp_path) if answer is None else _java(tmp_path, answer)
    monkeypatch.setenv("JAVA_HOME", home)
    with pytest.raises(TrackerError, match=message) as raised:
        sessions.require("local[2]")
    assert "Java 17 or later" in str(raised.value)


@pytest.mark.parametrize(
    ("master", "error", "message"),
    [
        ("sc://127.0.0.1:9", TrackerError, "nobody answers there"),
        ("spark://127.0.0.1:9", TrackerError, "nobody answers there"),
        ("sc://no-such-host.invalid", TrackerError, "nobody answers there"),
        ("loca", InputRefused, "is none of"),
        ("http://127.0.0.1", InputRefused, "is none of"),
    ],
)
def test_a_master_that_does_not_answer_is_named(
    master: str, error: type[TrackerError], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    monkeypatch.setattr(sessions, "_require_java", lambda: None)
    with pytest.raises(error, match=message):
        sessions.require(master)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("seconds", sampled([5, 3, 7, 9], 4))
def test_a_spark_that_is_killed_leaves_one_line(seconds: int, attacked: Path) -> None:
    program = [sys.executable, "-c", "from tracker.cli import main; main()", "--db", str(attacked)]
    words = [*program, "spark", "freeze", "--candidates", "base", "--labels", "known"]
    before = attacked.read_bytes()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    java = None
    until = time.monotonic() + 120
    while java is None and time.monotonic() < until:
        time.sleep(0.5)
        java = _spark_of(process.pid)
    assert java is not None
    # A freeze takes half a minute, and Spark works for most of it.
    time.sleep(seconds)
    os.kill(java, signal.SIGKILL)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == TrackerError.exit_code
    assert complaint == "error: Spark stopped in the middle; the store is unchanged\n"
    assert attacked.read_bytes() == before


def _spark_of(parent: int) -> int | None:
    """Return the child that is Spark, not the Java that is only asked for its version."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        is_spark = words[0].endswith(b"java") and b"org.apache.spark.deploy.SparkSubmit" in words
        if is_spark and int(fields[1].split()[1]) == parent:
            return int(entry.name)
    return None


@pytest.mark.slow
def test_other_commands_do_not_load_spark() -> None:
    check = (
        "import sys; from tracker.cli import main\n"
        "try: main(['spark', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(sorted({'pyspark', 'sqlglot'} & sys.modules.keys()) != [])"
    )
    subprocess.run([sys.executable, "-c", check], check=True, capture_output=True)
