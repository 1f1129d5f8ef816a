"""tracker replay: a ledger rebuilt from the files of its releases, and whatever was done to it."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from bench import Bench
from click.testing import Result
from evidence import chembl, drugs_at_fda, ema, medicine, obo, study, write_json
from support import exited, tracker_on

import tracker
from tracker import evidence, schema, scratch, store
from tracker.store import catalog

TRACKER = Path(sys.executable).with_name("tracker")
CANDIDATES = """disease_name,drug_name,score,disease_id,chembl_id
Asthma,Aspirin,0.9,EFO:0000270,CHEMBL25
Gout,Aspirin,0.8,,CHEMBL25
Gout,Mixora,0.7,,
"""
ALIASES = "entity,name,kind,value\ndrug,Aspirin,synonym,Acetylsalicylic acid\n"
CLAIMS = """disease_name,drug_name,outcome_type,source,event_date,observed_at
Gout,Mixora,fda_approved,fda,2025-11-01,2025-11-02T00:00:00+00:00
Gout,Aspirin,phase_advanced,chembl,2025-10-01,
"""
CONFIGURATION = """store = "store.duckdb"
settle_seconds = 0
[[source]]
kind = "trials"
path = "sources/trials/late-*.json"
[[source]]
kind = "fda"
path = "sources/drugsatfda.zip"
"""
ASTHMA = (1, 1, 2, "D000001", "Asthma", "EFO:0000270", "asthma")
REFERENCES = [(1, 1, "FDA", "label")]


class World(Bench):
    """A folder with a store and the files that made it."""

    @property
    def sources(self) -> Path:
        return self.folder / "sources"

    def begin_anew(self, empty_store: Path) -> None:
        """Put a store of candidates alone in place."""
        shutil.copy(empty_store, self.db)
        candidates = self.folder / "candidates.csv"
        self.accept("load", "candidates", candidates, "--set", "b", "--model", "m")

    def replay(self, *words: object) -> Result:
        return self.run("replay", "--sources", self.sources, *words)

    def differences(self) -> list[str]:
        """Return what a replay says is different; it exits with 4 for anything."""
        done = self.replay("--format", "csv")
        found = [row["difference"] for row in csv.DictReader(io.StringIO(done.stdout))]
        assert done.exit_code == (4 if found else 0), done.output
        return found


def _studies(*, status: str) -> list[dict[str, object]]:
    acid = [{"type": "DRUG", "name": "Acetylsalicylic acid"}]
    return [
        study(start="2025-06", status=status, phases=["PHASE3"], purpose="TREATMENT"),
        study("NCT00000002", start="2025-07", conditions=["Podagra"], meshes=()),
        study("NCT00000003", start="2025-07", conditions=["Gout"], interventions=acid, meshes=()),
    ]


@pytest.fixture(scope="module")
def made(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose matches changed over time, fed in every way: directly, late, by a refresh."""
    folder = tmp_path_factory.mktemp("made")
    world = World(folder / "store.duckdb")
    shutil.copy(empty_store, world.db)
    trials = world.sources / "trials"
    (trials / "early").mkdir(parents=True)
    (folder / "candidates.csv").write_text(CANDIDATES)
    (folder / "aliases.csv").write_text(ALIASES)
    (world.sources / "claims.csv").write_text(CLAIMS)
    (folder / "tracker.toml").write_text(CONFIGURATION)
    synonyms = [(1, 1, "Bayaspirina")]
    chembl(world.sources / "chembl_36.db", [ASTHMA], references=REFERENCES, synonyms=synonyms)
    for number, one in enumerate(_studies(status="RECRUITING")):
        write_json(trials / "early" / f"{number}.json", one)
    obo(world.sources / "doid.obo")
    chembl(
        world.sources / "chembl_35.db",
        [(*ASTHMA[:2], 1, *ASTHMA[3:])],
        version=("ChEMBL_35", "2025-01-01"),
    )
    drugs_at_fda(world.sources / "drugsatfda.zip", year=2025, month=12)
    write_json(trials / "late-2025-12-01.json", _studies(status="COMPLETED"))
    world.accept("load", "candidates", folder / "candidates.csv", "--set", "base", "--model", "m")
    world.accept("ingest", "chembl", world.sources / "chembl_36.db")
    world.accept("refresh", "detect")
    world.accept("slate", "freeze", "--candidates", "base", "--top-k", "1")
    world.accept("ingest", "trials", trials / "early", "--released", "2025-08-01", "--complete")
    world.accept("refresh", "detect")
    world.accept("ingest", "vocabulary", world.sources / "doid.obo")
    world.accept("refresh", "detect")
    world.accept("load", "aliases", folder / "aliases.csv")
    world.accept("refresh", "detect")
    world.accept("ingest", "chembl", world.sources / "chembl_35.db")
    world.accept("load", "outcomes", world.sources / "claims.csv")
    world.accept("refresh", "--config", folder / "tracker.toml")
    return folder


