"""Every writing command, killed at any moment, leaves the old state or the new, no leftovers."""

import contextlib
import hashlib
import io
import itertools
import multiprocessing
import os
import random
import re
import shlex
import shutil
import signal
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import authority
import duckdb
import kept_rows
import pytest
import sqlalchemy as sa
from bench import TWINS, Bench, published
from evidence import obo
from support import ROOT, WORLD, sampled

from tracker import store
from tracker.cli import main

_processes = multiprocessing.get_context("forkserver")
# What commands import when they run: a kill should meet their work, not their imports.
_processes.set_forkserver_preload(
    [
        "tracker.cli",
        *(
            f"tracker.cli.{name}"
            for name in ("benchmark", "load", "query", "report", "round", "slate")
        ),
        "tracker.extras.retrospective.backtests",
        "tracker.extras.retrospective.leave_one_out",
        "tracker.extras.refresh",
        "tracker.extras.retrospective.temporal",
        "tracker.evidence",
        "tracker.reports.pages.slate_page",
        "tracker.reports.attachment_warnings",
        "tracker.extras.site.publishing",
        "tracker.slates.evidence_labels",
        "tracker.slates.exports",
        "tracker.slates.imports",
        "tracker.slates.outcomes",
        "tracker.api.rounds",
        "tracker.extras.benchmarks.submitting",
        "tracker.uncertainty.estimates",
    ]
)

SLATE = "5c9f4a52"
ORDINAL = ROOT / "fixtures" / "benchmarks" / "ordinal"

# KILL_ROUNDS=100 pytest -m "slow or exhaustive" kills each command a hundred times.
N_ROUNDS = int(os.environ.get("KILL_ROUNDS", "3"))

