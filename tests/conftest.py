"""Fixtures that several test modules share: a store, the command line, the real data."""

import contextlib
import os
import shutil
import signal
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import authority
import browser
import click
import pytest
import round_world
from bench import CANDIDATES, LABELS, Bench, published
from durations import (  # noqa: F401 - with the hooks that measure tests
    LONG_TO_MAKE,
    pytest_runtest_logreport,
    pytest_sessionfinish,
)
from filelock import FileLock
from hypothesis import settings
from playwright.sync_api import Browser
from shards import (  # noqa: F401 - the hooks that run a part of the tests
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_report_header,
    pytest_terminal_summary,
)
from support import SHARED, Tracker, made_once, tracker_on

from tracker import store
from tracker.cli import demo, main
from tracker.errors import TrackerError
from tracker.extras.spark import sessions
from tracker.slates import freezing, loads

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# Stores of some megabytes are copied for every test: in memory, where there is room for a run's.
_MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder there that only its user may enter
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 4_000_000_000:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# The predictions of the store that is followed: both drugs are in the evidence that tests write.
FOLLOWED = """disease_name,drug_name,score,disease_id,chembl_id
Asthma,Aspirin,0.9,EFO:0000270,CHEMBL25
Gout,Aspirin,0.8,,CHEMBL25
"""

_SYNCHRONISE = os.fsync


def _not_waited_for(fd: object) -> None:
    """Leave a file to the system, which writes it in its time."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """What needs Spark or the demo is slow: both take half a minute before the first answer."""
    if not LONG_TO_MAKE.isdisjoint(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Outlasting a power failure is waited for only where it is tested."""
    if "robustness" in item.path.parts:
        os.fsync = _SYNCHRONISE
    else:
        os.fsync = _not_waited_for


# A shell without job control starts what runs in its background with Ctrl-C ignored, which the
# commands under test would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all workers of a run share."""
    root = tmp_path_factory.getbasetemp()
    return root.parent if "PYTEST_XDIST_WORKER" in os.environ else root


@pytest.fixture(scope="session", autouse=True)
def _state(run_folder: Path) -> None:
    """Let what is remembered for a user be remembered for the run."""
    os.environ["XDG_STATE_HOME"] = str(run_folder / "state")


@pytest.fixture(scope="session")
def empty_store(run_folder: Path) -> Path:
    """Return a store with nothing in it; copy it."""

    def make(folder: Path) -> None:
        with store.writer(folder / "store.duckdb"):
            pass

    return made_once(run_folder / "empty", make) / "store.duckdb"


@pytest.fixture(scope="session")
def followed_store(run_folder: Path, empty_store: Path) -> Path:
    """Return a store with a slate of 2024, made as a replay, that no evidence followed; copy it."""

    def make(folder: Path) -> None:
        (folder / "candidates.csv").write_text(FOLLOWED)
        path = Path(shutil.copy(empty_store, folder / "store.duckdb"))
        with store.writer(path) as connection:
            loads.load_candidates(connection, folder / "candidates.csv", "base", "m")
            freezing.freeze(
                connection, candidates="base", labels=None, replay_as_of=date(2024, 1, 1)
            )

    return made_once(run_folder / "followed", make) / "store.duckdb"