@pytest.fixture
def world(made: Path, tmp_path: Path) -> World:
    return World(Path(shutil.copytree(made, tmp_path / "world")) / "store.duckdb")


@pytest.mark.slow
def test_every_way_in_is_replayed_exactly(world: World) -> None:
    """Late aliases, vocabularies and releases gave events of their own, at their own times."""
    kinds = world.query("select distinct match_kind from event where event_origin = 'detected'")
    assert {("identifier",), ("name",), ("exact_synonym",)} <= set(kinds)
    before = world.db.read_bytes()
    document = json.loads(world.replay("--format", "json").stdout)
    assert document["exit_code"] == 0
    assert document["is_equal"]
    assert document["differences"] == document["notes"] == []
    assert {one["state"] for one in document["releases"]} == {"found"}
    compared = {one["kind"]: one for one in document["compared"]}
    assert compared["event"]["n_equal"] == compared["event"]["n_stored"] == 14
    assert compared["claim"]["n_equal"] == 2
    assert all(one["n_stored"] == one["n_equal"] > 0 for one in document["compared"])
    assert world.db.read_bytes() == before
    with tracker.open(world.db) as opened:
        replayed = opened.replay(world.sources)
        assert replayed.is_equal
        assert list(replayed.compared["kind"]) == list(compared)
        assert len(replayed.releases) == 6
        assert len(replayed.differences) == 0
        assert str(replayed).endswith("no\n  difference\n")


# The row that is altered, how, and how a replay names it.
EVENTS = {
    "deleted": (
        "delete from event where event_id = 2",
        "event (trial_phase, Aspirin, Asthma, ctgov NCT00000001) is missing; the files give it",
    ),
    "inserted": (
        "insert into event by name select * replace (99 as event_id, 'NCT00000009' as record) "
        "from event where event_id = 3",
        "event 99 (trial_registered, Aspirin, Asthma, ctgov NCT00000009) is not what the files",
    ),
    "redated": (
        "update event set event_date = event_date - 1 where event_id = 4",
        "event 4 (trial_started, Aspirin, Asthma, ctgov NCT00000001): event_date is 2025-05-31, "
        "by the files 2025-06-01",
    ),
    "retyped": (
        "update event set event_type = 'trial_ended' where event_id = 6",
        "event 6 (trial_ended, Aspirin, Gout, ctgov NCT00000002): event_type is trial_ended, by "
        "the files trial_registered",
    ),
    "another phase": (
        "update event set phase = 4 where event_id = 5",
        "event 5 (trial_phase, Aspirin, Gout, ctgov NCT00000002): phase is 4.0, by the files 2.0",
    ),
    "public later": (
        "update event set public_by = date '2025-07-09' where event_id = 7",
        "event 7 (trial_started, Aspirin, Gout, ctgov NCT00000002): public_by is 2025-07-09",
    ),
    "of another release": (
        "update event set release_id = 1 where event_id = 8",
        "event 8 (trial_phase, Aspirin, Gout, ctgov NCT00000003): release is",
    ),
    "another match": (
        "update event set match_kind = 'identifier' where event_id = 9",
        "match_kind is identifier, by the files exact_synonym",
    ),
    "another record": (
        "update event set record = 'NCT00000008' where event_id = 10",
        "record is NCT00000008, by the files NCT00000003",
    ),
    "another detail": (
        "update event set detail = '{}' where event_id = 13",
        "event 13 (indication_phase, Aspirin, Asthma, chembl 1): detail is {}, by the files",
    ),
    "recorded earlier": (
        "update event set recorded_at = recorded_at - interval 1 day, "
        "observed_at = observed_at - interval 1 day where event_id = 16",
        "recorded_at is",
    ),
    "a claim altered": (
        "update event set event_date = date '2025-11-09' where event_type = 'fda_approved'",
        "event_date is 2025-11-09, by the files 2025-11-01",
    ),
    "a claim deleted": (
        "delete from event where event_type = 'phase_advanced' and event_origin = 'loaded'",
        "claim (phase_advanced, Aspirin, Gout, chembl) is missing",
    ),
}


