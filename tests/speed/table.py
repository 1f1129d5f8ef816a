"""One table of speed: what each step takes beside a yardstick that is measured in the same run.

    .venv/bin/pip install -e '.[bench]'
    .venv/bin/python tests/speed/table.py                     # some ten minutes on two cores
    .venv/bin/python tests/speed/table.py --small             # less than a minute
    .venv/bin/python tests/speed/table.py --growth 1,10,66    # large steps alone, million pairs

Prints ratios of processor time, that of all threads and programs of a step, which other programs
on the machine hardly change, and of the time that passes. Beside them stands the ratio that is
documented, in `ROWS`. The exit code is 1 if a ratio of processor time is more than twice that.
"""

import argparse
import compileall
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import bench_retrospective
import detection_store
import duckdb
import numpy as np
import polars as pl
from measuring import say
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]
from sqlalchemy import Connection
from sqlalchemy import Row as StoredRow
from whole_matrix import MEMORY_LIMIT, make_files

import tracker
from tracker import store
from tracker.api.stores import Store
from tracker.evidence import detection
from tracker.extras import refresh
from tracker.extras.retrospective import evaluations
from tracker.extras.site import publishing
from tracker.progress import silent
from tracker.slates import freezing, frozen, loads, outcomes
from tracker.store.state import scope
from tracker.uncertainty import estimates

# Whether a step is to be measured.
Wanted = Callable[[str], bool]

N_DRUGS = 3_000
SMALL, USUAL, WHOLE = 300_000, 22_000_000, 66_000_000
# Detection depends on predictions and evidence; more candidates only take longer to make.
DETECTION_PAIRS = 2_100_000
WORLD = Path(__file__).parents[2] / "fixtures" / "world"
MAIN = "import sys; from tracker.cli import main; main(sys.argv[1:], 'tracker')"
UNIT = "import duckdb, pandas, sqlalchemy"
COMPLETED = {
    "_TRACKER_COMPLETE": "bash_complete",
    "COMP_WORDS": "tracker slate ",
    "COMP_CWORD": "2",
}

TABLE, BEST, SCAN = "create table as select", "max_by(.., 50)", "avg(score)"
SKLEARN, POLARS, IMPORTS = "roc_auc_score", "polars", "imports"
DETECTION, ONE = "detection, 10 slates", "detection, 1 slate"


class Row(NamedTuple):
    """A step, its yardstick, and the documented ratios: at 0.3, 22 and 66 million pairs.

    These are ratios of processor time; `clock` is one of the time that passes, of many pairs. Those
    for `--small` are what it found, to notice when a step gets slower; with so few pairs most of
    the time is what a step takes at any size. The others are what is wanted; of "publish" and
    "evaluation" what was found. `--small` leaves out the steps that have no ratio for it, which
    take long, or so short a time that their ratio says little.
    """

    step: str
    beside: str
    small: float | None
    usual: float
    whole: float | None
    clock: float | None = None


ROWS = (
    Row("load", TABLE, 16, 1.6, 1.6),
    Row("load, sealed", TABLE, 20, 1.6, 1.6),
    Row("freeze", BEST, 34, 5, 5),
    Row("freeze without power", BEST, 32, 3, 3),
    Row("report", SCAN, 45, 22, 22),
    Row("page", SCAN, 85, 30, 30),
    Row("publish", SCAN, None, 275, None),
    Row("evaluation", SCAN, 16, 22, None),
    Row("AUC", SKLEARN, 1.8, 0.25, 0.25, clock=1 / 8),
    Row("NDCG@50", POLARS, None, 1, 1, clock=1 / 1.3),
    Row("sql 'select 1'", IMPORTS, 1, 1, 1),
    Row("slate list", IMPORTS, 0.9, 1, 1),
    Row("view", IMPORTS, 0.5, 1, 1),
    Row("report, small", IMPORTS, 2.1, 2, 2),
    Row("report, small, as html", IMPORTS, None, 2.6, 2.6),
    Row("load 10,000 rows", IMPORTS, 2.1, 2, 2),
    Row("refresh, nothing new", IMPORTS, 1.5, 0.8, 0.8),
    Row("--version", IMPORTS, 0.2, 0.3, 0.3),
    Row("completion", IMPORTS, 0.2, 0.3, 0.3),
    Row("demo", IMPORTS, None, 30, 30),
    Row(DETECTION, ONE, None, 1.2, 1.2),
)
OF_STEP = {row.step: row for row in ROWS}


