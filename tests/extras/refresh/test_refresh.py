"""tracker refresh in use: a folder is watched, files appear, a scheduler runs it."""

import json
import os
import shutil
import time
import zipfile
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result
from evidence import (
    OBO,
    chembl,
    drugs_at_fda,
    ema,
    ema_json,
    obo,
    openfda,
    study,
    write_json,
)
from filelock import FileLock
from sqlalchemy import text
from support import Tracker, as_json, exited, ok, sampled

from tracker import replacing, store
from tracker.cli import main
from tracker.errors import CheckFailed, InputRefused
from tracker.evidence import kinds, release_ledger
from tracker.extras import refresh
from tracker.slates import freezing

CONFIGURATION = """
settle_seconds = 0

[[source]]
kind = "chembl"
path = "drop/chembl_*"

[[source]]
kind = "trials"
path = ["drop/ctgov*"]
complete = true

[[source]]
kind = "fda"
path = "drop/*fda*"
"""


@pytest.fixture
def watched(configured: Path, followed_store: Path, db: Path) -> Path:
    """The empty watched folder, a configuration next to it, and a store with a slate."""
    shutil.copy(followed_store, db)
    return configured


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same without a store."""
    monkeypatch.chdir(tmp_path)
    Path("tracker.toml").write_text(CONFIGURATION)
    Path("drop").mkdir()
    return tmp_path / "drop"


def status_by_file(result: Result) -> dict[str, str]:
    """The status of each file, by its name."""
    return {entry["origin"]: entry["status"] for entry in json.loads(result.stdout)["sources"]}


def ledger(db: Path) -> list[tuple[object, ...]]:
    query = text("select outcome_type, source, event_date from outcome order by outcome_id")
    with store.reader(db) as connection:
        return [tuple(row) for row in connection.execute(query)]


@pytest.mark.slow
def test_a_release_is_dropped_and_the_cron_line_run(
    watched: Path, tracker: Tracker, db: Path
) -> None:
    nothing = tracker("refresh")
    assert (nothing.exit_code, nothing.stdout) == (
        0,
        "releases: none; no new outcomes in 1 slate\n",
    )
    assert "nothing there: kind chembl, path drop/chembl_*\n" in nothing.stderr
    chembl(watched / "chembl_36.db")
    write_json(watched / "ctgov-2025-08-01.json", [study(start="2025-07")])
    drugs_at_fda(watched / "drugsatfda.zip", year=2025)
    done = tracker("refresh")
    assert done.exit_code == 0
    assert done.stdout.endswith(
        "releases: 3 ingested; 3 new outcomes of 1 pair in 1 slate, from 3 events, 1 study\n"
    )
    assert ledger(db) == [
        ("phase_advanced", "chembl", date(2025, 7, 1)),
        ("phase_advanced", "ctgov", date(2025, 7, 1)),
        ("first_trial_seen", "ctgov", date(2025, 7, 1)),
    ]
    # Six months later the next release appears.
    later = [(1, 1, 3, "D000001", "Asthma", "EFO:0000270", "asthma")]
    chembl(watched / "chembl_37.db", later, version=("ChEMBL_37", "2026-01-15"))
    done = tracker("refresh", "--format", "json")
    assert status_by_file(done) == {
        "chembl_36.db": "already ingested",
        "chembl_37.db": "ingested",
        "ctgov-2025-08-01.json": "already ingested",
        "drugsatfda.zip": "already ingested",
    }
    assert ledger(db)[3:] == [("phase_advanced", "chembl", date(2026, 1, 15))]


@pytest.mark.slow
def test_tables_of_ema_come_in_the_order_of_their_dates(
    watched: Path, tracker: Tracker, db: Path
) -> None:
    """Whatever their names and forms; one that is older than the store's is refused, once."""
    Path("tracker.toml").write_text(
        'settle_seconds = 0\n[[source]]\nkind = "ema"\npath = "drop/*"\n[archive]\n'
    )
    ema(watched / "a.xlsx", stated="03/03/2025 - 10:00")
    ema(watched / "b-2025-02-02.xlsx", stated=None)
    ema_json(watched / "c.json", timestamp="2025-01-01T06:00:00Z")
    ok(tracker("refresh"))
    with store.reader(db) as connection:
        origins = connection.execute(text("select origin from release order by release_id"))
        assert origins.scalars().all() == ["c.json", "b-2025-02-02.xlsx", "a.xlsx"]
    assert len(list(Path("archive/ema").iterdir())) == 3
    ema(watched / "d.xlsx", stated="01/02/2025 - 10:00")
    older = exited(3, tracker("refresh", "--format", "json"))
    assert status_by_file(older)["d.xlsx"] == "refused"
    assert status_by_file(tracker("refresh", "--format", "json"))["d.xlsx"] == "refused before"