# WORLD and ORDINAL stand for bundled folders, FOLDER for the test's own.
COMMANDS = {
    "init": "init",
    "load candidates": "load candidates WORLD/candidates.csv --set again --model m",
    "load sealed": "load candidates WORLD/candidates.csv --set again --model m --sealed",
    "candidate seal": "candidate seal world",
    "load labels": "load labels WORLD/labels.csv --set again",
    "load aliases": "load aliases FOLDER/given/synonyms.csv",
    "load outcomes": f"load outcomes WORLD/spring_outcomes.csv --slate {SLATE}",
    "freeze": "slate freeze --candidates world --labels known",
    "slate import": "slate import WORLD/autumn_slate",
    "slate attach": f"slate attach {TWINS[0]} --candidates world --labels known",
    "slate export": f"slate export {SLATE} FOLDER/out/export",
    "slate register": f"slate register {SLATE} FOLDER/out/registration",
    "timestamp trust": "timestamp trust WORLD/authority.pem --name demo",
    "ingest chembl": "ingest chembl WORLD/chembl_92.db",
    "ingest chembl archive": "ingest chembl FOLDER/given/chembl_92.tar.gz",
    "ingest trials": "ingest trials WORLD/trials-2025-02-20.json --released 2025-02-20",
    "ingest fda": "ingest fda WORLD/drugsatfda.zip",
    "ingest vocabulary": "ingest vocabulary FOLDER/given/doid.obo",
    "detect": "refresh detect",
    "refresh": "refresh --config FOLDER/given/tracker.toml",
    "estimate": f"report estimate {SLATE}",
    "scoreboard": f"scoreboard {SLATE} --record",
    "retrospective evaluate": "retrospective evaluate --candidates world --labels known",
    "retrospective loo": "retrospective loo --ranker cf --labels known",
    "retrospective temporal": "retrospective temporal --ranker cf --labels known "
    "--cutoff 2015 --from 2016 --to 2024",
    "backtest": "backtest run --ranker cf --from 2025-04-01 --every 3m --horizon 6m",
    "benchmark define": "benchmark define again --kind ordinal --truth ORDINAL/truth.csv",
    "benchmark submit": "benchmark submit given ORDINAL/random.csv --submitter r --track test",
    "benchmark import": "benchmark import FOLDER/given/exported --benchmark other",
    "benchmark estimate": "benchmark estimate 1",
    "round new": "round new again --candidates world --labels known --deadline 2120-06-30 "
    "-o FOLDER/out/round",
    "round extend": "round extend asked 2120-12-31 --reason Holidays",
    "round deposit": "round deposit asked FOLDER/given/other.tsr --team b --model m",
    "round reveal": "round reveal past FOLDER/given/other.csv",
    "round close": "round close past",
    "publish": "publish -o FOLDER/out/site",
    "report": f"report {SLATE} --format html -o FOLDER/out/report.html",
    "sql": "sql 'select * from prediction' --format parquet -o FOLDER/out/rows.parquet",
}
# They write step by step, and the next run completes what a killed one began.
STEPWISE = ("refresh", "retrospective loo", "retrospective temporal")
# They seal in the store what they then show in a folder, never the other way round.
SEALED_FIRST = ("publish", "round new")
# Those that a killed run could leave something to.
AT_EVERY_CALL = ("init", "load candidates", "load sealed", "freeze", "refresh", "publish")
_CHANGES = frozenset(
    f"os.{call}"
    for call in (
        "chmod",
        "link",
        "mkdir",
        "remove",
        "rename",
        "rmdir",
        "symlink",
        "truncate",
        "utime",
    )
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_PRIVATE = re.compile(r"/\.tracker-[a-z0-9_]{8}/files/")
PUBLISHED_PAIR = (
    "'Marlow syndrome' as disease_name, 'belantrine' as drug_name, "
    "0.9 as repurposing_score, 1 as rank"
)
PREPARATION = (
    "load candidates WORLD/candidates.csv --set world --model fable-1",
    "load labels WORLD/labels.csv --set known",
    "ingest chembl WORLD/chembl_91.db",
    "slate import WORLD/spring_slate",
    "slate import FOLDER/given/published",
    "ingest chembl WORLD/chembl_93.db",
    "benchmark define given --kind ordinal --truth ORDINAL/truth.csv",
    "benchmark submit given ORDINAL/perfect.csv --submitter p --track test",
    "benchmark define other --kind ordinal --truth ORDINAL/truth.csv",
    "benchmark export 1 FOLDER/given/exported",
)


@dataclass(frozen=True)
class Scene:
    """A folder with a store in it, folders of input and output, and a temporary folder."""

    folder: Path

    @property
    def db(self) -> Path:
        return self.folder / "place" / "store.duckdb"

    def words(self, command: str) -> list[str]:
        """Split a command; the names of folders take their values."""
        names = {"WORLD": WORLD, "ORDINAL": ORDINAL, "FOLDER": self.folder}
        words = shlex.split(command)
        for name, value in names.items():
            words = [word.replace(f"{name}/", f"{value}/") for word in words]
        return ["--db", str(self.db), *words]

    def put_back(self, old: Path) -> None:
        """Put an earlier store in place, which knows of no sealed set."""
        shutil.copy(old, self.db)
        for folder in self.db.parent.glob("sealed-*"):
            shutil.rmtree(folder)

    def state(self) -> tuple[dict[str, int], dict[str, int]]:
        """The number of rows of every table, and the files of the output with their sizes."""
        out = self.folder / "out"
        files = {
            str(path.relative_to(out)): path.stat().st_size
            for path in out.rglob("*")
            if path.is_file() and not path.relative_to(out).parts[0].startswith(".")
        }
        return Bench(self.db).counts(), files

    def litter(self) -> list[str]:
        """The files that no command should leave behind."""
        locks = (".lock", ".refresh.lock")
        kept = {self.db.name, *(self.db.name + lock for lock in locks)}
        with duckdb.connect(str(self.db), read_only=True) as connection:
            found = connection.execute("select candidate_set_id from sealed_set").fetchall()
        sealed = {f"candidate_set_id={number}" for (number,) in found}
        place = self.db.parent
        return [
            *(path.name for path in place.iterdir() if path.name not in kept and path.is_file()),
            *(path.name for path in place.glob("*/*") if path.name not in sealed),
            *(path.name for path in (self.folder / "out").iterdir() if path.name[0] == "."),
            *(path.name for path in (self.folder / "temporary").iterdir()),
        ]


def _run(words: list[str], temporary: Path, last_call: int | None = None) -> None:
    """Run a command in a separate process, silently; exit with its code.

    It is killed before it makes its `last_call`, counted from 1, that changes files.
    """
    os.environ["TMPDIR"] = str(temporary)
    # Else it tries, with a file, whether it can write there.
    tempfile.tempdir = str(temporary)
    if last_call is not None:
        calls = itertools.count(1)

        def kill(event: str, arguments: tuple[object, ...]) -> None:
            if _is_change(event, arguments) and next(calls) == last_call:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill)
    with contextlib.redirect_stdout(io.StringIO()):
        sys.exit(main(words, standalone_mode=False))