class Seconds(NamedTuple):
    """What a step took: the time that passed, and that of all threads on a processor."""

    clock: float
    processor: float


class Measured(NamedTuple):
    """A step, and its yardstick in the same run."""

    step: str
    spent: Seconds
    yardstick: Seconds

    @property
    def ratio(self) -> Seconds:
        return Seconds(
            self.spent.clock / self.yardstick.clock, self.spent.processor / self.yardstick.processor
        )


def main() -> None:
    """Measure what was asked for and print it; exit with 1 if a ratio is far too high."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=USUAL, help="of the large steps")
    parser.add_argument("--small", action="store_true", help="few pairs, fewer steps")
    parser.add_argument(
        "--growth", metavar="MILLIONS", help="the large steps alone at these sizes, as in 1,10,66"
    )
    parser.add_argument(
        "--most", type=float, default=2.0, help="how many times its documented ratio one may be"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        if options.growth:
            sizes = [round(float(part) * 1e6) for part in options.growth.split(",")]
            _print_growth(Path(name), sizes)
            return
        n_pairs = SMALL if options.small else options.pairs
        missed = _print_table(Path(name), n_pairs, options.small, options.most)
    if missed:
        raise SystemExit(f"more than {options.most:g} times what is documented: {missed}")


def _print_table(folder: Path, n_pairs: int, is_small: bool, most: float) -> str:
    """Print a row as soon as it is measured; return the steps whose ratio is far too high."""
    peak = 0
    say(_machine(n_pairs))
    say("Ratios to the yardstick, by processor time and by clock; most: as documented.\n")
    say(f"{'step':<23} {'yardstick':<22} {'processor':>9} {'most':>6} {'clock':>8} {'most':>6}")
    say(f"{'-' * 23} {'-' * 22} {'-' * 9} {'-' * 6} {'-' * 8} {'-' * 6}")
    missed = []
    for measured in _steps(folder, n_pairs, is_small):
        row, ratio = OF_STEP[measured.step], measured.ratio
        documented = _documented(row, n_pairs)
        clock = "" if row.clock is None or n_pairs == SMALL else _short(row.clock)
        say(
            f"{row.step:<23} {row.beside:<22} {_short(ratio.processor):>9} "
            f"{_short(documented):>6} {_short(ratio.clock):>8} {clock:>6}".rstrip()
        )
        if ratio.processor > most * documented:
            missed.append(row.step)
        if row.step == "evaluation":
            # What follows holds all pairs in memory for the programs it is compared with.
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    say(f"\nThe steps down to evaluation took {peak / 1024**2:.1f} GB of memory at most.")
    return ", ".join(missed)


def _steps(folder: Path, n_pairs: int, is_small: bool) -> Iterator[Measured]:
    # What an installation has done; else the first run of a step would do it.
    compileall.compile_dir(Path(tracker.__file__).parent, quiet=2)

    def is_wanted(step: str) -> bool:
        return not is_small or OF_STEP[step].small is not None

    yield from _large(folder, n_pairs, is_wanted)
    yield from _commands(folder, 1 if is_small else 3, is_wanted)
    if is_wanted(DETECTION):
        yield _detection(folder / "detection", min(n_pairs, DETECTION_PAIRS))


def _print_growth(folder: Path, sizes: Sequence[int]) -> None:
    """Print ratios and seconds of the large steps, with a column for each size."""
    found: dict[int, list[Measured]] = {}
    for n_pairs in sizes:
        place = folder / str(n_pairs)
        found[n_pairs] = []
        for measured in _large(place, n_pairs, lambda _step: True):
            found[n_pairs].append(measured)
            progress = f"{n_pairs:,} pairs: {measured.step}, {_short(measured.ratio.processor)}"
            print(progress, file=sys.stderr, flush=True)  # noqa: T201 - for who waits
        shutil.rmtree(place)
    say(_machine(*sizes))
    titles: dict[str, Callable[[Measured], float]] = {
        "Ratios to the yardstick, by processor time": lambda one: one.ratio.processor,
        "Ratios to the yardstick, by clock": lambda one: one.ratio.clock,
        "Seconds of processor time": lambda one: one.spent.processor,
        "Seconds that passed": lambda one: one.spent.clock,
    }
    header = "".join(f"{n_pairs / 1e6:>9.3g}" for n_pairs in sizes)
    for title, figure in titles.items():
        say(f"\n{title}; million pairs:\n\n{'step':<23} {'yardstick':<22}{header}")
        for same_step in zip(*found.values(), strict=True):
            row = OF_STEP[same_step[0].step]
            figures = "".join(f"{_short(figure(one)):>9}" for one in same_step)
            say(f"{row.step:<23} {row.beside:<22}{figures}")


def _documented(row: Row, n_pairs: int) -> float:
    """Return the documented ratio at the nearest of the documented sizes."""
    sizes = {SMALL: row.small, USUAL: row.usual, WHOLE: row.whole}
    known = {size: ratio for size, ratio in sizes.items() if ratio is not None}
    return known[min(known, key=lambda size: abs(math.log(size / n_pairs)))]


def _machine(*sizes: int) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    names = {"duckdb": "DuckDB", "polars": "polars", "scikit-learn": "scikit-learn"}
    programs = ", ".join(f"{name} {version(package)}" for package, name in names.items())
    pairs = ", ".join(f"{size:,}" for size in sizes)
    return f"{programs}\n{pairs} pairs, {os.cpu_count()} cores, {memory:.0f} GB of memory"


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


# The large steps: a whole matrix, each drug scored for each disease.


def _large(folder: Path, n_pairs: int, is_wanted: Wanted) -> Iterator[Measured]:
    folder.mkdir(parents=True, exist_ok=True)
    make_files(folder, max(1, round(n_pairs / N_DRUGS)), N_DRUGS)
    yield from _loads(folder)
    yield from _freezes(folder)
    yield from _reports(folder, is_wanted)
    yield from _evaluations(folder, is_wanted)


def _loads(folder: Path) -> Iterator[Measured]:
    """Leave `loaded.duckdb` behind, which has the candidates and nothing else."""
    file, path = folder / "candidates.parquet", folder / "loaded.duckdb"

    def plain() -> None:
        (folder / "plain.duckdb").unlink(missing_ok=True)
        with duckdb.connect(
            str(folder / "plain.duckdb"), config={"memory_limit": MEMORY_LIMIT}
        ) as connection:
            connection.execute("create table plain as select * from read_parquet(?)", [str(file)])

    def load(sealed: bool) -> None:
        with store.writer(path) as connection:
            loads.load_candidates(connection, file, "whole", "v1", sealed=sealed)

    def clear() -> None:
        path.unlink(missing_ok=True)

    # The set that stays is the stored one.
    sealed = _beside("load, sealed", lambda: load(True), plain, clear)
    for folder_of_set in folder.glob("sealed-*"):
        shutil.rmtree(folder_of_set)
    yield _beside("load", lambda: load(False), plain, clear)
    yield sealed


def _freezes(folder: Path) -> Iterator[Measured]:
    """Leave `store.duckdb` behind: a slate of 50 predictions per disease, and its outcomes."""
    loaded, path = folder / "loaded.duckdb", folder / "store.duckdb"
    with store.writer(loaded) as connection:
        loads.load_labels(connection, folder / "labels.parquet", "known")

    def freeze(with_power: bool) -> None:
        with store.writer(path) as connection:
            # Outcomes are of the past, so the slate is of 500 days ago.
            frozen_on = store.now(connection).date() - timedelta(days=500)
            made = freezing.freeze(
                connection, candidates="whole", labels="known", replay_as_of=frozen_on
            )
            if with_power:
                slate = frozen.find(connection, str(made.slate.slate_id))
                estimates.record_power(connection, slate, store.now(connection))

    def copy() -> None:
        shutil.copy(loaded, path)

    best = _query(
        loaded,
        "select sum(len(best)) from (select max_by(drug_id, score, 50) as best from candidate "
        "group by disease_id)",
    )
    without = _beside("freeze without power", lambda: freeze(False), best, copy)
    yield _beside("freeze", lambda: freeze(True), best, copy)
    yield without
    loaded.unlink()
    with store.writer(path) as connection:
        slate = frozen.find(connection, str(frozen.all_slate_ids(connection)[0]))
        outcomes.load(connection, folder / "outcomes.parquet", slate)


def _reports(folder: Path, is_wanted: Wanted) -> Iterator[Measured]:
    path = folder / "store.duckdb"

    def report(form: Any) -> None:
        with Store(path) as opened:
            opened.slate("@latest").report().text(form)

    scan = _scan(path)
    yield _beside("report", lambda: report("table"), scan)
    yield _beside("page", lambda: report("html"), scan)
    if is_wanted("publish"):
        yield _beside("publish", lambda: publishing.publish(path, folder / "site", silent), scan)


def _evaluations(folder: Path, is_wanted: Wanted) -> Iterator[Measured]:
    path = folder / "store.duckdb"
    with store.writer(path) as connection:
        evaluations.create(connection, "whole", "known")
    yield _beside("evaluation", lambda: bench_retrospective.evaluate(path), _scan(path))
    # What the others are given is in memory, as they would want it.
    columns, labels = _arrays(path)
    yield _compared("AUC", path, _auc, _sklearn_auc(columns, labels))
    if is_wanted("NDCG@50"):
        other = _polars_ndcg(columns, labels)
        yield _compared("NDCG@50", path, _ndcg_at_50, other)


def _arrays(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return candidates and labels by column; a label other than 0 has a gain."""
    with duckdb.connect(str(path), read_only=True) as connection:
        columns = connection.execute("select disease_id, drug_id, score from candidate")
        found = columns.fetchnumpy()
        labels = connection.execute("select disease_id, drug_id, label from labeled_pair")
        return found, labels.fetchnumpy()


