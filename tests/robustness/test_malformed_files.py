"""Some thousand malformed files: each is refused in plain lines that name it, or is known sound.

The commands work on one open copy of a store in transactions that are rolled back, which spares
most of the time; every fortieth goes through the store's own writer, which must leave it as it was.
"""

import contextlib
import re
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import malformed
import mutations
import pytest
from bench import Bench, published, snapshot
from malformed import Case
from sqlalchemy import Connection
from support import sampled

from tracker import store
from tracker.store import connections

# Text that only a programmer can read.
INTERNALS = re.compile(
    r"Traceback|error: unexpected|_duckdb|read_csv|read_json|state machine|struct as input"
    r"|' object |indices must be|codec can't|HUGEINT|invalidated|set_int_max|INTERNAL|Assertion"
)
LONGEST_LINE = 1_100

# Mutations that leave a file sound, by the name of the case, and why.
VALID = {
    "labels: a row twice": "labels that repeat and agree are one",
    "outcomes: a row twice": "an outcome seen again is not a new row",
    "aliases: a row twice": "a stored alias is not added again",
    "ChEMBL table: a row twice": "an indication given twice is one",
    **{
        f"{kind}: an open quote": "inside a cell a quotation mark is text"
        for kind in (
            "aliases",
            "regression truth",
            "binary truth",
            "ordinal truth",
            "multilabel truth",
            "frequencies",
            "multilabel submission",
            "ChEMBL table",
        )
    },
    "binary truth: flipped bits 3": "a cell became another class, an item another name",
    "ordinal truth: flipped bits 3": "a cell became another class, an item another name",
    "multilabel truth: a strange column": "a truth may have columns that are not asked for",
    "ChEMBL table: a strange column": "the web service gives more columns than are read",
    "multilabel truth: JSON with NaN": "a name may be any text",
    "ChEMBL: no column": "older releases lack columns",
    "ChEMBL: a NUL in a term": "no disease of the store has such a name",
}
N_SHARDS = 12
# Each with ten files of an importer.
N_BLOCKS = 30
MAX_SECONDS = 10
MAX_BYTES = 1024**3