@pytest.mark.slow
def test_json_reports_everything_that_was_done(watched: Path, tracker: Tracker, db: Path) -> None:
    chembl(watched / "chembl_36.db")
    document = as_json(tracker, "refresh")
    with store.reader(db) as connection:
        slate_id = str(connection.execute(text("select slate_id from slate")).scalar_one())
    assert document == {
        "summary": "releases: 1 ingested; 1 new outcome of 1 pair in 1 slate, from 1 event",
        "is_dry_run": False,
        "exit_code": 0,
        "problems": [],
        "notes": [],
        "n_corrected": 0,
        "sources": [
            {
                "kind": "chembl",
                "origin": "chembl_36.db",
                "status": "ingested",
                "version": "36",
                "released_on": "2025-07-01",
                "n_rows": 1,
                "n_versions": 1,
            }
        ],
        "outcomes": [{"slate_id": slate_id, "outcome_type": "phase_advanced", "n_outcomes": 1}],
        "coverage": [
            {
                "slate_id": slate_id,
                "n_drugs": 1,
                "n_seen_drugs": 1,
                "n_diseases": 2,
                "n_seen_diseases": 1,
            }
        ],
    }


@pytest.mark.slow
def test_a_dry_run_changes_nothing(watched: Path, tracker: Tracker, db: Path) -> None:
    chembl(watched / "chembl_36.db")
    before = db.read_bytes()
    dry = tracker("refresh", "--dry-run", "--format", "json")
    assert dry.exit_code == 0
    assert status_by_file(dry) == {"chembl_36.db": "new"}
    assert json.loads(dry.stdout)["is_dry_run"] is True
    assert db.read_bytes() == before
    assert status_by_file(tracker("refresh", "--format", "json")) == {"chembl_36.db": "ingested"}
    assert status_by_file(tracker("refresh", "--dry-run", "--format", "json")) == {
        "chembl_36.db": "already ingested"
    }


@pytest.mark.slow
def test_nothing_new_touches_nothing(watched: Path, tracker: Tracker, db: Path) -> None:
    chembl(watched / "chembl_36.db")
    ok(tracker("refresh", "--fail-if-unchanged"))
    before = (db.stat().st_ino, db.stat().st_mtime_ns, db.read_bytes())
    ok(tracker("refresh"))
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    shutil.copy(watched / "chembl_36.db", watched / "chembl_again.db")
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    assert (db.stat().st_ino, db.stat().st_mtime_ns, db.read_bytes()) == before
    with store.reader(db) as connection:
        assert connection.execute(text("select count(*) from refresh")).scalar_one() == 1


@pytest.mark.slow
def test_a_new_slate_is_followed_without_a_new_release(
    watched: Path, tracker: Tracker, db: Path
) -> None:
    chembl(watched / "chembl_36.db")
    tracker("refresh")
    freeze = "slate freeze --candidates base --top-k 1 --replay-as-of 2024-06-01"
    ok(tracker(*freeze.split()))
    done = tracker("refresh", "--fail-if-unchanged")
    assert done.exit_code == 0
    assert done.stdout.endswith(
        "releases: 1 already ingested; 1 new outcome of 1 pair in 1 slate, from 1 event\n"
    )
    assert [row[0] for row in ledger(db)] == ["phase_advanced", "phase_advanced"]


@pytest.mark.slow
def test_logs(watched: Path, tracker: Tracker) -> None:
    chembl(watched / "chembl_36.db")
    lines = tracker("refresh").stderr.splitlines()
    assert [line.split(" ", 1)[1] for line in lines if "chembl" in line] == [
        "ingesting: kind chembl, origin chembl_36.db",
        "ingested: kind chembl, origin chembl_36.db",
    ]
    events = [
        json.loads(line) for line in tracker("refresh", "--log-format", "json").stderr.splitlines()
    ]
    assert [event.pop("at")[-6:] for event in events] == ["+00:00"] * len(events)
    assert events == [
        {"event": "already ingested", "kind": "chembl", "origin": "chembl_36.db"},
        {"event": "nothing there", "kind": "trials", "path": "drop/ctgov*"},
        {"event": "nothing there", "kind": "fda", "path": "drop/*fda*"},
        {"event": "done", "summary": "releases: 1 already ingested; no new outcomes in 1 slate"},
    ]