def _auc(connection: Connection, evaluation: StoredRow[Any]) -> float:
    """Return the AUC of an evaluation, nothing else of it computed."""
    with scope.of_evaluation(connection, evaluation, ["auc"]):
        return float(connection.exec_driver_sql("select auc from auc").scalar_one())


def _ndcg_at_50(connection: Connection, evaluation: StoredRow[Any]) -> float:
    """Return the NDCG of an evaluation, no other cut-off computed."""
    connection.exec_driver_sql("create or replace temp table cutoff as select 50 as k")
    with scope.of_evaluation(connection, evaluation, ["ndcg_at_k"]):
        return float(connection.exec_driver_sql("select ndcg_at_k from ndcg_at_k").scalar_one())


def _sklearn_auc(columns: dict[str, Any], labels: dict[str, Any]) -> Callable[[], float]:
    width = int(columns["drug_id"].max()) + 1
    positive = labels["label"] >= 4
    known = labels["disease_id"][positive].astype(np.int64) * width + labels["drug_id"][positive]
    truth = np.isin(columns["disease_id"].astype(np.int64) * width + columns["drug_id"], known)
    return lambda: float(roc_auc_score(truth, columns["score"]))


def _polars_ndcg(columns: dict[str, Any], labels: dict[str, Any]) -> Callable[[], float]:
    known = pl.DataFrame(labels).filter(pl.col("label") > 0)
    gains = known.select("disease_id", "drug_id", gain=2.0 ** pl.col("label") - 1)
    candidates = pl.DataFrame(columns)
    return lambda: _mean_ndcg(candidates, gains)