@pytest.fixture(scope="module")
def store_path(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a module's own empty store, for worlds that are rolled back."""
    return Path(shutil.copy(empty_store, tmp_path_factory.mktemp("module") / "store.duckdb"))


@pytest.fixture(scope="session")
def opened_round(run_folder: Path, empty_store: Path) -> Path:
    """Return a folder with a store in which a round was opened, and an authority; copy it."""
    if authority.OPENSSL is None:
        pytest.skip("no openssl here")
    return made_once(
        run_folder / "opened round", lambda folder: round_world.make_opened(folder, empty_store)
    )


@pytest.fixture
def played(opened_round: Path, tmp_path: Path) -> round_world.Played:
    """Return a test's own copy of the open round."""
    return round_world.copied(opened_round, tmp_path / "round")


@pytest.fixture(scope="session")
def played_round(run_folder: Path, opened_round: Path) -> Path:
    """Return such a folder after deposits, reveals and what came true; copy it."""
    return made_once(
        run_folder / "played round", lambda folder: round_world.make_played(folder, opened_round)
    )


@pytest.fixture(scope="session")
def demo_store(run_folder: Path) -> Path:
    """Return the store of the demo's first part; copy it."""

    def make(folder: Path) -> None:
        for _ in demo.steps(click.Context(main), folder, demo.EVIDENCE, notify=lambda _: None):
            pass

    # One that another worker is making, with the second part, is waited for.
    with FileLock(run_folder / "demo.lock"):
        if (run_folder / "demo.done").exists():
            return run_folder / "demo" / "demo.duckdb"
    return made_once(run_folder / "first-part", make) / "demo.duckdb"


@pytest.fixture(scope="session")
def demo_registry(run_folder: Path) -> Path:
    """Return the store of four assessed slates that `tracker demo` leaves behind; read it only."""

    def make(folder: Path) -> None:
        with (
            (run_folder / "demo.txt").open("w", encoding="utf-8") as printed,
            contextlib.redirect_stdout(printed),
        ):
            main(["demo", "-o", str(folder)], standalone_mode=False)

    return made_once(run_folder / "demo", make) / "registry.duckdb"


@pytest.fixture(scope="session")
def published_registry(run_folder: Path, demo_registry: Path) -> Path:
    """Return the site of that store; read it only."""

    def make(folder: Path) -> None:
        words = ["--db", str(demo_registry), "publish", "-o", str(folder / "site")]
        main(words, standalone_mode=False)

    return made_once(run_folder / "published", make) / "site"


@pytest.fixture(scope="session")
def demo_output(demo_registry: Path) -> str:
    """Return what `tracker demo` printed."""
    return demo_registry.parent.with_name("demo.txt").read_text(encoding="utf-8")


@pytest.fixture
def db(empty_store: Path, tmp_path: Path) -> Path:
    """Return a test's own store, still empty."""
    return Path(shutil.copy(empty_store, tmp_path / "store.duckdb"))


@pytest.fixture
def tracker(db: Path) -> Tracker:
    """Return a way to run a command on the test's store, by its words."""
    return tracker_on(db)


@pytest.fixture
def on_demo(demo_store: Path, db: Path) -> Tracker:
    """Return a way to run a command on the test's own copy of the demo's store."""
    shutil.copy(demo_store, db)
    return tracker_on(db)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Return a running Chromium, or skip the test where none is installed."""
    if browser.EXECUTABLE is None:
        pytest.skip("no Chromium here (on Debian: apt-get install chromium)")
    with browser.started() as running:
        yield running


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a running Spark, which commands then use, or skip the test where none can run.

    It takes some seconds to start: a worker has one.
    """
    try:
        sessions.require(sessions.LOCAL)
    except TrackerError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("spark")
    with sessions.started(sessions.LOCAL, folder, is_small=True) as session:
        yield session


@pytest.fixture
def shared() -> Path:
    """Return the folder of real data, or skip the test where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the real data are not here")
    return SHARED


@pytest.fixture(scope="session")
def attacked(run_folder: Path, empty_store: Path) -> Path:
    """Return a store with sets, a slate frozen from them and two that were published; copy it."""

    def make(folder: Path) -> None:
        made = Bench(Path(shutil.copy(empty_store, folder / "store.duckdb")))
        candidates = made.write("candidates.csv", CANDIDATES)
        made.accept("load", "candidates", candidates, "--set", "base", "--model", "m1")
        made.accept("load", "labels", made.write("labels.csv", LABELS), "--set", "known")
        freeze = ["--candidates", "base", "--labels", "known", "--top-k", "2"]
        made.accept("slate", "freeze", *freeze)
        made.accept("slate", "import", made.write("published", published()))

    return made_once(run_folder / "attacked", make) / "store.duckdb"


@pytest.fixture
def bench(attacked: Path, tmp_path: Path) -> Bench:
    """Return a copy of that store in its own folder."""
    folder = tmp_path / "bench"
    folder.mkdir()
    return Bench(Path(shutil.copy(attacked, folder / "store.duckdb")))
