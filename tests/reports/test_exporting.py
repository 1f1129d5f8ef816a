"""Exports of all results: what their files have, what describes them, which folders are refused."""

import csv
import hashlib
import json
import shutil
from pathlib import Path

import duckdb
import pytest
from click.testing import Result
from support import content, exited, ok, tracker_on

from tracker.store import catalog, dictionary

TABLES = {"slate", "disease", "drug", "prediction"}


@pytest.fixture(scope="module")
def registry(demo_registry: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(demo_registry, tmp_path_factory.mktemp("exported") / "store.duckdb"))


def _export(registry: Path, *words: object) -> Result:
    return tracker_on(registry)("export", *words)


@pytest.fixture(scope="module")
def exported(registry: Path) -> Path:
    folder = registry.parent / "results"
    ok(_export(registry, folder))
    return folder


def test_each_result_is_a_file_with_its_rows(registry: Path, exported: Path) -> None:
    names = {view.name for view in catalog.listed()} | TABLES
    assert {path.stem for path in exported.glob("*.parquet")} == names
    with duckdb.connect(str(registry), read_only=True) as connection:
        for name in ("tier_hit_rate", "verdict", "pair_outcome", "slate"):
            file = f"read_parquet('{exported / name}.parquet')"
            for one, other in ((name, file), (file, name)):
                assert not connection.sql(f"from {one} except all from {other}").fetchall(), name
            assert connection.sql(f"from {file}").columns == connection.sql(f"from {name}").columns
            assert connection.sql(f"from {file}").types == connection.sql(f"from {name}").types


def test_the_package_describes_every_file(exported: Path) -> None:
    package = json.loads((exported / "datapackage.json").read_text("utf-8"))
    meanings = dictionary.columns()
    described = {resource["path"]: resource for resource in package["resources"]}
    assert {*described} | {"datapackage.json", "columns.csv"} == {*content(exported)}
    for path, resource in described.items():
        written = (exported / path).read_bytes()
        assert resource["hash"] == f"sha256:{hashlib.sha256(written).hexdigest()}"
        assert resource["bytes"] == len(written)
        rows = duckdb.read_parquet(str(exported / path))
        assert resource["rows"] == len(rows)
        assert [field["name"] for field in resource["schema"]["fields"]] == rows.columns
        for field in resource["schema"]["fields"]:
            assert field["description"] == meanings[field["name"]].meaning
        assert {*resource["schema"]["grain"]} <= {*rows.columns}
    with (exported / "columns.csv").open(newline="") as file:
        listed = {row["column"]: row["unit"] for row in csv.DictReader(file)}
    occurring = {
        field["name"] for resource in package["resources"] for field in resource["schema"]["fields"]
    }
    assert listed == {name: meanings[name].unit for name in occurring}


def test_an_export_again_replaces_the_first_with_the_same_bytes(
    registry: Path, exported: Path
) -> None:
    before = content(exported)
    assert _export(registry, exported).exit_code == 0
    assert content(exported) == before


def test_as_csv_no_text_is_a_formula(registry: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(registry, tmp_path / "store.duckdb"))
    (tmp_path / "c.csv").write_text('disease_name,drug_name,score\n"=1+1\x1b",d,1\n')
    words = ("load", "candidates", tmp_path / "c.csv", "--set", "hostile", "--model", "m")
    ok(tracker_on(db)(*words))
    ok(_export(db, tmp_path / "out", "--format", "csv"))
    with (tmp_path / "out" / "disease.csv").open(newline="") as file:
        names = {row["name"] for row in csv.DictReader(file)}
    assert any(name.startswith("'=1+1") for name in names)
    assert not any(name.startswith("=") or "\x1b" in name for name in names)
    kinds = {path.suffix for path in (tmp_path / "out").iterdir()}
    assert kinds == {".csv", ".json"}


def test_an_earlier_day_has_what_was_recorded_by_then(registry: Path, tmp_path: Path) -> None:
    assert _export(registry, tmp_path / "out", "--as-of", "2020-01-01").exit_code == 0
    for name in ("pair_outcome", "outcome_card"):
        rows = duckdb.read_parquet(str(tmp_path / "out" / f"{name}.parquet"))
        assert not rows.filter("is_hit" if name == "pair_outcome" else "true").fetchall()


@pytest.mark.parametrize("name", ["mine.txt", "mine.parquet"])
def test_a_folder_with_other_files_is_refused_and_kept(
    name: str, registry: Path, exported: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    beside = Path(shutil.copytree(exported, tmp_path / "beside"))
    for folder, reason in (
        (alone, "is not empty and contains no earlier export"),
        (beside, f"contains more than an earlier export: {name}"),
    ):
        (folder / name).write_text("mine")
        before = content(folder)
        done = exited(3, _export(registry, folder))
        assert done.stderr == f"error: {folder}: {reason}\n"
        assert content(folder) == before


@pytest.mark.parametrize("package", ["", "[]", '{"name": "tracker-results", "resources": [1]}'])
def test_a_forged_package_opens_no_folder(package: str, registry: Path, tmp_path: Path) -> None:
    (tmp_path / "datapackage.json").write_text(package)
    done = exited(3, _export(registry, tmp_path))
    assert "contains no earlier export" in done.stderr
    assert [*content(tmp_path)] == ["datapackage.json"]


def test_a_failure_leaves_nothing(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_words: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tracker.reports.exporting._write_package", full)
    done = exited(1, _export(registry, tmp_path / "out"))
    assert "cannot be written: No space left on device" in done.stderr
    assert [*tmp_path.iterdir()] == []
    exited(3, _export(tmp_path / "none.duckdb", tmp_path / "out"))
    assert [*tmp_path.iterdir()] == []