def _mean_ndcg(candidates: pl.DataFrame, known: pl.DataFrame) -> float:
    """Return the mean NDCG@50 by the plan of the view: the 50th score first, then ranks above."""
    pair = ["disease_id", "drug_id"]
    lowest = (
        candidates.lazy()
        .group_by("disease_id")
        .agg(pl.col("score").top_k(50).min().alias("lowest"))
    )
    rank = pl.col("score").rank("ordinal", descending=True).over("disease_id")
    top = (
        candidates.lazy()
        .join(lowest, on="disease_id")
        .filter(pl.col("score") >= pl.col("lowest"))
        .with_columns(rank=rank)
        .join(known.lazy(), on=pair)
        .with_columns(part=pl.col("gain") / (pl.col("rank") + 1).log(2))
        .group_by("disease_id")
        .agg(dcg=pl.col("part").sum())
    )
    position = pl.col("gain").rank("ordinal", descending=True).over("disease_id")
    ideal = (
        known.lazy()
        .with_columns(rank=position)
        .filter(pl.col("rank") <= 50)
        .with_columns(part=pl.col("gain") / (pl.col("rank") + 1).log(2))
        .group_by("disease_id")
        .agg(ideal=pl.col("part").sum())
    )
    ndcg = ideal.join(top, on="disease_id", how="left").select(
        (pl.col("dcg").fill_null(0.0) / pl.col("ideal")).mean()
    )
    return float(ndcg.collect().item())