@pytest.mark.slow
def test_each_altered_event_is_found_and_named(world: World) -> None:
    world.alter(*(statement for statement, _ in EVENTS.values()))
    found = world.differences()
    for what, (_, message) in EVENTS.items():
        assert any(message in one for one in found), "\n".join([what, *found])
    assert len(found) == len(EVENTS), found


ROWS = {
    "an indication": (
        "update indication set max_phase = 4 where indication_id = 1",
        "indication 1 (1 in ChEMBL 36): max_phase is 4.0, by the files 2.0",
    ),
    "a reference": (
        "update indication_reference set ref_id = 'other'",
        "ref_id is other, by the files label",
    ),
    "a name of a molecule": (
        "delete from molecule_name where kind = 'synonym'",
        "molecule name (CHEMBL25 in ChEMBL 36) is missing",
    ),
    "a version of a study": (
        "update trial set overall_status = 'WITHDRAWN' where trial_id = 1",
        "trial 1 (NCT00000001 as of 2025-08-01): overall_status is WITHDRAWN, by the files "
        "RECRUITING",
    ),
    "why a study was stopped": (
        "update trial set why_stopped = 'Safety' where trial_id = 1",
        "why_stopped is Safety, by the files none",
    ),
    "the day of a study's results": (
        "update trial set results_posted_on = date '2025-01-01' where trial_id = 1",
        "results_posted_on is 2025-01-01, by the files none",
    ),
    "a condition": (
        "update trial_condition set name = 'Rickets' where trial_id = 2",
        "name is Rickets, by the files Podagra",
    ),
    "an approval": (
        "update approval set status_date = date '2001-01-01' where status_date is not null "
        "and application_number = 'NDA000001'",
        "status_date is 2001-01-01, by the files 2019-05-01",
    ),
    "an ingredient": (
        "update product_ingredient set name = 'SUGAR' where name = 'CAF\u00c9INE'",
        "name is SUGAR, by the files CAF\u00c9INE",
    ),
    "a synonym": (
        "update vocabulary_name set scope = 'broad' where name = 'podagra'",
        "scope is broad, by the files exact",
    ),
    "an added mapping": (
        "insert into vocabulary_mapping select release_id, term_id, predicate, 'MESH:D9' "
        "from vocabulary_mapping limit 1",
        "is not what the files give: predicate",
    ),
    "a count of a release": (
        "update release_coverage set n_vanished = 3 where form = 'AACT' or release_id = 2",
        "n_vanished is 3, by the files 0",
    ),
    "the version of a release": (
        "update release set version = '99' where version = '35'",
        "(chembl 99): version is 99, by the files 35",
    ),
}


@pytest.mark.slow
def test_each_altered_row_of_a_release_is_found_and_named(world: World) -> None:
    world.alter(*(statement for statement, _ in ROWS.values()))
    found = world.differences()
    for what, (_, message) in ROWS.items():
        assert any(message in one for one in found), "\n".join([what, *found])
    # Events rest on the files, not on the altered rows.
    assert not [one for one in found if one.startswith("event")], found


@pytest.mark.slow
def test_what_an_earlier_version_did_not_read_is_no_difference(world: World) -> None:
    nothing = "primary_purpose = null, why_stopped = null, results_posted_on = null"
    world.alter(f"update trial set {nothing}, last_known_status = null")  # noqa: S608 - fixed words
    # Its events would not have the use of the drug either, which these have.
    assert [one for one in world.differences() if not one.startswith("event")] == []


@pytest.mark.slow
def test_a_removed_release_is_found(world: World) -> None:
    """Removed with all that hangs on it: the last of the FDA, then the vocabulary in the middle."""
    world.alter("delete from product_ingredient")
    for source in ("fda", "doid"):
        found = world.query("select source, release_id from release")
        (release_id,) = [key for name, key in found if name == source]
        for table in reversed(schema.metadata.sorted_tables):
            if "release_id" in table.c:
                # A connection for each: DuckDB checks keys against what a transaction began with.
                own = f"release_id = {release_id}"
                world.alter(f"delete from {table.name} where {own}")  # noqa: S608 - of the schema
    told = world.differences()
    assert any("release 3 is not in the store" in one for one in told), told
    assert any("refresh 1 counted 6 releases; the store has 4" in one for one in told), told
    # What the vocabulary gave stays in the ledger, and no file of a release shows it.
    assert any("Gout, ctgov NCT00000002) is not what the files give" in one for one in told)


