"""Every listing goes to a file and has every format; what is printed fits 80 columns."""

import csv
import io
import json
import re
import shlex
import shutil
from pathlib import Path

import duckdb
import pytest
from support import WORLD, Tracker, as_json, exited, ok, tracker_on

SLATE = "5c9f4a52"
LISTINGS = (
    "slate list",
    f"slate show {SLATE}",
    "slate verify",
    f"scoreboard {SLATE}",
    "due --within 6y",
    "view",
    "view tier_hit_rate",
    "check",
    "log list",
    "release list",
    f"outcome list {SLATE}",
    "outcome show 153",
    "timestamp list",
    "timestamp list --roots",
    "benchmark list",
    "benchmark verify",
    "refresh doctor --offline",
    "sql 'from tier_hit_rate order by all'",
)
# Those of which one result is one object of JSON and one row.
ONE = ("view tier_hit_rate",)
REPORTS = (
    f"coverage {SLATE}",
    "assess",
    "leaderboard",
    f"compare {SLATE} a07e",
    "benchmark score 1",
    "benchmark leaderboard ordinal",
)


@pytest.fixture(scope="module")
def store(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store with a benchmark and a submission to it, and a configuration beside it."""
    path = Path(shutil.copy(demo_store, tmp_path_factory.mktemp("listings") / "store.duckdb"))
    folder = WORLD.parent / "benchmarks" / "ordinal"
    for words in (
        ["define", "ordinal", "--kind", "ordinal", "--truth", str(folder / "truth.csv")],
        ["submit", "ordinal", str(folder / "random.csv"), "--submitter", "r", "--track", "test"],
    ):
        ok(tracker_on(path)("benchmark", *words))
    ok(tracker_on(path)("scoreboard", SLATE, "--record"))
    return path


@pytest.fixture
def world(store: Path, db: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch) -> Tracker:
    shutil.copy(store, db)
    monkeypatch.chdir(db.parent)
    (db.parent / "tracker.toml").write_text('[[source]]\nkind = "chembl"\npath = "chembl_*.db"\n')
    monkeypatch.setenv("COLUMNS", "80")
    return tracker


def _steady(text: str) -> str:
    """Leave out how much of the disk is free, which others on the machine change."""
    return re.sub(r"[\d.,]+ [KMGT]?B free", "free", text)


@pytest.mark.slow
@pytest.mark.parametrize("words", LISTINGS)
def test_a_listing_has_every_format(words: str, world: Tracker, tmp_path: Path) -> None:
    found = {}
    for form in ("csv", "json", "markdown", "parquet", "table"):
        path = tmp_path / f"out.{form}"
        done = ok(world(*shlex.split(words), "--format", form, "-o", path))
        assert done.stdout == ""
        if form != "parquet":
            printed = world(*shlex.split(words), "--format", form).stdout
            assert _steady(printed) == _steady(path.read_text(encoding="utf-8"))
            found[form] = printed
    rows = list(csv.DictReader(io.StringIO(found["csv"])))
    records = json.loads(found["json"])
    records = [records] if words in ONE else records
    stored = duckdb.read_parquet(str(tmp_path / "out.parquet"))
    assert rows
    assert len(rows) == len(records) == len(stored.fetchall())
    assert list(rows[0]) == list(records[0]) == stored.columns


@pytest.mark.slow
@pytest.mark.parametrize("words", [*LISTINGS, *REPORTS])
def test_a_table_fits_the_terminal(words: str, world: Tracker) -> None:
    done = ok(world(*shlex.split(words)))
    # The SQL of a view is as in its file.
    shown = re.split(r"\n\n(?=select|with)", done.output)[0]
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_a_view_is_one_object_of_its_header(world: Tracker) -> None:
    found = as_json(world, "view", "tier_hit_rate")
    assert found["view"] == "tier_hit_rate"
    assert found["grain"] == "slate_id, evidence_window, population, tier"
    assert found["sql"].startswith("-- Title:   Tier hit rate\n")


@pytest.mark.slow
def test_parquet_keeps_the_types_of_a_listing(world: Tracker, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    assert world("release", "list", "--format", "parquet", "-o", path).exit_code == 0
    found = duckdb.read_parquet(str(path))
    types = dict(zip(found.columns, map(str, found.types), strict=True))
    assert types["released_on"] == "DATE"
    assert types["ingested_at"] == "TIMESTAMP WITH TIME ZONE"
    assert types["n_rows"] == "BIGINT"
    assert types["is_complete"] == "BOOLEAN"
    done = exited(2, world("release", "list", "--format", "parquet"))
    assert "--format parquet needs --output FILE" in done.output


def test_nothing_due_is_said(world: Tracker) -> None:
    done = ok(world("due", "--within", "0d"))
    assert "no open prediction comes due in that time" in done.stderr


def test_the_scoreboard_shows_the_quarters_with_an_update(world: Tracker) -> None:
    lines = world("scoreboard", SLATE).output.splitlines()
    every = as_json(world, "scoreboard", SLATE)
    updated = [row for row in every if row["n_updates"]]
    assert 0 < len(updated) < len(every)
    assert sum(line.startswith(f" {updated[0]['quarter_start']}") for line in lines) == len(updated)