def _is_change(event: str, arguments: tuple[object, ...]) -> bool:
    """Tell whether an audited call changes files, but those that are still in a private folder.

    Neither are calls of DuckDB's seen: its files are private copies.
    """
    if event == "open":
        flags = arguments[2]
        is_change = isinstance(flags, int) and bool(flags & _WRITING)
    else:
        # The exchange of two folders is a call of the C library.
        is_change = event in _CHANGES or (event == "ctypes.dlsym" and "rename" in str(arguments[1]))
    is_private = event != "os.rename" and _PRIVATE.search(str(arguments[0])) is not None
    return is_change and not is_private


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that every command of the list can be run on, and their inputs."""
    scene = Scene(tmp_path_factory.mktemp("prepared"))
    for name in ("place", "given", "out", "temporary"):
        (scene.folder / name).mkdir()
    given = scene.folder / "given"
    record = {"slate_id": TWINS[0], "created_at": "2025-01-01T00:00:00+00:00"}
    published(f"select '{TWINS[0]}' as slate_id, {PUBLISHED_PAIR}", [record])(given / "published")
    for command in PREPARATION:
        assert not main(scene.words(command), standalone_mode=False), command
    (given / "synonyms.csv").write_text(
        "entity,name,kind,value\ndrug,belantrine,synonym,Bel\ndisease,Sable lung,efo_id,EFO_1\n"
    )
    with tarfile.open(given / "chembl_92.tar.gz", "w:gz") as archive:
        archive.add(WORLD / "chembl_92.db", "chembl_92/chembl_92.db")
    obo(given / "doid.obo")
    (given / "tracker.toml").write_text(
        f'settle_seconds = 0\n[[source]]\nkind = "fda"\npath = "{WORLD}/drugsatfda.zip"\n'
    )
    if authority.OPENSSL is not None:
        _prepare_rounds(scene)
    return scene.folder


def _prepare_rounds(scene: Scene) -> None:
    """Open a round for two teams, and another, of the past, in which one of them has an entry."""
    given = scene.folder / "given"
    made = authority.make(scene.folder / "authority")
    content = (WORLD / "candidates.csv").read_bytes()
    for name, text in (("own", content), ("other", content + b"\n")):
        (given / f"{name}.csv").write_bytes(text)
        (given / f"{name}.tsr").write_bytes(made.of(hashlib.sha256(text).hexdigest()))
    rounds = scene.folder / "rounds"
    rounds.mkdir()
    opening = f"--candidates world --labels known -o {rounds}"
    for command in (
        f"timestamp trust {made.root} --name ours",
        f"round new asked {opening}/asked --deadline 2120-06-30",
        f"round new past {opening}/past --deadline {datetime.now(UTC).isoformat()} --replay",
        "round deposit past FOLDER/given/own.tsr --team a --model m",
        "round deposit past FOLDER/given/other.tsr --team b --model m",
        "round reveal past FOLDER/given/own.csv",
    ):
        assert not main(scene.words(command), standalone_mode=False), command


def _begin(name: str, prepared: Path, folder: Path) -> Scene:
    if name.startswith("round ") and authority.OPENSSL is None:
        pytest.skip("no openssl here")
    shutil.copytree(prepared, folder)
    scene = Scene(folder)
    if name == "init":
        scene.db.unlink()
        engine = sa.create_engine(f"duckdb:///{scene.db}")
        with engine.begin() as connection:
            store.upgrade(connection, "0001")
        engine.dispose()
    return scene


@pytest.mark.parametrize("name", sampled(COMMANDS, 5, slow=True))
def test_killed_at_any_moment(name: str, prepared: Path, tmp_path: Path) -> None:
    scene = _begin(name, prepared, tmp_path / "scene")
    shutil.copy(scene.db, tmp_path / "old.duckdb")
    words, temporary = scene.words(COMMANDS[name]), scene.folder / "temporary"

    def run(seconds: float | None = None) -> bool:
        """Run the command; whether it ended before it was killed after `seconds`."""
        process = _processes.Process(target=_run, args=(words, temporary))
        process.start()
        process.join(seconds)
        process.kill()
        process.join()
        assert process.exitcode in ((0,) if seconds is None else (0, -9))
        return process.exitcode == 0

    old = scene.state()
    started = time.monotonic()
    assert run()
    duration = time.monotonic() - started
    new = scene.state()
    assert new != old
    assert scene.litter() == []
    chance = random.Random(name)  # noqa: S311 - chance, not secrecy
    for number in range(N_ROUNDS):
        # An output is replaced in the rounds that start with the previous one in place.
        if number % 2 == 0:
            shutil.rmtree(scene.folder / "out")
            (scene.folder / "out").mkdir()
        scene.put_back(tmp_path / "old.duckdb")
        before = scene.state()
        assert before in (old, (old[0], new[1]))
        has_ended = run(chance.uniform(0.2, 1.1) * duration)
        if name in STEPWISE:
            assert run(), number
            has_ended = True
        after = scene.state()
        between = ((new[0], before[1]),) if name in SEALED_FIRST else ()
        assert after in ((new,) if has_ended else (before, new, *between)), number
        # A store that is not yet upgraded keeps no rows.
        if name != "init" or after == new:
            assert kept_rows.wrong(scene.db) == [], number
    scene.put_back(tmp_path / "old.duckdb")
    assert run()
    assert scene.state() == new
    assert scene.litter() == []


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.slow) for name in AT_EVERY_CALL[:4]),
        *(pytest.param(name, marks=pytest.mark.exhaustive) for name in AT_EVERY_CALL[4:]),
    ],
)
def test_killed_at_every_call(name: str, prepared: Path, tmp_path: Path) -> None:
    """Killed before each call that changes files, the command then runs, and leaves nothing."""
    first = _begin(name, prepared, tmp_path / "first")
    old = first.state()
    _run_until(first, name, None)
    new = first.state()
    assert new != old
    for last_call in itertools.count(1):
        scene = _begin(name, prepared, tmp_path / "scene")
        has_ended = _run_until(scene, name, last_call)
        after = scene.state()
        sealed = ((new[0], old[1]),) if name in SEALED_FIRST else ()
        may_be = (new,) if has_ended else (old, new, *sealed)
        assert name in STEPWISE or after in may_be, last_call
        # Of a command that took effect the next one in the same folder removes what is left.
        again = name if after != new or name in SEALED_FIRST else "init"
        assert _run_until(scene, again, None), last_call
        if after != new:
            assert scene.state() == new or (sealed and scene.state()[1].keys() == new[1].keys())
        assert scene.litter() == [], last_call
        assert kept_rows.wrong(scene.db) == [], last_call
        shutil.rmtree(scene.folder)
        if has_ended:
            break
    assert last_call > 5


def _run_until(scene: Scene, name: str, last_call: int | None) -> bool:
    """Run a command in a process of its own; tell whether it ended before it was killed."""
    words = scene.words(COMMANDS[name])
    process = _processes.Process(target=_run, args=(words, scene.folder / "temporary", last_call))
    process.start()
    process.join()
    assert process.exitcode in ((0,) if last_call is None else (0, -signal.SIGKILL))
    return process.exitcode == 0


def test_every_writing_command_is_killed_here() -> None:
    """A new command that writes to the store must be added to the list."""
    reading = {"demo", "view", "check", "due", "assess", "coverage", "sql", "report"}
    # What becomes of a killed 'refresh fetch' is in test_killed_fetch.py.
    reading |= {"verify", "compare", "leaderboard", "replay", "export"}
    # Tokens, which an authority has to give, are stored like roots.
    reading |= {"log"}
    # Spark's rows are stored as usual.
    reading |= {"spark"}
    groups = {words.split()[0] for words in COMMANDS.values()}
    assert set(main.commands) - groups - reading == {"outcome", "release"}