@pytest.fixture(scope="module")
def prepared(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the targets of every kind of file: a slate, an evaluation, benchmarks."""
    bench = Bench(
        Path(shutil.copy(empty_store, tmp_path_factory.mktemp("malformed") / "store.duckdb"))
    )
    rows = [f"Many,D{number},0.{number:02}" for number in range(12)]
    candidates = "disease_name,drug_name,score\nAsthma,Alpha,0.9\nAsthma,Beta,0.8\n"
    text = candidates + "\n".join(rows) + "\n"
    bench.accept("load", "candidates", bench.write("c.csv", text), "--set", "base", "--model", "m")
    known = "".join(f"Many,D{number},4\n" for number in range(12))
    labels = bench.write("l.csv", f"disease_name,drug_name,label\nAsthma,Alpha,4\n{known}")
    bench.accept("load", "labels", labels, "--set", "known")
    bench.accept("slate", "freeze", "--candidates", "base", "--labels", "known", "--top-k", "2")
    bench.accept("retrospective", "evaluate", "--candidates", "base", "--labels", "known")
    for kind in ("regression", "binary", "ordinal", "multilabel"):
        truth = bench.write(f"{kind}.csv", malformed.TABLES[f"{kind} truth"][1])
        define = ("benchmark", "define", kind, "--kind", kind, "--item-column", "item")
        bench.accept(*define, "--truth", truth)
    bench.accept("slate", "export", bench.slate, bench.folder / "exported")
    words, table, _ = malformed.TABLES["regression submission"]
    # Another than that of the cases: the same bytes again would be taken for it.
    submitted = bench.write("submission.csv", table.replace("2.5", "3.5"))
    bench.accept(*words[:3], submitted, *words[4:])
    bench.accept("benchmark", "export", "1", bench.folder / "submitted")
    published()(bench.folder / "published")
    return bench.db


@pytest.fixture(scope="module")
def copy(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the store that stays open."""
    return Path(shutil.copy(prepared, tmp_path_factory.mktemp("copy") / "copy.duckdb"))


def all_cases(folder: Path) -> list[Case]:
    """Every case; `folder` contains the sound slates."""
    return [
        *malformed.tables(),
        *malformed.toml(),
        *malformed.folders(folder / "published", folder / "exported"),
        *malformed.sources(),
    ]


def complaint(bench: Bench, case: Case, folder: Path, *, may_be_sound: bool = False) -> str | None:
    """Run a case in an empty folder; return what went wrong, None if nothing did."""
    folder.mkdir()
    path = folder / case.file
    malformed.write(path, case.content)
    truth = folder / "truth.csv"
    truth.write_text("item,label\na,x\nb,y\nc,x\n")
    given = {"PATH": str(path), "SLATE": bench.slate, "TRUTH": str(truth)}
    before = snapshot(folder)
    done = bench.run(*[given.get(word, word) for word in case.words])
    wrong = None
    is_valid = case.name in VALID or (may_be_sound and done.exit_code == 0)
    lines = done.stderr.splitlines()
    if done.exit_code == 0:
        wrong = None if is_valid else "was taken"
    elif done.exit_code not in ((2, 3, 4) if may_be_sound else (2, 3)):
        # 4: an export that is whole and was altered.
        wrong = f"ended with {done.exit_code}"
    elif is_valid:
        wrong = "is listed as sound"
    elif INTERNALS.search(done.stderr):
        wrong = "speaks of internals"
    elif not any(line.startswith("error: ") for line in lines):
        wrong = "does not say what is wrong"
    elif not any(name in done.stderr for name in (case.file, *case.names)):
        wrong = "does not name the file"
    elif max(map(len, lines)) > LONGEST_LINE:
        wrong = "is a long line"
    if snapshot(folder) != before:
        wrong = "leaves files behind"
    shutil.rmtree(folder)
    return None if wrong is None else f"{case.name}: {wrong}: {done.stderr[:400]}"


@pytest.fixture(scope="module")
def cases(prepared: Path) -> list[Case]:
    """Every case."""
    return all_cases(prepared.parent)


@pytest.mark.parametrize("shard", sampled(range(N_SHARDS), N_SHARDS, slow=True))
def test_malformed_files(
    shard: int,
    cases: list[Case],
    prepared: Path,
    copy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert len(cases) > 1000
    assert len({case.name for case in cases}) == len(cases)
    bench = Bench(prepared)
    before = snapshot(prepared.parent)
    wrong = []
    real = store.writer
    with rolling_back(prepared, copy) as rolled_back:
        for number, case in enumerate(cases[shard::N_SHARDS]):
            is_kept = number % 40 == 39 and case.name not in VALID
            monkeypatch.setattr(store, "writer", real if is_kept else rolled_back)
            wrong.append(complaint(bench, case, tmp_path / "case"))
    monkeypatch.undo()
    assert [line for line in wrong if line] == []
    assert snapshot(prepared.parent) == before


@pytest.mark.parametrize(
    ("importer", "block"),
    sampled(
        [(name, block) for block in range(N_BLOCKS) for name in mutations.importers()],
        N_BLOCKS * 4,
    ),
)
def test_mutated_files(
    importer: str,
    block: int,
    prepared: Path,
    copy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files spoilt at random are refused as plainly, in little time and memory."""
    bench = Bench(prepared)
    before = snapshot(prepared.parent)
    wrong = []
    with rolling_back(prepared, copy) as rolled_back:
        monkeypatch.setattr(store, "writer", rolled_back)
        for case in mutations.cases(
            importer, prepared.parent, range(block, mutations.N_SEEDS, N_BLOCKS)
        ):
            at_start, started = _peak(), time.process_time()
            wrong.append(complaint(bench, case, tmp_path / "case", may_be_sound=True))
            seconds = time.process_time() - started
            if seconds > MAX_SECONDS:
                wrong.append(f"{case.name}: took {seconds:.1f} s")
            if _peak() - at_start > MAX_BYTES:
                wrong.append(f"{case.name}: took {(_peak() - at_start) >> 20} MB")
    monkeypatch.undo()
    assert [line for line in wrong if line] == []
    assert snapshot(prepared.parent) == before


def _peak() -> int:
    """Return the bytes that this process took at most; macOS counts bytes, others kilobytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


@contextlib.contextmanager
def rolling_back(prepared: Path, copy: Path) -> Iterator[Callable[..., object]]:
    """Yield a writer of the store that works on its open copy and keeps nothing."""

    @contextlib.contextmanager
    def rolled_back(path: Path, **_options: object) -> Iterator[Connection]:
        assert path == prepared
        with (
            connections.store_errors(path),
            connections.engine(copy, read_only=False) as engine,
            connections.connect(engine, copy) as connection,
            connection.begin() as transaction,
        ):
            try:
                yield connection
            finally:
                transaction.rollback()

    # The open connection keeps the copy open between the cases.
    with connections.engine(copy, read_only=False) as engine, engine.begin():
        yield rolled_back
