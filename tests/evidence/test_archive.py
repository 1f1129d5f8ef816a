"""[archive] in tracker.toml: each ingested file is kept once, whole, where its hash says."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from evidence import OBO, chembl, drugs_at_fda, obo, study, write_json
from support import exited, ok, tracker_on

from tracker.cli import main
from tracker.errors import InputRefused
from tracker.evidence import archive

TRACKER = Path(sys.executable).with_name("tracker")
CONFIGURATION = """
store = "store.duckdb"
settle_seconds = 0
[archive]
folder = "kept"
[[source]]
kind = "chembl"
path = "drop/chembl_*"
[[source]]
kind = "trials"
path = "drop/trials-*"
[[source]]
kind = "fda"
path = "drop/*fda*"
[[source]]
kind = "vocabulary"
path = "drop/*.obo"
"""


@pytest.fixture
def folder(empty_store: Path, tmp_path: Path) -> Path:
    """A configuration, an empty store, and a file or folder of each kind in `drop`."""
    shutil.copy(empty_store, tmp_path / "store.duckdb")
    (tmp_path / "tracker.toml").write_text(CONFIGURATION)
    drop = tmp_path / "drop"
    snapshot = drop / "trials-2025-08-01"
    (snapshot / "more").mkdir(parents=True)
    chembl(drop / "chembl_36.db")
    write_json(snapshot / "1.json", study())
    write_json(snapshot / "more" / "2.json", study("NCT00000002"))
    write_json(snapshot / ".hidden.json", {"no": "study"})
    drugs_at_fda(drop / "drugsatfda.zip")
    obo(drop / "doid.obo")
    return tmp_path


def refresh(folder: Path) -> Result:
    words = ["refresh", "--config", str(folder / "tracker.toml"), "--format", "json"]
    return CliRunner().invoke(main, words)


def files(place: Path) -> dict[str, tuple[bytes, int]]:
    """Return the files below a folder: their bytes and when they were written."""
    return {
        str(path.relative_to(place)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
def test_what_is_ingested_is_kept_once_and_can_be_replayed(folder: Path) -> None:
    ok(refresh(folder))
    kept = files(folder / "kept")
    places = [name.split("/") for name in kept]
    assert [[source, *rest] for source, _, *rest in places] == [
        ["chembl", "chembl_36.db"],
        ["ctgov", "trials-2025-08-01", "1.json"],
        ["ctgov", "trials-2025-08-01", "more", "2.json"],
        ["doid", "doid.obo"],
        ["fda", "drugsatfda.zip"],
    ]
    listed = tracker_on(folder / "store.duckdb")("release", "list", "--format", "json")
    assert {one["sha256"] for one in json.loads(listed.stdout)} == {one[1] for one in places}
    # A file is kept as it is now, even if the one that was ingested is later written over.
    (folder / "drop" / "doid.obo").write_text("overwritten")
    (folder / "drop" / "doid.obo").unlink()
    ok(refresh(folder))
    assert files(folder / "kept") == kept
    ok(tracker_on(folder / "store.duckdb")("replay", "--sources", folder / "kept"))


@pytest.mark.slow
def test_what_was_ingested_before_is_kept_by_the_next_run(folder: Path) -> None:
    with_archive = (folder / "tracker.toml").read_text()
    (folder / "tracker.toml").write_text(with_archive.replace('[archive]\nfolder = "kept"\n', ""))
    ok(refresh(folder))
    assert not (folder / "kept").exists()
    (folder / "tracker.toml").write_text(with_archive)
    ok(refresh(folder))
    assert len(files(folder / "kept")) == 5


@pytest.mark.slow
def test_an_archive_that_cannot_be_written_is_one_line_and_the_next_run_completes_it(
    folder: Path,
) -> None:
    (folder / "kept").write_text("a file in the way")
    done = refresh(folder)
    document = json.loads(done.stdout)
    assert done.exit_code == 1
    states = {(one["kind"], one["origin"]): one["status"] for one in document["sources"]}
    assert states["chembl", "chembl_36.db"] == "ingested"
    assert states["archive", "chembl_36.db"] == "not kept"
    assert f"{folder / 'kept'}: cannot be kept: " in document["problems"][0]
    assert "the next refresh keeps its file" in document["problems"][0]
    assert all("\n" not in problem for problem in document["problems"])
    assert "4 already ingested" not in document["summary"]
    assert "4 not kept" in document["summary"]
    (folder / "kept").unlink()
    again = refresh(folder)
    assert again.exit_code == 0
    assert "4 already ingested" in json.loads(again.stdout)["summary"]
    assert len(files(folder / "kept")) == 5


@pytest.mark.slow
def test_other_content_under_a_hash_is_told_and_left_alone(folder: Path, tmp_path: Path) -> None:
    ok(refresh(folder))
    shutil.copy(folder / "store.duckdb", tmp_path / "other.duckdb")
    (entry,) = (folder / "kept" / "doid").iterdir()
    (entry / "doid.obo").write_text(OBO + "! changed\n")
    changed = files(folder / "kept")
    (folder / "store.duckdb").unlink()
    done = refresh(folder)
    (problem,) = json.loads(done.stdout)["problems"]
    assert done.exit_code == 1
    assert "doid.obo: is not the file that was ingested as doid" in problem
    assert "move it away" in problem
    assert files(folder / "kept") == changed
    # A replay of the same store finds no file with the hash.
    words = ["--db", str(tmp_path / "other.duckdb"), "replay", "--sources", str(folder / "kept")]
    exited(3, CliRunner().invoke(main, words))


def test_a_file_that_was_changed_since_it_was_ingested_is_not_kept(tmp_path: Path) -> None:
    path = obo(tmp_path / "doid.obo")
    with pytest.raises(InputRefused, match="was changed after it was ingested"):
        archive.keep(tmp_path / "kept", "doid", "0" * 64, path, lambda _: "1" * 64)
    assert files(tmp_path / "kept") == {}


@pytest.mark.parametrize("source", ["..", "a/b", ".hidden", ""])
def test_a_name_that_leads_out_of_the_archive_is_refused(source: str, tmp_path: Path) -> None:
    path = obo(tmp_path / "doid.obo")
    with pytest.raises(InputRefused, match="cannot have a release named"):
        archive.keep(tmp_path / "kept", source, "0" * 64, path, lambda _: "0" * 64)


@pytest.mark.parametrize(
    ("name", "kept_as"), [(".a.obo", "a.obo"), ("b" * 240 + ".obo", "release.obo")]
)
def test_a_long_or_hidden_name_is_kept_under_another(
    name: str, kept_as: str, tmp_path: Path
) -> None:
    path = obo(tmp_path / name)
    assert archive.keep(tmp_path / "kept", "doid", "0" * 64, path, lambda _: "0" * 64)
    assert archive.find(tmp_path / "kept", "doid", "0" * 64) == (
        tmp_path / "kept" / "doid" / ("0" * 64) / kept_as
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[archive]\nplace = 'x'", "tracker.toml, archive.place: unknown key; known: folder"),
        ("[archive]\nfolder = 3", "tracker.toml, archive.folder: 3 is not text"),
        ("archive = 'x'", "tracker.toml, archive: 'x' is not a table"),
    ],
)
def test_a_bad_table_is_named(table: str, message: str, folder: Path) -> None:
    rest = CONFIGURATION.replace('[archive]\nfolder = "kept"\n', "")
    text = f"{table}\n{rest}" if table.startswith("archive") else f"{rest}\n{table}\n"
    (folder / "tracker.toml").write_text(text)
    done = refresh(folder)
    assert (done.exit_code, message in done.output) == (3, True)


@pytest.mark.slow
def test_killed_at_any_moment_an_entry_is_whole_or_absent(folder: Path) -> None:
    words = [str(TRACKER), "refresh", "--config", str(folder / "tracker.toml")]
    for hundredths in range(100, 600, 125):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(hundredths / 100)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for name, (content, _) in files(folder / "kept").items():
            if not name.startswith("."):
                assert content == (folder / "drop" / Path(*Path(name).parts[2:])).read_bytes()
    ok(refresh(folder))
    assert len(files(folder / "kept")) == 5
    assert not [path for path in (folder / "kept").iterdir() if path.name.startswith(".")]