@pytest.mark.slow
def test_files_are_found_by_content_whatever_and_wherever_they_are(
    world: World, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    deep = elsewhere / "a" / "b [1]"
    deep.mkdir(parents=True)
    (world.sources / "chembl_36.db").rename(deep / "renamed")
    (world.sources / "doid.obo").rename(deep / "vocabulary.txt")
    (world.sources / "drugsatfda.zip").rename(tmp_path / "linked.zip")
    (elsewhere / "link").symlink_to(tmp_path / "linked.zip")
    (elsewhere / "loop").symlink_to(elsewhere)
    (elsewhere / "broken").symlink_to(tmp_path / "nowhere")
    if Path("/proc/self/mem").exists():
        (elsewhere / "unreadable").symlink_to("/proc/self/mem")
    for number in range(300):
        (deep / f"{number}.json").write_text(f'{{"number": {number}}}')
    done = world.run(
        "replay", "--sources", elsewhere, "--sources", world.sources, "--format", "json"
    )
    document = json.loads(done.stdout)
    assert (done.exit_code, document["differences"]) == (0, [])
    files = {one["sha256"]: Path(one["file"]).name for one in document["releases"]}
    assert {"renamed", "vocabulary.txt", "link", "early"} <= set(files.values())


@pytest.mark.slow
def test_a_release_without_its_file_is_listed_and_not_checked(world: World) -> None:
    (world.sources / "doid.obo").unlink()
    (world.sources / "claims.csv").unlink()
    with (world.sources / "drugsatfda.zip").open("ab") as handle:
        handle.write(b"altered")
    done = world.replay("--format", "json")
    document = json.loads(done.stdout)
    assert done.exit_code == document["exit_code"] == 3
    assert document["is_equal"]
    states = {one["source"]: one["state"] for one in document["releases"]}
    assert states["doid"] == "absent"
    assert states["fda"] == "other content"
    unchecked = {one["kind"]: one["n_unchecked"] for one in document["compared"]}
    assert (unchecked["event"], unchecked["claim"], unchecked["release"]) == (1, 2, 2)
    assert unchecked["approval"] == 3
    assert unchecked["vocabulary_term"] == 2
    assert unchecked["indication"] == unchecked["trial"] == 0
    told = " ".join(document["notes"])
    assert "2 releases could not be read from a file" in told
    assert "fda 2025-12-02 (other content)" in told
    assert "The claims of 1 load are not checked" in told
    # What rests on the rows taken from the store is still held against them.
    world.alter("delete from event where event_id = 6")
    (found,) = world.differences()
    assert "(trial_registered, Aspirin, Gout, ctgov NCT00000002) is missing" in found


@pytest.mark.slow
def test_bad_folders_and_empty_stores_are_refused(world: World, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for words, message in (
        (["--sources", tmp_path / "absent"], f"{tmp_path / 'absent'}: no such folder"),
        (["--sources", tmp_path / "empty"], "has the file of none of the 6 releases"),
        (["--sources", world.db], "no such folder"),
    ):
        done = exited(3, world.run("replay", *words))
        assert message in done.output
    exited(2, world.run("replay"))
    absent = tracker_on(tmp_path / "no.duckdb")("replay", "--sources", tmp_path)
    assert (absent.exit_code, "store not found" in absent.output) == (3, True)


@pytest.mark.slow
def test_what_no_detection_recorded_is_told_and_is_no_difference(
    world: World, empty_store: Path
) -> None:
    world.begin_anew(empty_store)
    world.accept("ingest", "chembl", world.sources / "chembl_36.db")
    done = world.replay()
    assert done.exit_code == 0
    assert "1 event of releases ingested since the last detection is not recorded" in " ".join(
        done.output.split()
    )


@pytest.mark.slow
def test_a_database_has_no_file_and_the_rest_is_checked(world: World, empty_store: Path) -> None:
    world.begin_anew(empty_store)
    copied = world.folder / "chembl.duckdb"
    with duckdb.connect(str(copied)) as connection:
        connection.execute(
            "create table molecule_dictionary as "
            "select 1 as molregno, 'ASPIRIN' as pref_name, 'CHEMBL25' as chembl_id; "
            "create table drug_indication as select 1 as drugind_id, 1 as molregno, "
            "2.0 as max_phase_for_ind, 'D000001' as mesh_id, 'Asthma' as mesh_heading, "
            "'EFO:0000270' as efo_id, 'asthma' as efo_term; "
            "create table version as "
            "select 'ChEMBL_36' as name, timestamp '2025-07-01' as creation_date"
        )
    world.accept("ingest", "chembl", f"duckdb:///{copied}")
    world.accept("ingest", "fda", world.sources / "drugsatfda.zip")
    world.accept("refresh", "detect")
    document = json.loads(world.replay("--format", "json").stdout)
    assert document["exit_code"] == 0
    states = {one["source"]: one["state"] for one in document["releases"]}
    assert states == {"chembl": "a database", "fda": "found"}
    assert "of which no file can be kept: chembl 36" in " ".join(document["notes"])


@pytest.mark.slow
@pytest.mark.parametrize("is_whole", [False, True])
def test_names_of_molecules_are_rebuilt_as_they_were_kept(
    is_whole: bool, world: World, empty_store: Path
) -> None:
    """Earlier versions kept no names of molecules that no indication and no drug has."""
    shutil.copy(empty_store, world.db)
    dump = chembl(
        world.sources / "chembl_37.db",
        [ASTHMA],
        molecules=[(1, "ASPIRIN", "CHEMBL25"), (2, "OTHER", "CHEMBL902"), (3, None, "CHEMBL903")],
        hierarchy=[(1, 1), (2, 2), (3, 2)],
        version=("ChEMBL_37", "2025-07-02"),
    )
    with store.writer(world.db) as connection:
        evidence.ingest_chembl(connection, str(dump), is_whole=is_whole)
    assert world.query("select count(*) from molecule_name") == [(1 + is_whole,)]
    assert world.differences() == []


@pytest.mark.slow
def test_tables_of_ema_are_rebuilt_or_taken(world: World, empty_store: Path) -> None:
    """With its file a release is read again; without it the store's rows stand in for it."""
    world.begin_anew(empty_store)
    gout = {"inn": "aspirin", "substance": None, "areas": "Gout"}
    first = ema(world.sources / "ema-1.xlsx", [medicine(1, **gout)], "01/02/2025 - 10:00")
    asthma = {**gout, "areas": "Gout;Asthma", "indication": "Both."}
    second = ema(world.sources / "ema-2.xlsx", [medicine(1, **asthma)], "01/03/2025 - 10:00")
    world.accept("ingest", "ema", second, first)
    world.accept("refresh", "detect")
    document = json.loads(world.replay("--format", "json").stdout)
    assert (document["exit_code"], document["differences"]) == (0, [])
    compared = {one["kind"]: one["n_equal"] for one in document["compared"]}
    assert {"medicine": 2, "medicine_area": 3, "medicine_substance": 2}.items() <= compared.items()
    assert compared["event"] > 0
    first.unlink()
    assert json.loads(world.replay("--format", "json").stdout)["exit_code"] == 3
    world.alter("update medicine set authorised_on = date '2001-01-01' where medicine_id = 2")
    (told, *_) = world.differences()
    assert "2001-01-01" in told


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_killed_midway_it_leaves_nothing_behind(
    world: World, tmp_path: Path, number: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = world.db.read_bytes()
    names = sorted(path.name for path in world.folder.iterdir())
    process = subprocess.Popen(
        [str(TRACKER), "--db", str(world.db), "replay", "--sources", str(world.sources)],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not list(temporary.rglob("rebuilt.duckdb")):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(60) == (143 if number is signal.SIGTERM else -9)
    if number is signal.SIGKILL:
        # What a killed process leaves goes with the next that makes a folder there.
        scratch.sweep(temporary)
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in world.folder.iterdir()) == names
    assert world.db.read_bytes() == before


@pytest.mark.slow
def test_detection_reads_no_slate_and_no_set() -> None:
    """So that a replay can do without them."""
    views = {view.name: view for view in catalog.read_views()}
    waiting, read = ["new_event"], set()
    while waiting:
        name = waiting.pop()
        read.add(name)
        if name in views:
            waiting += catalog.read_tables(views[name].select) - read
    assert {"trial", "indication", "drug_alias", "release"} <= read
    assert not read & {"slate", "candidate", "candidate_set", "labeled_pair", "label_set"}
    assert not read & {"slate_attachment", "prediction"}