@pytest.mark.slow
def test_another_refresh_is_running(watched: Path, tracker: Tracker, db: Path) -> None:
    chembl(watched / "chembl_36.db")
    with FileLock(f"{db}.refresh.lock"):
        done = tracker("--wait", "0.1", "refresh")
    assert done.exit_code == 5
    assert done.stderr == "error: another refresh of store.duckdb is running; waited 0.1 s\n"
    ok(tracker("--wait", "0.1", "refresh"))


def test_another_writer_is_at_work(watched: Path, tracker: Tracker, db: Path) -> None:
    chembl(watched / "chembl_36.db")
    with FileLock(f"{db}.lock"):
        done = tracker("--wait", "0.1", "refresh")
    assert done.exit_code == 5
    assert "store.duckdb is being written by another process" in done.stderr


@pytest.mark.slow
def test_a_bad_source_does_not_stop_the_others(watched: Path, tracker: Tracker, db: Path) -> None:
    whole = chembl(watched / "chembl_36.db").read_bytes()
    (watched / "chembl_37.db").write_bytes(whole[: len(whole) // 2])
    (watched / "ctgov-2025-08-01.json").write_text(json.dumps([study()])[:-40])
    write_json(watched / "ctgov-2025-09-01.json", [study(start="2025-07")])
    drugs_at_fda(watched / "drugsatfda.zip", {"Submissions.txt": None})
    done = exited(3, tracker("refresh", "--format", "json"))
    assert status_by_file(done) == {
        "chembl_36.db": "ingested",
        "chembl_37.db": "refused",
        "ctgov-2025-08-01.json": "refused",
        "ctgov-2025-09-01.json": "ingested",
        "drugsatfda.zip": "refused",
    }
    problems = json.loads(done.stdout)["problems"]
    assert [problem.split(":")[0].split(",")[0] for problem in problems] == [
        "chembl_37.db",
        "ctgov-2025-08-01.json",
        "drugsatfda.zip",
    ]
    for problem in problems:
        assert "\n" not in problem
        assert problem in done.stderr
    assert len(ledger(db)) == 3
    with store.reader(db) as connection:
        origins = connection.execute(text("select origin from release order by release_id"))
        assert origins.scalars().all() == ["chembl_36.db", "ctgov-2025-09-01.json"]
    # A refusal is reported once.
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    for name in ("chembl_37.db", "ctgov-2025-08-01.json", "drugsatfda.zip"):
        (watched / name).unlink()
    exited(6, tracker("refresh", "--fail-if-unchanged"))


@pytest.mark.slow
def test_a_file_still_being_written_is_left_for_later(
    watched: Path, tracker: Tracker, db: Path
) -> None:
    Path("tracker.toml").write_text(CONFIGURATION.replace("= 0", "= 3600", 1))
    chembl(watched / "chembl_36.db")
    (watched / "ctgov-2025-08-01").mkdir()
    page = write_json(
        watched / "ctgov-2025-08-01" / "page.json", {"studies": [study(start="2025-07")]}
    )
    assert status_by_file(tracker("refresh", "--format", "json")) == {
        "chembl_36.db": "settling",
        "ctgov-2025-08-01": "settling",
    }
    # The folder itself is old; a file in it is still being written.
    quiet = time.time() - 7200
    for path in (watched / "chembl_36.db", watched / "ctgov-2025-08-01"):
        os.utime(path, (quiet, quiet))
    assert status_by_file(tracker("refresh", "--format", "json")) == {
        "chembl_36.db": "ingested",
        "ctgov-2025-08-01": "settling",
    }
    os.utime(page, (quiet, quiet))
    assert status_by_file(tracker("refresh", "--format", "json")) == {
        "chembl_36.db": "already ingested",
        "ctgov-2025-08-01": "ingested",
    }
    assert len(ledger(db)) == 3


@pytest.mark.slow
def test_a_hidden_file_is_a_download_under_way(watched: Path, tracker: Tracker) -> None:
    Path("tracker.toml").write_text(CONFIGURATION.replace("drop/chembl_*", "drop/*.db"))
    chembl(watched / ".chembl_36.db")
    assert status_by_file(tracker("refresh", "--format", "json")) == {}


def _folder(watched: Path) -> None:
    (watched / "ctgov-2025-08-01").mkdir()
    for page in (1, 2):
        document = {"studies": [study(f"NCT0000000{page}")], "nextPageToken": "x"}
        write_json(watched / "ctgov-2025-08-01" / f"page_{page}.json", document)


def _zip(watched: Path) -> None:
    with zipfile.ZipFile(watched / "ctgov-20250801.zip", "w") as archive:
        for number in (1, 2):
            archive.writestr(f"{number}.json", json.dumps(study(f"NCT0000000{number}")))


@pytest.mark.slow
@pytest.mark.parametrize("make", [_folder, _zip])
def test_many_files_that_are_one_release(
    make: Callable[[Path], None], watched: Path, tracker: Tracker
) -> None:
    make(watched)
    (entry,) = as_json(tracker, "refresh")["sources"]
    assert (entry["status"], entry["n_rows"], entry["released_on"]) == ("ingested", 2, "2025-08-01")


@pytest.mark.slow
def test_snapshots_dropped_together_are_taken_in_order(
    watched: Path, tracker: Tracker, db: Path
) -> None:
    """The date in the name counts, whatever the order in which the files were written."""
    ended = study(status="COMPLETED", updated="2025-08-30", start="2025-07")
    write_json(watched / "ctgov-b-20250901.json", [ended])
    write_json(watched / "ctgov-c-2025-08-01.json", [study(start="2025-07")])
    done = tracker("refresh", "--format", "json")
    assert list(status_by_file(done).values()) == ["ingested", "ingested"]
    assert [row[0] for row in ledger(db)] == [
        "phase_advanced",
        "first_trial_seen",
        "status_transition",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "sources", [["drop/*fda*"], ["drop/*.json", "drop/*.zip"]], ids=["one source", "two sources"]
)
def test_files_of_a_source_are_taken_by_the_date_of_their_content(
    sources: list[str], watched: Path, tracker: Tracker, db: Path
) -> None:
    """Whatever their names, kinds and times of change."""
    Path("tracker.toml").write_text(
        "settle_seconds = 0\n"
        + "".join(f'[[source]]\nkind = "fda"\npath = "{path}"\n' for path in sources)
    )
    write_json(watched / "a-openfda.json", openfda("2023-03-01"))
    write_json(watched / "b-openfda.json", openfda("2022-03-01"))
    drugs_at_fda(watched / "c-drugsatfda.zip", year=2019)
    ok(tracker("refresh"))
    with store.reader(db) as connection:
        origins = connection.execute(text("select origin from release order by release_id"))
        assert origins.scalars().all() == ["c-drugsatfda.zip", "b-openfda.json", "a-openfda.json"]
    exited(6, tracker("refresh", "--fail-if-unchanged"))


@pytest.mark.slow
def test_a_refused_file_is_told_once(watched: Path, tracker: Tracker, db: Path) -> None:
    write_json(watched / "ctgov-2025-09-01.json", [study(start="2025-07")])
    (watched / "ctgov-2025-08-01.json").write_text("[{]")
    exited(3, tracker("refresh"))
    before = db.read_bytes()
    again = tracker("refresh", "--fail-if-unchanged")
    assert (again.exit_code, db.read_bytes()) == (6, before)
    assert "ctgov-2025-08-01.json" in again.stdout
    assert "1 already ingested, 1 refused before" in again.stdout
    # The same bytes under another name are the same file; other bytes are told.
    (watched / "ctgov-2025-08-01.json").rename(watched / "ctgov-x-2025-08-01.json")
    ok(tracker("refresh", "--dry-run"))
    (watched / "ctgov-x-2025-08-01.json").write_text("[{}]")
    exited(3, tracker("refresh"))
    ok(tracker("refresh"))


@pytest.mark.slow
def test_a_refusal_that_another_program_planted_keeps_nothing_out(
    watched: Path, tracker: Tracker, db: Path
) -> None:
    (watched / "ctgov-2025-08-01.json").write_text("[{]")
    exited(3, tracker("refresh"))
    with duckdb.connect(str(db)) as other:
        other.execute("update refused_file set refusal_sha256 = repeat('0', 64)")
    for words in (("refresh",), ("check",)):
        done = exited(4, tracker(*words))
        assert "refused_file" in done.stderr
        assert "was altered after it was sealed on " in done.stderr


@pytest.mark.slow
def test_a_refusal_that_rests_on_the_configuration_ends_with_it(
    watched: Path, tracker: Tracker
) -> None:
    chembl(watched / "chembl_x.db", version=None)
    exited(3, tracker("refresh"))
    ok(tracker("refresh"))
    stated = CONFIGURATION.replace('"drop/chembl_*"', '"drop/chembl_*"\nversion = "36"', 1)
    Path("tracker.toml").write_text(stated.replace('"36"', '"36"\nreleased = 2025-07-01'))
    assert status_by_file(tracker("refresh", "--format", "json")) == {"chembl_x.db": "ingested"}


@pytest.mark.slow
def test_a_file_that_is_refused_for_now_is_tried_again(
    watched: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    tomorrow = date.today() + timedelta(days=1)
    write_json(watched / f"ctgov-{tomorrow}.json", [study()])
    exited(3, tracker("refresh"))
    exited(3, tracker("refresh"))
    monkeypatch.setattr(release_ledger, "today", lambda: tomorrow)
    ok(tracker("refresh"))


@pytest.mark.parametrize("slate", ["nope", "ffffffff-ffff-4fff-8fff-ffffffffffff"])
@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_an_unknown_slate(
    words: tuple[str, ...], slate: str, watched: Path, tracker: Tracker, db: Path
) -> None:
    Path("tracker.toml").write_text(f'slates = ["{slate}"]\n{CONFIGURATION}')
    chembl(watched / "chembl_36.db")
    before = db.read_bytes()
    done = exited(3, tracker("refresh", *words))
    assert f"error: no slate begins with '{slate}'; see 'tracker slate list'\n" in done.stderr
    assert db.read_bytes() == before


@pytest.mark.slow
def test_only_the_slates_asked_for_are_followed(watched: Path, tracker: Tracker, db: Path) -> None:
    freeze = "slate freeze --candidates base --top-k 1 --replay-as-of 2024-06-01"
    ok(tracker(*freeze.split()))
    with store.reader(db) as connection:
        query = text("select slate_id from slate where frozen_on = date '2024-06-01'")
        slate_id = connection.execute(query).scalar_one()
    twice = [str(slate_id)[:8], str(slate_id)]
    Path("tracker.toml").write_text(f"slates = {twice}\n{CONFIGURATION}")
    chembl(watched / "chembl_36.db")
    assert tracker("refresh").stdout.endswith("1 new outcome of 1 pair in 1 slate, from 1 event\n")
    with store.reader(db) as connection:
        published = connection.execute(text("select distinct slate_id from scoreboard"))
        assert published.scalars().all() == [slate_id]


@pytest.mark.slow
def test_without_a_store_the_first_refresh_makes_one(
    configured: Path, tracker: Tracker, db: Path
) -> None:
    db.unlink()
    assert tracker("refresh").stdout == "releases: none; no new outcomes in 0 slates\n"
    assert not db.exists()
    chembl(configured / "chembl_36.db")
    ok(tracker("refresh", "--dry-run"))
    assert not db.exists()
    done = tracker("refresh")
    assert done.stdout.endswith("releases: 1 ingested; no new outcomes in 0 slates\n")
    assert ledger(db) == []


@pytest.mark.slow
def test_a_missing_folder_is_reported_and_is_not_an_error(watched: Path, tracker: Tracker) -> None:
    watched.rmdir()
    done = exited(6, tracker("refresh", "--fail-if-unchanged"))
    assert "nothing there: kind fda, path drop/*fda*" in done.stderr


@pytest.mark.slow
def test_paths_count_from_the_configuration(
    watched: Path, tracker: Tracker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chembl(watched / "chembl_36.db")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    done = tracker("refresh", "--config", "../tracker.toml", "--format", "json")
    assert status_by_file(done) == {"chembl_36.db": "ingested"}


@pytest.mark.slow
def test_a_call_from_python(watched: Path, db: Path) -> None:
    """As a task of Airflow or Dagster calls it."""
    chembl(watched / "chembl_36.db")
    (watched / "chembl_37.db").write_text("no database")
    events: list[str] = []
    done = refresh.run("tracker.toml", db=db, log=lambda event, _fields: events.append(event))
    assert (done.exit_code, done.is_unchanged, done.n_slates) == (3, False, 1)
    assert [(found.origin, found.status) for found in done.sources] == [
        ("chembl_36.db", "ingested"),
        ("chembl_37.db", "refused"),
    ]
    assert [(entry.outcome_type, entry.n_outcomes) for entry in done.outcomes] == [
        ("phase_advanced", 1)
    ]
    assert events[-1] == "done"
    with pytest.raises(InputRefused, match="no such file"):
        refresh.run("absent.toml", db=db)


@pytest.mark.slow
def test_the_store_may_be_named_by_the_configuration(
    watched: Path, db: Path, tmp_path: Path
) -> None:
    chembl(watched / "chembl_36.db")
    db.rename(tmp_path / "moved.duckdb")
    Path("tracker.toml").write_text(f'store = "moved.duckdb"\n{CONFIGURATION}')
    assert len(refresh.run().outcomes) == 1
    assert not db.exists()
    assert len(ledger(tmp_path / "moved.duckdb")) == 1


@pytest.mark.slow
def test_a_vocabulary_is_followed(watched: Path, tracker: Tracker, db: Path) -> None:
    """What it adds counts for slates recorded after it came, and is late for earlier ones."""
    with Path("tracker.toml").open("a") as configuration:
        configuration.write('[[source]]\nkind = "vocabulary"\npath = "drop/*.obo"\n')
    (watched / "broken.obo").write_text(OBO[:-60])
    refused = exited(3, tracker("refresh", "--format", "json"))
    assert status_by_file(refused) == {"broken.obo": "refused"}
    (watched / "broken.obo").unlink()
    obo(watched / "doid.obo")
    assert status_by_file(tracker("refresh", "--format", "json")) == {"doid.obo": "ingested"}
    assert status_by_file(tracker("refresh", "--format", "json")) == {
        "doid.obo": "already ingested"
    }
    with store.writer(db) as connection:
        freezing.freeze(
            connection,
            candidates="base",
            labels=None,
            description="after",
            replay_as_of=date(2024, 1, 1),
        )
    podagra = study(conditions=["Podagra"], meshes=[], start="2025-07", posted="2025-06-30")
    write_json(watched / "ctgov-2025-08-01.json", [podagra])
    done = tracker("refresh", "--format", "json")
    assert status_by_file(done) == {
        "ctgov-2025-08-01.json": "ingested",
        "doid.obo": "already ingested",
    }
    with store.reader(db) as connection:
        seen = connection.execute(
            text(
                "select slate.description, outcome_type, outcome.match_kind "
                "from outcome join slate using (slate_id) order by outcome_type"
            )
        ).all()
        late = connection.execute(
            text(
                "select distinct slate.description, cause, disease_alias "
                "from uncounted_event join slate using (slate_id)"
            )
        ).all()
    assert [tuple(row) for row in seen] == [
        ("after", "first_trial_seen", "exact_synonym"),
        ("after", "phase_advanced", "exact_synonym"),
    ]
    assert [tuple(row) for row in late] == [("", "late", "podagra")]
    with store.reader(db) as connection:
        slate_id = connection.execute(text("select slate_id from slate limit 1")).scalar_one()
    report = tracker("report", str(slate_id), "--section", "warnings")
    found = " ".join(report.stdout.split())
    assert "Late matches: 3 events of 1 predicted pair can be found only through" in found


KINDS = "chembl, trials, fda, ema, ictrp, vocabulary"
SOURCE = '[[source]]\nkind = "chembl"\n'
MALFORMED = {
    "settle_seconds = ": "tracker.toml: is not TOML: Invalid value (at end of document)",
    "": "tracker.toml, source: is missing; needs a list of sources to follow, [[source]]",
    f'fold = 1\n{SOURCE}path = "x"': (
        "tracker.toml, fold: unknown key; "
        "known: source, store, slates, settle_seconds, notify, archive, fetch, timestamps"
    ),
    f'store = 3\n{SOURCE}path = "x"': "tracker.toml, store: 3 is not text",
    f'slates = 5\n{SOURCE}path = "x"': "tracker.toml, slates: 5 is not text or a list of texts",
    f'slates = [""]\n{SOURCE}path = "x"': (
        "tracker.toml, slates[1]: '' is not text of at least one character"
    ),
    f'settle_seconds = "1"\n{SOURCE}path = "x"': (
        "tracker.toml, settle_seconds: '1' is not a number of at least 0"
    ),
    f'settle_seconds = true\n{SOURCE}path = "x"': (
        "tracker.toml, settle_seconds: true is not a number of at least 0"
    ),
    f'settle_seconds = -1\n{SOURCE}path = "x"': (
        "tracker.toml, settle_seconds: -1 is not a number of at least 0"
    ),
    f'settle_seconds = nan\n{SOURCE}path = "x"': (
        "tracker.toml, settle_seconds: nan is not a number of at least 0"
    ),
    '[source]\nkind = "fda"': (
        "tracker.toml, source: {'kind': 'fda'} is not a list of sources to follow, [[source]]"
    ),
    'source = ["fda"]': "tracker.toml, source[1]: 'fda' is not a table",
    '[[source]]\npath = "x"': (f"tracker.toml, source[1].kind: is missing; needs one of {KINDS}"),
    '[[source]]\nkind = "who"\npath = "x"': (
        f"tracker.toml, source[1].kind: 'who' is not one of {KINDS}"
    ),
    '[[source]]\nkind = 1\npath = "x"': (f"tracker.toml, source[1].kind: 1 is not one of {KINDS}"),
    SOURCE: "tracker.toml, source[1]: needs either path or fetch, or for chembl url",
    f"{SOURCE}path = []": (
        "tracker.toml, source[1]: needs either path or fetch, or for chembl url"
    ),
    f'{SOURCE}path = "x"\nurl = "sqlite:///x"': (
        "tracker.toml, source[1]: needs either path or fetch, or for chembl url"
    ),
    f'{SOURCE}path = ""': "tracker.toml, source[1].path: '' is not text of at least one character",
    f"{SOURCE}path = [1]": (
        "tracker.toml, source[1].path[1]: 1 is not text of at least one character"
    ),
    f'{SOURCE}path = "**.db"': "tracker.toml, source[1]: path '**.db' is not a file pattern",
    f'{SOURCE}path = "."': "tracker.toml, source[1]: path '.' is not a file pattern",
    f'{SOURCE}path = "a\\u0000b"': (
        "tracker.toml, source[1]: path 'a\\x00b' is not a file pattern"
    ),
    '[[source]]\nkind = "fda"\npath = "x"\nversion = "1"': (
        "tracker.toml, source[1]: url and version are only for chembl"
    ),
    f'{SOURCE}path = "x"\ncomplete = true': (
        "tracker.toml, source[1]: complete is only for trials and ictrp"
    ),
    f'{SOURCE}path = "x"\nname = "doid"': "tracker.toml, source[1]: name is only for vocabulary",
    f'{SOURCE}path = "x"\ncomplete = "yes"': (
        "tracker.toml, source[1].complete: 'yes' is not true or false"
    ),
    f'{SOURCE}path = "x"\nreleased = "2025-01-01"': (
        "tracker.toml, source[1].released: '2025-01-01' is not a date"
    ),
    f'{SOURCE}path = "x"\nreleased = 2025-01-01T00:00:00Z': (
        "tracker.toml, source[1].released: 2025-01-01 00:00:00+00:00 is not a date"
    ),
    f'{SOURCE}path = "x"\n{SOURCE}path = "y"\npaht = "z"': (
        "tracker.toml, source[2].paht: unknown key; known: kind, path, fetch, base_url, folder, "
        "studies, url, version, released, complete, name"
    ),
}


@pytest.mark.parametrize("content", MALFORMED)
def test_a_malformed_configuration(content: str, configured: Path, tracker: Tracker) -> None:
    chembl(configured / "chembl_36.db")
    Path("tracker.toml").write_text(content)
    before = sorted(path.name for path in configured.parent.iterdir())
    done = tracker("refresh")
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == f"error: {MALFORMED[content]}\n"
    assert sorted(path.name for path in configured.parent.iterdir()) == before


@pytest.mark.usefixtures("configured")
def test_every_mistake_of_a_configuration_is_reported(tracker: Tracker) -> None:
    Path("tracker.toml").write_text(f'store = 1\n{SOURCE}\n[[source]]\nkind = "who"\npath = "x"')
    done = exited(3, tracker("refresh"))
    assert done.stderr.splitlines() == [
        "error: tracker.toml, source[1]: needs either path or fetch, or for chembl url",
        f"tracker.toml, source[2].kind: 'who' is not one of {KINDS}",
        "tracker.toml, store: 1 is not text",
    ]


@pytest.mark.usefixtures("configured")
def test_a_configuration_that_is_not_text(tracker: Tracker) -> None:
    Path("tracker.toml").write_bytes(b"store = '\xff'")
    done = exited(3, tracker("refresh"))
    assert done.stderr == "error: tracker.toml: is not TOML: the text is not UTF-8\n"
    Path("tracker.toml").unlink()
    absent = exited(3, tracker("refresh"))
    assert absent.stderr == "error: tracker.toml: no such file; see docs/guides/refresh.md\n"


def _dangling(watched: Path) -> None:
    (watched / "ctgov-2025-08-01.json").symlink_to("nowhere")


def _looping(watched: Path) -> None:
    (watched / "ctgov-2025-08-01.json").symlink_to("ctgov-2025-08-01.json")


def _dangling_inside(watched: Path) -> None:
    (watched / "ctgov-2025-08-01").mkdir()
    write_json(watched / "ctgov-2025-08-01" / "page.json", [study()])
    (watched / "ctgov-2025-08-01" / "other.json").symlink_to("nowhere")


def _undated_link(watched: Path) -> None:
    (watched / "ctgov.json").symlink_to("nowhere")


@pytest.mark.slow
@pytest.mark.parametrize("make", sampled([_dangling, _looping, _dangling_inside, _undated_link], 4))
@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_a_broken_link_does_not_stop_other_sources(
    words: tuple[str, ...], make: Callable[[Path], None], watched: Path, tracker: Tracker
) -> None:
    make(watched)
    chembl(watched / "chembl_36.db")
    done = exited(3, tracker("refresh", *words, "--format", "json"))
    statuses = status_by_file(done)
    assert statuses.pop("chembl_36.db") == ("new" if words else "ingested")
    assert list(statuses.values()) == ["refused"]
    (problem,) = json.loads(done.stdout)["problems"]
    assert "cannot be read: " in problem
    assert problem in done.stderr


@pytest.mark.slow
def test_an_unreadable_file_does_not_stop_other_sources(
    watched: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The superuser may read everything, so the system's refusal is simulated."""
    write_json(watched / "ctgov-2025-08-01.json", [study()])
    chembl(watched / "chembl_36.db")
    read_bytes = Path.read_bytes

    def denied(path: Path) -> bytes:
        if path.name.startswith("ctgov"):
            raise PermissionError(13, "Permission denied", str(path))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    done = exited(3, tracker("refresh", "--format", "json"))
    assert status_by_file(done) == {"chembl_36.db": "ingested", "ctgov-2025-08-01.json": "refused"}
    (problem,) = json.loads(done.stdout)["problems"]
    assert problem.endswith("ctgov-2025-08-01.json: cannot be read: Permission denied")


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [1e9, 1e13])
def test_a_file_from_the_future_does_not_wait_for_ever(
    seconds: float, watched: Path, tracker: Tracker
) -> None:
    Path("tracker.toml").write_text(CONFIGURATION.replace("= 0", "= 3600", 1))
    path = chembl(watched / "chembl_36.db")
    os.utime(path, (time.time() + seconds, time.time() + seconds))
    assert status_by_file(tracker("refresh", "--format", "json")) == {"chembl_36.db": "ingested"}


@pytest.mark.slow
def test_a_violated_invariant_is_not_a_refusal(
    watched: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    chembl(watched / "chembl_36.db")
    write_json(watched / "ctgov-2025-08-01.json", [study()])

    def broken(*_words: object, **_options: object) -> None:
        raise CheckFailed("check trial_known: every trial is known: violated by one")

    monkeypatch.setattr(kinds, "ingest_chembl", broken)
    done = exited(4, tracker("refresh", "--format", "json"))
    assert status_by_file(done) == {"chembl_36.db": "failed", "ctgov-2025-08-01.json": "ingested"}
    assert json.loads(done.stdout)["problems"][0].startswith("check ")


@pytest.mark.slow
def test_a_full_disk_ends_the_run(
    watched: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    chembl(watched / "chembl_36.db")

    def full(*_words: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(replacing, "put", full)
    done = exited(1, tracker("refresh"))
    assert "no space left; nothing was changed" in done.stderr


def test_a_dry_run_reports_what_it_left_out_and_when_it_was_released(
    watched: Path, tracker: Tracker
) -> None:
    chembl(watched / "chembl_36.db")
    write_json(watched / "ctgov-2025-08-01.json", [study()])
    done = tracker("refresh", "--dry-run", "--format", "json")
    document = json.loads(done.stdout)
    assert document["summary"] == "releases: 2 new; a dry run detects no outcomes"
    assert [entry["released_on"] for entry in document["sources"]] == [None, "2025-08-01"]


@pytest.mark.slow
def test_the_log_names_the_steps_of_a_detection(watched: Path, tracker: Tracker) -> None:
    chembl(watched / "chembl_36.db")
    assert " detecting: matching the evidence" in tracker("refresh").stderr


@pytest.mark.slow
@pytest.mark.parametrize("folder", sampled(["a[1]b", "~", "a?b", "a*b", "a[b"], 5))
def test_a_watched_folder_may_have_any_name(folder: str, watched: Path, tracker: Tracker) -> None:
    watched.rename(folder)
    Path("tracker.toml").write_text(CONFIGURATION.replace("drop/", f"{folder}/"))
    chembl(Path(folder) / "chembl_36.db")
    assert status_by_file(tracker("refresh", "--format", "json")) == {"chembl_36.db": "ingested"}


# Of other hostile content test_malformed_files has more.
HOSTILE = {
    "a store that is no path": f'store = "a\\u0000b"\n{SOURCE}path = "x"',
    "a store in no folder": f'store = "absent/x.duckdb"\n{SOURCE}path = "x"',
    "a store that is a folder": f'store = "."\n{SOURCE}path = "x"',
}


@pytest.mark.slow
@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_configuration(name: str, tmp_path: Path) -> None:
    Path("tracker.toml").write_text(HOSTILE[name])
    before = sorted(path.name for path in tmp_path.rglob("*"))
    done = exited(3, CliRunner().invoke(main, ["refresh"]))
    assert done.stderr.startswith("error: ")
    assert "unexpected" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