def _compared(
    step: str,
    path: Path,
    own: Callable[[Any, Any], float],
    other: Callable[[], float],
) -> Measured:
    """Measure two ways to the same figure; a ratio says nothing if the figures differ."""
    values: list[float] = []
    with store.reader(path) as connection:
        evaluation = evaluations.find(connection, 1)
        measured = _beside(
            step,
            lambda: values.append(own(connection, evaluation)),
            lambda: values.append(other()),
        )
    if not np.allclose(values, values[0], rtol=0, atol=1e-9):
        raise SystemExit(f"{step}: the values differ: {values}")
    return measured


def _scan(path: Path) -> Callable[[], None]:
    return _query(path, "select avg(score) from candidate")


def _query(path: Path, query: str) -> Callable[[], None]:
    """Return what a user of DuckDB alone would run, from opening the file on."""

    def run() -> None:
        with duckdb.connect(
            str(path), read_only=True, config={"memory_limit": MEMORY_LIMIT}
        ) as connection:
            connection.execute(query).fetchall()

    return run


# Whole commands on a small store: 100 drugs for 100 diseases.


def _commands(folder: Path, n_runs: int, is_wanted: Wanted) -> Iterator[Measured]:
    place = folder / "small"
    db, copy = _make_small(place), place / "copy.duckdb"

    def python(*arguments: str, **environment: str) -> Callable[[], None]:
        return lambda: _python(place, arguments, environment)

    steps = {step: python(MAIN, *words) for step, words in _words(db, copy).items()}
    steps |= {"completion": python(MAIN, **COMPLETED), "demo": python(MAIN, "demo", "-o", "demo")}
    imports = python(UNIT)
    yardsticks = [_seconds(imports)]
    for step in filter(is_wanted, steps):
        shutil.copy(db, copy)
        # A demo that is repeated only shows its verdicts.
        runs = [_seconds(steps[step]) for _ in range(1 if step == "demo" else n_runs)]
        yardsticks += [_seconds(imports) for _ in range(n_runs)]
        yield Measured(step, _least(runs), _least(yardsticks[-2 * n_runs :]))


