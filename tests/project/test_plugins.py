"""Sources and commands that other packages bring, installed as packages are: those of the guide."""

import functools
import json
import os
import re
import shutil
import sys
from datetime import date
from pathlib import Path

import pytest
from support import ROOT, Tracker, complaint, ok, query, ran, tracker_on

import tracker as python
from tracker import plugins, store
from tracker.errors import InputRefused
from tracker.slates import freezing, loads

GUIDE = (ROOT / "docs" / "guides" / "extending.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\w+) -->\n```python\n(.*?)```", GUIDE, re.DOTALL))
APPROVALS = """active_substance,indication,authorised_on,published_on,product,number
corotinib,Ostrava fever,2026-03-01,2026-03-02,Corovel,A/1
Corotinib,ostrava fever,2026-03-01,2026-03-02,Corovel,A/1
unheard-of,Ostrava fever,2026-03-01,2026-03-02,Nova,A/2
"""
CANDIDATES = """disease_name,drug_name,score
Ostrava fever,corotinib,0.9
Ostrava fever,belamab,0.8
"""
EVENTS = "select event_type, phase, event_date, source, detail from event"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path, in which a test installs packages."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def install(folder: Path, package: str, code: str, entries: dict[str, str]) -> None:
    """Install a package of one module, as pip leaves it; `entries` are groups with their lines."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(code)
    written = folder / f"{module}-1.0.dist-info"
    written.mkdir()
    (written / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"[tracker.{group}]\n{line}\n" for group, line in entries.items()]
    (written / "entry_points.txt").write_text("".join(lines))
    sys.modules.pop(module, None)


@pytest.fixture
def agency(packages: Path) -> None:
    """The source of the guide, installed."""
    entry = {"sources": "agency = approvals_of_an_agency:read"}
    install(packages, "approvals-of-an-agency", EXAMPLES["source"], entry)


@pytest.fixture(scope="module")
def frozen(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a slate that the approvals are about; copy it."""
    folder = tmp_path_factory.mktemp("frozen")
    path = Path(shutil.copy(empty_store, folder / "store.duckdb"))
    (folder / "candidates.csv").write_text(CANDIDATES)
    with store.writer(path) as connection:
        loads.load_candidates(connection, folder / "candidates.csv", "base", "m")
        freezing.freeze(connection, candidates="base", labels=None, replay_as_of=date(2026, 1, 1))
    return path


@pytest.fixture
def followed(frozen: Path, db: Path, tmp_path: Path) -> Tracker:
    """A copy of that store, and the file of the approvals."""
    shutil.copy(frozen, db)
    (tmp_path / "approvals.csv").write_text(APPROVALS)
    return tracker_on(db)


@pytest.mark.slow
@pytest.mark.usefixtures("agency")
def test_the_source_of_the_guide_is_ingested(followed: Tracker, tmp_path: Path, db: Path) -> None:
    done = followed("ingest", "agency", tmp_path / "approvals.csv")
    # Of the first two rows, which are one event, both are of the store.
    said = "agency: 1 new events; 2 of 3 rows are of drugs and diseases in the store\n"
    assert (done.exit_code, done.stdout) == (0, said), done.output
    again = followed("ingest", "agency", tmp_path / "approvals.csv")
    assert again.stdout.startswith("agency: 0 new")
    (event,) = query(followed, EVENTS)
    assert json.loads(event.pop("detail")) == {"phase": 4, "number": "A/1", "product": "Corovel"}
    assert event == {
        "event_type": "phase_advanced",
        "phase": 4.0,
        "event_date": "2026-03-01",
        "source": "agency",
    }
    hits = "select evidence_window from pair_outcome where is_hit order by 1"
    assert query(followed, hits) == [
        {"evidence_window": "all"},
        {"evidence_window": "prospective"},
    ]
    ok(followed("check"))
    with python.open(db, write=True) as opened:
        known = opened.ingest.source("agency", tmp_path / "approvals.csv")
    assert (known.n_rows, known.n_named, known.n_added) == (3, 2, 0)


@pytest.mark.usefixtures("agency")
def test_a_source_is_listed_with_its_package(tracker: Tracker) -> None:
    assert "agency" in tracker("ingest", "--help").output
    shown = " ".join(tracker("ingest", "agency", "--help").output.split())
    assert "approvals_of_an_agency:read of approvals-of-an-agency 1.0" in shown


@pytest.mark.usefixtures("agency")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("2026-03-01,2026-03-02,Corovel", "soon,2026-03-02,Corovel"), "column event_date"),
        (("published_on", "seen_on"), "cannot read it: KeyError: 'published_on'"),
    ],
)
def test_a_bad_file_is_refused_whole(
    change: tuple[str, str], message: str, followed: Tracker, tmp_path: Path
) -> None:
    path = tmp_path / "approvals.csv"
    path.write_text(APPROVALS.replace(*change))
    done = followed("ingest", "agency", path)
    assert (done.exit_code, message in done.stderr) == (3, True), done.output
    assert "Traceback" not in done.output
    assert query(followed, EVENTS) == []


@pytest.mark.usefixtures("agency")
def test_an_absent_file_is_refused(followed: Tracker, tmp_path: Path) -> None:
    complaint(3, followed("ingest", "agency", tmp_path / "none.csv"))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import nothing_of_this_name", "cannot be loaded: No module named"),
        ("def read(path):\n    return [path]", "returned no data frame of pandas: list"),
    ],
)
def test_a_source_that_does_not_work_is_refused(
    code: str, message: str, packages: Path, followed: Tracker, tmp_path: Path
) -> None:
    install(packages, "broken", code, {"sources": "broken = broken:read"})
    assert message in complaint(3, followed("ingest", "broken", tmp_path / "approvals.csv"))


def test_python_names_the_sources_there_are(db: Path, tmp_path: Path) -> None:
    with (
        python.open(db, write=True) as opened,
        pytest.raises(InputRefused, match="no source is named 'none'"),
    ):
        opened.ingest.source("none", tmp_path / "approvals.csv")


@pytest.mark.slow
@pytest.mark.usefixtures("followed")
def test_the_command_of_the_guide_runs(packages: Path, db: Path) -> None:
    """In a process of its own, since commands are found once."""
    entry = {"commands": "hits = hits_of_slates:hits"}
    install(packages, "hits-of-slates", EXAMPLES["command"], entry)
    program = Path(sys.executable).with_name("tracker")
    path = os.pathsep.join([str(packages), str(ROOT)])
    run = functools.partial(ran, program, "--db", db, PYTHONPATH=path)

    assert re.search(r"slate_id +n_hits\n\S+ +0\n", run("hits").stdout)
    assert "Print how many prospective hits each slate has." in run("--help").stdout
    shutil.rmtree(packages / "hits_of_slates-1.0.dist-info")
    install(packages, "hits-of-slates", "import gone", entry)
    broken = run("hits", "--any", "word")
    assert (broken.returncode, broken.stderr.count("\n")) == (3, 1), broken.stderr
    assert "of hits-of-slates 1.0) cannot be loaded: No module named 'gone'" in broken.stderr
    assert run("--help").returncode == 0


def test_no_package_replaces_what_tracker_has(packages: Path) -> None:
    install(packages, "a-thief", "report = None", {"commands": "report = a_thief:report"})
    install(packages, "b-first", "", {"commands": "extra = b_first:extra"})
    install(packages, "c-second", "", {"commands": "extra = c_second:extra"})
    found = plugins.named("tracker.commands")
    assert plugins.is_own(found["report"])
    assert plugins.origin(found["extra"]) == "b_first:extra of b-first 1.0"
