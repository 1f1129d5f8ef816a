"""Ingesting ChEMBL: every form and age of a release, aliases, refusals, the real releases."""

import shutil
import sqlite3
import sys
import tarfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import duckdb
import pytest
import sqlalchemy as sa
from evidence import chembl, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from support import WORLD, Tracker, exited, n_examples, ok, refused, sampled, tracker_on

from tracker import entities, store
from tracker.entities import folding
from tracker.errors import InputRefused
from tracker.files import archives

INDICATIONS = "select * exclude (release_id, indication_id) from indication order by source_key"
ALIASES = (
    "select drug.name, kind, value from drug_alias join drug using (drug_id) "
    "where kind <> 'name' or value <> lower(drug.name) order by all"
)


def candidates(path: Path, *drugs: str) -> Path:
    lines = [f"Asthma,{drug},0.5\n" for drug in drugs]
    path.write_text("disease_name,drug_name,score\n" + "".join(lines))
    return path


def test_a_release_is_stored_in_full(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    dump = chembl(
        tmp_path / "c.db",
        [
            (7, 2, None, "D001249", "Asthma", "EFO:0000270", "asthma "),
            (8, 1, -1, "D000002", " Café au Lait ", None, None),
        ],
        molecules=[(1, "ASPIRIN", "CHEMBL25"), (2, "ASPIRIN DL-LYSINE", "CHEMBL1697753")],
        hierarchy=[(1, 1), (2, 1)],
        references=[(1, 7, "ClinicalTrials", "NCT1"), (2, 7, "ClinicalTrials", "NCT1")],
    )
    years = sqlite3.connect(dump)
    years.execute("alter table molecule_dictionary add column first_approval int")
    years.execute("update molecule_dictionary set first_approval = 1957 where molregno = 1")
    years.execute("update molecule_dictionary set first_approval = 2030 where molregno = 2")
    years.commit()
    years.close()
    out = ok(tracker("ingest", "chembl", dump)).output
    assert "ChEMBL 36 (2025-07-01): 2 indications" in out
    remark = "has a year of first approval that is none, or after the release: 7"
    assert f"1 of drug_indication {remark}" in " ".join(out.split())
    remark = "refers to ClinicalTrials.gov without a number of a study: 7"
    assert f"1 of drug_indication {remark}" in " ".join(out.split())
    assert rows(db, INDICATIONS) == [
        (
            "7",
            "CHEMBL1697753",
            "CHEMBL25",
            "EFO:0000270",
            "asthma",
            "asthma",
            "MESH:D001249",
            "Asthma",
            "asthma",
            None,
            None,
        ),
        (
            "8",
            "CHEMBL25",
            "CHEMBL25",
            None,
            None,
            None,
            "MESH:D000002",
            "Café au Lait",
            "café au lait",
            -1.0,
            1957,
        ),
    ]
    assert rows(db, "select ref_type, ref_id from indication_reference") == [
        ("ClinicalTrials", "NCT1")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["smallint", "numeric(2, 1)", "varchar(5)"])
def test_phases_of_every_column_type(
    phase: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    entries = [
        (key, 1, value, "D1", "A", "EFO:1", "a") for key, value in enumerate([0, 2, 4, None])
    ]
    dump = chembl(tmp_path / "c.db", entries, phase=phase)
    ok(tracker("ingest", "chembl", dump))
    assert rows(db, "select max_phase from indication order by source_key") == [
        (0.0,),
        (2.0,),
        (4.0,),
        (None,),
    ]


@pytest.mark.slow
def test_forms_of_one_release_are_one_release(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    dump = chembl(tmp_path / "chembl_36.db", hierarchy=[(1, 1)])
    with tarfile.open(tmp_path / "chembl_36_sqlite.tar.gz", "w:gz") as archive:
        archive.add(dump, "chembl_36/chembl_36_sqlite/chembl_36.db")
    ok(tracker("ingest", "chembl", dump))
    before = rows(db, "from release")
    for again in (dump, tmp_path / "chembl_36_sqlite.tar.gz", f"sqlite:///{dump}"):
        assert (
            "already in the store; nothing was added"
            in ok(tracker("ingest", "chembl", again)).output
        )
    assert rows(db, "from release") == before
    changed = chembl(tmp_path / "other.db", [(1, 1, 4, "D1", "A", "EFO:1", "a")])
    refused = exited(3, tracker("ingest", "chembl", changed))
    assert "ChEMBL 36 is already in the store with different content" in refused.output


@pytest.mark.slow
def test_another_database_through_sqlalchemy(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    chembl(tmp_path / "c.db", hierarchy=[(1, 1)], synonyms=[(1, 1, "Aspro")])
    other = tmp_path / "other.duckdb"
    with sqlite3.connect(tmp_path / "c.db") as source, duckdb.connect(str(other)) as target:
        for table in ("version", "molecule_dictionary", "molecule_hierarchy", "drug_indication"):
            frame = source.execute(f"select * from {table}")  # noqa: S608 - names of the test's own
            names = [entry[0] for entry in frame.description]
            target.execute(f"create table {table} ({', '.join(f'{n} varchar' for n in names)})")
            for row in frame:
                target.execute(f"insert into {table} values ({'?, ' * len(row)})", row)  # noqa: S608 - names of the test's own
    source.close()
    assert "1 indications" in ok(tracker("ingest", "chembl", f"duckdb:///{other}")).output
    assert "nothing was added" in ok(tracker("ingest", "chembl", f"duckdb:///{other}")).output
    assert rows(db, "select chembl_id, max_phase from indication") == [("CHEMBL25", 2.0)]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_web_services_columns(suffix: str, tracker: Tracker, db: Path, tmp_path: Path) -> None:
    path = tmp_path / f"indications.{suffix}"
    duckdb.sql(
        "select * from (values ('EFO:0000270', 'asthma', 2.0, 'CHEMBL25', 'x'), "
        "(null, null, -1, 'CHEMBL26', 'y')) as t (efo_id, efo_term, max_phase_for_ind, "
        "molecule_chembl_id, further)"
    ).write_csv(str(path)) if suffix == "csv" else duckdb.sql(
        "select 'EFO:0000270' as efo_id, 'asthma' as efo_term, 2.0::double as max_phase_for_ind, "
        "'CHEMBL25' as molecule_chembl_id union all select null, null, -1, 'CHEMBL26'"
    ).write_parquet(str(path))
    missing = exited(3, tracker("ingest", "chembl", path))
    assert "add, for example, --version 33 --released 2023-05-31" in missing.output
    ok(tracker("ingest", "chembl", path, "--version", "36", "--released", "2025-07-01"))
    assert rows(db, "select chembl_id, efo_id, max_phase from indication order by all") == [
        ("CHEMBL25", "EFO:0000270", 2.0),
        ("CHEMBL26", None, -1.0),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("given", ["33", "CHEMBL_33", "ChEMBL 33"])
def test_a_version_may_be_given_with_the_name(given: str, tracker: Tracker, tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(
        "molecule_chembl_id,efo_id,efo_term,max_phase_for_ind\nCHEMBL25,EFO:0000270,asthma,2\n"
    )
    words = ("--released", "2023-05-31")
    done = ok(tracker("ingest", "chembl", path, "--version", given, *words)).output
    assert done.startswith("ingested ChEMBL 33 (2023-05-31): ")
    path.write_text(path.read_text().replace(",2\n", ",3\n"))
    again = exited(3, tracker("ingest", "chembl", path, "--version", "33", *words))
    assert "ChEMBL 33 is already in the store with different content" in again.stderr


@pytest.mark.slow
def test_a_release_under_another_name_is_remarked(tracker: Tracker, tmp_path: Path) -> None:
    plain = tracker("ingest", "chembl", chembl(tmp_path / "ChEMBL_36_sqlite.db"))
    assert (plain.exit_code, plain.stderr) == (0, "")
    other = chembl(
        tmp_path / "chembl_91.db",
        ((1, 1, 3, "D000001", "Asthma", "EFO:0000270", "asthma"),),
        version=("ChEMBL_93", "2025-09-01"),
    )
    done = tracker("ingest", "chembl", other)
    assert done.exit_code == 0
    assert done.stdout.startswith("ingested ChEMBL 93 (2025-09-01)")
    assert done.stderr == "chembl_91.db: is named for ChEMBL 91 and is ChEMBL 93\n"


@pytest.mark.slow
def test_aliases_of_names_synonyms_and_salts(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """Drugs known only by name get identifiers; a name of two drugs links neither."""
    loaded = candidates(tmp_path / "c.csv", "Imatinib", "Imatinib mesylate", "Bayer", "Caffeine")
    ok(tracker("load", "candidates", loaded, "--set", "c", "--model", "m"))
    ok(tracker("slate", "freeze", "--candidates", "c"))
    dump = chembl(
        tmp_path / "c.db",
        [(1, 2, 4, "D1", "A", "EFO:1", "a")],
        molecules=[
            (1, "IMATINIB", "CHEMBL941"),
            (2, "IMATINIB MESYLATE", "CHEMBL1642"),
            (3, "ASPIRIN", "CHEMBL25"),
            (4, "CAFFEINE", "CHEMBL113"),
            (5, "UNRELATED", "CHEMBL999"),
        ],
        hierarchy=[(1, 1), (2, 1), (3, 3), (4, 4), (5, 5)],
        synonyms=[(2, 1, "Gleevec"), (3, 2, "Bayer"), (1, 3, "Shared"), (4, 4, "Shared")],
    )
    out = tracker("ingest", "chembl", dump)
    assert "1 names refer to more than one drug" in out.output
    assert rows(db, ALIASES) == [
        ("Bayer", "chembl_id", "CHEMBL25"),
        ("Bayer", "name", "aspirin"),
        ("Caffeine", "chembl_id", "CHEMBL113"),
        ("Imatinib", "chembl_id", "CHEMBL941"),
        ("Imatinib mesylate", "chembl_id", "CHEMBL1642"),
        ("Imatinib mesylate", "parent_chembl_id", "CHEMBL941"),
        ("Imatinib mesylate", "synonym", "gleevec"),
    ]
    late = (
        "select count(*) from drug_alias, slate "
        "where kind = 'chembl_id' and added_at <= recorded_at"
    )
    assert rows(db, late) == [(0,)]
    assert rows(db, "select count(*) from drug") == [(4,)]
    assert rows(db, "select count(*) from molecule_name where chembl_id = 'CHEMBL999'") == [(1,)]
    ok(tracker("slate", "verify"))
    ok(tracker("check"))


@pytest.mark.slow
def test_a_drug_loaded_after_the_release_finds_its_names(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    ok(tracker("ingest", "chembl", chembl(tmp_path / "c.db", synonyms=[(1, 1, "Aspro")])))
    loaded = candidates(tmp_path / "c.csv", "aspirin")
    ok(tracker("load", "candidates", loaded, "--set", "c", "--model", "m"))
    assert rows(db, ALIASES) == [
        ("aspirin", "chembl_id", "CHEMBL25"),
        ("aspirin", "synonym", "aspro"),
    ]
    with store.writer(db):
        pass
    before = rows(db, "from drug_alias order by all")
    ok(tracker("load", "labels", _labels(tmp_path), "--set", "l"))
    assert rows(db, "from drug_alias order by all") == before


@pytest.mark.slow
def test_a_drug_is_the_same_molecule_in_either_order_of_loading(
    empty_store: Path, tmp_path: Path
) -> None:
    """No indication names the drugs: one has a name, one a synonym, one an id alone."""
    dump = chembl(
        tmp_path / "c.db",
        [(1, 1, 4, "D1", "A", "EFO:1", "a")],
        molecules=[
            (1, "ASPIRIN", "CHEMBL25"),
            (2, "COROTINIB", "CHEMBL902"),
            (3, "COROTINIB MALEATE", "CHEMBL903"),
            (4, None, "CHEMBL904"),
            (5, None, "CHEMBL905"),
        ],
        hierarchy=[(1, 1), (2, 2), (3, 2), (4, 4), (5, 2)],
        synonyms=[(3, 1, "Corvane"), (4, 2, "BX-904")],
    )
    given = candidates(tmp_path / "c.csv", "Corotinib", "BX-904")
    given.write_text(
        "disease_name,drug_name,chembl_id,score\nAsthma,Corotinib,,0.5\n"
        "Asthma,BX-904,,0.4\nAsthma,other salt,CHEMBL905,0.3\n"
    )
    steps = [
        ("ingest", "chembl", dump),
        ("load", "candidates", given, "--set", "c", "--model", "m"),
    ]
    found = []
    for name, order in (("first", steps), ("last", steps[::-1])):
        db = Path(shutil.copy(empty_store, tmp_path / f"{name}.duckdb"))
        for step in order:
            ok(tracker_on(db)(*step))
        found.append(rows(db, ALIASES))
    assert found[0] == found[1]
    assert found[0] == [
        ("BX-904", "chembl_id", "CHEMBL904"),
        ("Corotinib", "chembl_id", "CHEMBL902"),
        ("other salt", "chembl_id", "CHEMBL905"),
        ("other salt", "parent_chembl_id", "CHEMBL902"),
    ]


def _labels(folder: Path) -> Path:
    (folder / "l.csv").write_text("disease_name,drug_name,label\nAsthma,aspirin,2\n")
    return folder / "l.csv"


@pytest.mark.slow
def test_two_drugs_that_are_one_molecule_stay_two(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    loaded = candidates(tmp_path / "c.csv", "aspirin", "aspro")
    ok(tracker("load", "candidates", loaded, "--set", "c", "--model", "m"))
    ok(tracker("ingest", "chembl", chembl(tmp_path / "c.db", synonyms=[(1, 1, "Aspro")])))
    assert rows(db, ALIASES) == [
        ("aspirin", "chembl_id", "CHEMBL25"),
        ("aspro", "parent_chembl_id", "CHEMBL25"),
    ]


@pytest.mark.slow
@settings(max_examples=n_examples(30))
@given(st.lists(st.text(max_size=12), min_size=1, max_size=20))
def test_folding_in_sql_is_the_stores_folding(names: list[str]) -> None:
    given_names = [name for name in names if "\x00" not in name]
    engine = sa.create_engine("duckdb:///:memory:")
    with engine.connect() as connection:
        connection.execute(
            text("create table given as select unnest(cast(:n as varchar[])) as name"),
            {"n": given_names},
        )
        folding.prepare(connection, text("select name from given"))
        folded = connection.execute(text("select name, fold_name(name) from given")).all()
    engine.dispose()
    assert [row[1] for row in folded] == [entities.fold(row[0]) for row in folded]


@pytest.mark.parametrize(
    "identifier", ["EFO_0000270", "EFO:0000270", "Orphanet:1", "mondo:0004979", "D001249", "HP_1 "]
)
def test_ontology_ids_in_sql_are_the_stores(identifier: str) -> None:
    engine = sa.create_engine("duckdb:///:memory:")
    with engine.connect() as connection:
        folding.prepare(connection)
        given_id = connection.execute(
            text("select ontology_id(:i)"), {"i": identifier}
        ).scalar_one()
    engine.dispose()
    assert given_id == entities.ontology_id(identifier)


def _truncated(folder: Path) -> Path:
    dump = chembl(folder / "cut.db")
    dump.write_bytes(dump.read_bytes()[:-4096])
    return dump


def _damaged(folder: Path) -> Path:
    dump = chembl(folder / "bad.db", [(i, 1, 1, "D1", "A" * 90, "EFO:1", "a") for i in range(999)])
    content = bytearray(dump.read_bytes())
    content[8192:40960] = b"\xff" * (40960 - 8192)
    dump.write_bytes(content)
    return dump


def _journal(folder: Path) -> Path:
    dump = chembl(folder / "busy.db")
    (folder / "busy.db-journal").write_bytes(b"x")
    return dump


def _tar(folder: Path, name: str, member: str) -> Path:
    """Pack a file of the world under a name of its own."""
    with tarfile.open(folder / name, "w:gz") as archive:
        archive.add(WORLD / Path(member).name, member)
    return folder / name


def _cut_tar(folder: Path) -> Path:
    path = _tar(folder, "cut.tar.gz", "chembl_91.db")
    path.write_bytes(path.read_bytes()[:2000])
    return path


def _written(name: str, content: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_text(content)
        return folder / name

    return make


def _changed(statement: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        dump = chembl(folder / "c.db", hierarchy=[(1, 1)], synonyms=[(1, 1, "Aspro")])
        with sqlite3.connect(dump) as connection:
            connection.executescript(statement)
        connection.close()
        return dump

    return make


BAD = {
    _changed("update drug_indication set molregno = 77"): (
        "c.db, drug_indication 1: its molecule is not in molecule_dictionary"
    ),
    _changed("update drug_indication set drugind_id = null"): (
        "c.db, drug_indication: an indication of CHEMBL25 has no key"
    ),
    _changed("drop table molecule_synonyms; create table molecule_synonyms (molregno)"): (
        "c.db: its table molecule_synonyms has no column synonyms"
    ),
    _changed("update molecule_dictionary set pref_name = cast(x'ff41' as text)"): (
        "c.db: cannot be read: Could not decode to UTF-8 column 'pref_name'"
    ),
    _changed("drop table molecule_dictionary"): (
        "c.db: is not a ChEMBL database: it has no table molecule_dictionary"
    ),
    _changed(
        "alter table drug_indication rename to hidden; "
        "create view drug_indication as select * from hidden"
    ): "c.db: is not a ChEMBL database: it has no table drug_indication",
    _truncated: "cut.db: is cut short: ",
    _damaged: "bad.db: cannot be read: ",
    _journal: "busy.db: is still being written: busy.db-journal exists",
    _written("notes.db", "only words"): "notes.db: is neither a SQLite file nor",
    lambda folder: chembl(folder / "odd.db", [(9, 1, 7, "D1", "A", "EFO:1", "a")]): (
        "odd.db, drug_indication 9: max_phase_for_ind '7' is not between -1 and 4"
    ),
    lambda folder: chembl(folder / "mute.db", version=None): (
        "mute.db: no release found in the file; add, for example, --version 33 "
        "--released 2023-05-31"
    ),
    lambda folder: chembl(folder / "late.db", version=("ChEMBL_99", "2999-01-01")): (
        "the release date 2999-01-01 is in the future"
    ),
    _cut_tar: "cut.tar.gz: is damaged or cut short",
    lambda folder: _tar(folder, "out.tar.gz", "../chembl_91.db"): (
        "out.tar.gz: contains a path outside itself: ../chembl_91.db"
    ),
    lambda folder: _tar(folder, "none.tar.gz", "labels.csv"): (
        "none.tar.gz: contains no SQLite file"
    ),
    _written("ids.csv", "molecule_chembl_id,efo_id\nCHEMBL25,EFO:1\naspirin,EFO:1\n"): (
        "ids.csv, row 3: 'aspirin' is not a ChEMBL id"
    ),
    lambda _: "postgresql+nosuch://u:secret@h/chembl": "SQLAlchemy does not know this kind",
    lambda _: "oracle+oracledb://u:secret@h/chembl": "needs the Python package oracledb",
    lambda _: "postgresql://u:secret@h:port/chembl": "***@h:port/chembl' is not a URL",
    lambda f: f"duckdb:///{f}/absent.duckdb": "absent.duckdb: no such file",
    lambda f: f / "absent.db": "absent.db: no such file",
    lambda f: f: "is a folder",
}


@pytest.mark.parametrize(("make", "message"), sampled(BAD.items(), 4))
def test_bad_input_is_refused_in_one_line(
    make: Callable[[Path], object], message: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    options = ("--version", "1", "--released", "2025-01-01") if "ids.csv" in message else ()
    words = ("ingest", "chembl", make(tmp_path), *options)
    assert "secret" not in refused(tracker, db, *words, message=message)


@pytest.mark.parametrize(
    ("module", "package"),
    [("psycopg", "psycopg[binary]"), ("MySQLdb", "mysqlclient"), ("pymysql", "pymysql")],
)
def test_a_missing_driver_is_named(
    module: str, package: str, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    backend = "postgresql" if module == "psycopg" else "mysql"
    refused = exited(
        3, tracker("ingest", "chembl", f"{backend}+{module.lower()}://u:secret@h/chembl")
    )
    assert refused.output.endswith(f"install: pip install '{package}'\n")


@pytest.mark.slow
def test_values_that_contain_the_separators(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """Rows are read one by one where their joined text could not be split."""
    odd = "a\x1fb\x1dc\x1e"
    dump = chembl(
        tmp_path / "c.db",
        [(1, 1, 2, "D1", odd, None, ""), (2, 1, 0.5, "D2", "\x1e", "EFO:2", "a\nb|c")],
    )
    ok(tracker("ingest", "chembl", dump))
    assert rows(db, "select mesh_heading, efo_id, efo_term, max_phase from indication") == [
        (odd, None, None, 2.0),
        ("\x1e", "EFO:2", "a\nb|c", 0.5),
    ]


@pytest.mark.slow
def test_a_source_without_parents_takes_none_back(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    ok(tracker("ingest", "chembl", chembl(tmp_path / "c.db", hierarchy=[(1, 1)])))
    later = tmp_path / "later.csv"
    later.write_text("molecule_chembl_id,efo_id\nCHEMBL25,EFO:0000270\n")
    ok(tracker("ingest", "chembl", later, "--version", "37", "--released", "2026-01-01"))
    assert rows(db, "select chembl_id, release_id, parent_chembl_id from molecule") == [
        ("CHEMBL25", 1, "CHEMBL25")
    ]


@pytest.mark.slow
def test_the_hash_of_a_database_covers_its_rows(empty_store: Path, tmp_path: Path) -> None:
    """A database has no file to hash; two that differ only in one phase have two hashes."""
    found = []
    for phase in (2, 3):
        other = tmp_path / f"{phase}.duckdb"
        db = Path(shutil.copy(empty_store, tmp_path / f"store{phase}.duckdb"))
        with duckdb.connect(str(other)) as target:
            target.execute(
                "create table molecule_dictionary as select 1 as molregno, 'CHEMBL25' as chembl_id"
            )
            target.execute(
                "create table drug_indication as select 7 as drugind_id, "
                "1 as molregno, ? as max_phase_for_ind",
                [phase],
            )
        options = ("--version", "36", "--released", "2025-07-01")
        ok(tracker_on(db)("ingest", "chembl", f"duckdb:///{other}", *options))
        found += rows(db, "select sha256 from release")
    assert len(set(found)) == 2


def test_a_tar_that_inflates_without_bound(
    tracker: Tracker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(tmp_path / "bomb.tar.gz", "w:gz") as archive:
        archive.add(chembl(tmp_path / "c.db"), "c.db")
    monkeypatch.setattr(archives, "MAX_BYTES", 1000)
    refused = exited(3, tracker("ingest", "chembl", tmp_path / "bomb.tar.gz"))
    assert "at most 1,000 are unpacked" in refused.output


def test_a_file_changed_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "growing.csv"
    path.write_text("a")

    stamps = archives.stamped([path])
    archives.refuse_changed(stamps)
    path.write_text("ab")
    with pytest.raises(InputRefused, match="was changed while it was read"):
        archives.refuse_changed(stamps)


@pytest.mark.slow
def test_a_real_table_of_indications(tracker: Tracker, db: Path, shared: Path) -> None:
    path = shared / "chembl" / "indications_2026.csv"
    ok(tracker("ingest", "chembl", path, "--version", "36", "--released", "2026-01-15"))
    assert rows(db, "select count(*), count(efo_id), sum(max_phase) from indication") == [
        (58741, 58574, 4 * 8682 + 3 * 14760 + 2 * 22285 + 13014)
    ]
    assert rows(db, "select released_on from release") == [(date(2026, 1, 15),)]