def _words(db: Path, copy: Path) -> dict[str, list[str]]:
    """Return the words of the command that each step is; what writes is given the copy."""
    given = ["--db", str(db)]
    candidates = ["candidates.csv", "--set", "more", "--model", "v1"]
    return {
        "sql 'select 1'": [*given, "sql", "select 1"],
        "slate list": [*given, "slate", "list"],
        "view": [*given, "view"],
        "report, small": [*given, "report", "@latest"],
        "report, small, as html": [*given, "report", "@latest", "--format", "html"],
        "load 10,000 rows": ["--db", str(copy), "load", "candidates", *candidates],
        "refresh, nothing new": [*given, "refresh"],
        "--version": ["--version"],
    }


def _make_small(place: Path) -> Path:
    """Make a store with a slate that has outcomes, and refresh it once."""
    place.mkdir()
    db = place / "store.duckdb"
    make_files(place, 100, 100)
    duckdb.read_parquet(str(place / "candidates.parquet")).write_csv(str(place / "candidates.csv"))
    with store.writer(db) as connection:
        loads.load_candidates(connection, place / "candidates.parquet", "whole", "v1")
        loads.load_labels(connection, place / "labels.parquet", "known")
    with store.writer(db) as connection:
        frozen_on = store.now(connection).date() - timedelta(days=500)
        made = freezing.freeze(
            connection, candidates="whole", labels="known", replay_as_of=frozen_on
        )
        slate = frozen.find(connection, str(made.slate.slate_id))
        outcomes.load(connection, place / "outcomes.parquet", slate)
    config = place / "tracker.toml"
    config.write_text(
        f'settle_seconds = 0\n[[source]]\nkind = "chembl"\npath = "{WORLD}/chembl_91.db"\n'
        f'[[source]]\nkind = "trials"\npath = "{WORLD}/trials-2025-02-20.json"\n',
        encoding="utf-8",
    )
    refresh.run(config, db=db)
    return db


def _python(place: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a text of Python with arguments; a first run compiles the modules that were changed."""
    inherited = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    subprocess.run(
        [sys.executable, "-c", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=place,
        env={**inherited, **environment},
    )


# Detection, over evidence as large as the official one.


def _detection(folder: Path, n_pairs: int) -> Measured:
    folder.mkdir()
    path, copy = folder / "store.duckdb", folder / "copy.duckdb"
    detection_store.make_store(path, folder, round(n_pairs / N_DRUGS), N_DRUGS)

    def detect() -> None:
        with store.writer(copy, run_checks=False) as connection:
            detection.detect(connection, frozen.all_slate_ids(connection))

    def prepare(n_slates: int) -> None:
        shutil.copy(path, copy)
        detection_store.freeze_more(copy, n_slates - 1)

    prepare(1)
    one = _seconds(detect)
    prepare(10)
    return Measured(DETECTION, _seconds(detect), one)


# Measuring.


def _beside(
    step: str,
    run: Callable[[], object],
    yardstick: Callable[[], object],
    prepare: Callable[[], object] = lambda: None,
) -> Measured:
    """Measure a step, and its yardstick before and after: other programs come and go."""
    before = _steady(yardstick)
    prepare()
    spent = _seconds(run)
    return Measured(step, spent, _least([before, _steady(yardstick)]))


def _steady(run: Callable[[], object]) -> Seconds:
    """Return the least of several runs where these are short, and thus vary much."""
    runs = [_seconds(run)]
    while len(runs) < 9 and sum(one.clock for one in runs) < 0.5:
        runs.append(_seconds(run))
    return _least(runs)


def _least(runs: Sequence[Seconds]) -> Seconds:
    return Seconds(min(run.clock for run in runs), min(run.processor for run in runs))


def _seconds(run: Callable[[], object]) -> Seconds:
    started, begun = time.perf_counter(), _processor_seconds()
    run()
    return Seconds(time.perf_counter() - started, _processor_seconds() - begun)


def _processor_seconds() -> float:
    """Return what this process and the programs that it ran have taken."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


if __name__ == "__main__":
    main()
