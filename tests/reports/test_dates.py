"""What an unproved freeze date may claim: nothing before the store recorded the slate."""

import hashlib
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from bench import Bench

from tracker import store
from tracker.slates import exports

MODEL_DAY, FORGED_DAY = "2025-01-01", "2024-01-01"
DISEASES = [f"Disease {number}" for number in range(4)]
DRUGS = [f"drug {number:02}" for number in range(12)]


def _files(folder: Path) -> None:
    pairs = [(disease, drug) for disease in DISEASES for drug in DRUGS]
    scored = [f"{disease},{drug},{1 - n / 100}" for n, (disease, drug) in enumerate(pairs)]
    (folder / "candidates.csv").write_text("disease_name,drug_name,score\n" + "\n".join(scored))
    known = [f"{disease},{drug},4" for disease in DISEASES for drug in DRUGS[8:]]
    (folder / "labels.csv").write_text("disease_name,drug_name,label\n" + "\n".join(known))
    # Trials that began in the year before the slate was made.
    happened = [f"{disease},{drug}" for disease in DISEASES for drug in DRUGS[:2]]
    rows = [f"{pair},first_trial_seen,registry,2024-06-01,2024-05-20" for pair in happened]
    header = "disease_name,drug_name,outcome_type,source,event_date,first_public_on\n"
    (folder / "outcomes.csv").write_text(header + "\n".join(rows))


def _cell(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _forge(folder: Path) -> None:
    """Move the dates of an export back and hash it again, as anyone can."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    header = manifest["header"]
    header |= {"created_at": f"{FORGED_DAY}T12:00:00+00:00", "frozen_on": FORGED_DAY}
    line = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    file = duckdb.read_parquet(str(folder / "predictions.parquet"))
    # The first eleven columns, in the order of the canonical bytes.
    rows = sorted(file.fetchall())
    lines = ["\t".join("" if cell is None else _cell(cell) for cell in row[:11]) for row in rows]
    content = line + "".join(f"{one}\n" for one in lines)
    manifest["content_sha256"] = hashlib.sha256(content.encode()).hexdigest()
    path.write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with an imported slate whose dates were moved back, and what came true."""
    folder = tmp_path_factory.mktemp("forged")
    _files(folder)
    honest, other = Bench(folder / "honest.duckdb"), Bench(folder / "forged.duckdb")
    for bench in (honest, other):
        bench.accept("load", "candidates", folder / "candidates.csv", "--set", "c", "--model", "m")
        bench.accept("load", "labels", folder / "labels.csv", "--set", "l")
    honest.accept("slate", "freeze", "--candidates", "c", "--labels", "l", "--top-k", 4)
    exports.export_slate(honest.db, honest.slate, folder / "export")
    _forge(folder / "export")
    other.accept("slate", "import", folder / "export")
    other.accept("load", "outcomes", folder / "outcomes.csv")
    return other.db


@pytest.fixture
def bench(forged: Path, tmp_path: Path) -> Bench:
    return Bench(Path(shutil.copyfile(forged, tmp_path / "tracker.duckdb")))


def _report(bench: Bench, *options: str) -> dict[str, Any]:
    (slate,) = bench.read("slate", "list")
    report: dict[str, Any] = bench.read("report", slate["slate_id"], *options)
    return report


def _prospective_hits(report: dict[str, Any]) -> int:
    wanted = {"evidence_window": "prospective", "population": "novel", "tier": "all"}
    rows = [r for r in report["sections"]["tier_hit_rate"] if wanted.items() <= r.items()]
    return int(rows[0]["n_hits"])


@pytest.mark.slow
def test_a_forged_date_has_no_prospective_hits(bench: Bench) -> None:
    report = _report(bench)
    today = datetime.now(UTC).date().isoformat()
    assert report["slate"]["frozen_on"] == FORGED_DAY
    assert (report["slate"]["date_basis"], report["slate"]["counted_from"]) == ("claimed", today)
    assert _prospective_hits(report) == 0
    warning = report["warnings"][0]
    assert warning.startswith(f"Date claimed: the slate states {FORGED_DAY}, which nothing outside")
    assert f"figures count from {today}" in warning
    # The figures by the claimed date stand beside them.
    assert "8 of 16 novel predictions of the high tier came true" in warning


@pytest.mark.slow
def test_dates_claimed_reports_by_the_stated_date(bench: Bench) -> None:
    report = _report(bench, "--dates", "claimed")
    assert report["slate"]["counted_from"] == FORGED_DAY
    assert report["slate"]["date_basis"] == "claimed"
    assert _prospective_hits(report) == 8
    assert report["warnings"][0].startswith("Date claimed: these figures count from 2024-01-01")


@pytest.mark.slow
def test_a_token_within_the_store_restores_the_date(bench: Bench) -> None:
    with store.writer(bench.db) as connection:
        connection.exec_driver_sql(
            "insert into timestamp_token select 1, content_sha256, "
            "timestamptz '2024-01-01 13:00:00+00', 'Test authority', 'root', null, '', "
            "recorded_at from slate"
        )
    report = _report(bench)
    assert report["slate"]["date_basis"] == "proved"
    assert report["slate"]["proved_by"] == "Test authority"
    assert _prospective_hits(report) == 8
    assert not [one for one in report["warnings"] if one.startswith("Date claimed")]


@pytest.mark.slow
def test_a_slate_frozen_here_says_that_its_date_is_claimed(tmp_path: Path) -> None:
    _files(tmp_path)
    bench = Bench(tmp_path / "tracker.duckdb")
    bench.accept("load", "candidates", tmp_path / "candidates.csv", "--set", "c", "--model", "m")
    bench.accept("slate", "freeze", "--candidates", "c")
    report = _report(bench)
    assert report["slate"]["counted_from"] == report["slate"]["frozen_on"]
    assert report["warnings"][0].startswith("Date claimed: nothing outside this store proves")
    assert "tracker slate prove" in report["warnings"][0]
