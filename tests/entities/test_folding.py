"""One folding of names: files, evidence, stores and exports of earlier versions, new names."""

import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
import sqlalchemy as sa
from alembic import command
from bench import Bench
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from support import n_examples

from tracker import entities, errors, store
from tracker.entities import folding, resolution

SCORED = "disease_name,drug_name,score\n"
LABELED = "disease_name,drug_name,label\n"
# What different programs make of one name.
SPELLINGS = (
    "Ostrava's T-cell disease",
    "OSTRAVA\u2019S T\u2011CELL DISEASE",
    "Ostrava\u02bcs T\u2013cell\u00a0disease",
    "Ostrava\u0092s T\u2212cell\u202fdis\u00adease",
    "\ufeffOstrava\u2032s T\u2010cell dis\u200bease\u202c",
    "\uff2fstrava\uff07s T\uff0dcell\u3000disease",
    "Ostrava\u00b4s T\u2014cell disease\u200e",
    "\u202eOstrava`s T\u2015ce\u2060ll disease",
)
# Names that mean something else, or are told apart by accents or letters.
OTHERS = (
    "type 1 diabetes",
    "type 2 diabetes",
    "type \u00b2 diabetes",
    "\u03b2-thalassemia",
    "beta-thalassemia",
    "Sjogren syndrome",
    "Sj\u00f6gren syndrome",
    "ostravas t-cell disease",
    "\u0131leitis",
    "ileitis",
)
_HARD = (
    "'`\u2019\u02bc\u0149\u00df\u0130\u0131\ufb01\u00b2\u03b2"
    "\u2011\u2013\u00ad\u200b\u200d\ufeff\u00a0\u202e\u0092\uff21\uff40\uff0c \t"
)
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(_HARD), st.characters(exclude_categories=["Cs"]), st.sampled_from("aS")
    ),
    max_size=8,
).map("".join)


@pytest.fixture
def bench(db: Path) -> Bench:
    return Bench(db)


@contextmanager
def earlier_version() -> Iterator[None]:
    """Fold names in the block as version 0.2.0 did."""

    def prepare(connection: sa.Connection, names: sa.TextClause | None = None) -> None:
        with mock.patch.object(folding, "fold", folding.earlier_fold):
            real(connection, names)

    real = folding.prepare
    with (
        mock.patch.object(resolution, "fold", folding.earlier_fold),
        mock.patch.object(entities, "fold", folding.earlier_fold),
        mock.patch.object(resolution, "shown", lambda name: " ".join(name.split())),
        mock.patch.object(folding, "prepare", prepare),
    ):
        yield


def age(bench: Bench) -> None:
    """Make the store one of version 0.2.0, which folded names otherwise."""
    engine = sa.create_engine(f"duckdb:///{bench.db}")
    with engine.begin() as connection:
        config = store.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0009")
    engine.dispose()


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_one_name(spelling: str) -> None:
    assert entities.fold(spelling) == "ostrava's t-cell disease"


def test_other_names_stay_apart() -> None:
    assert len({entities.fold(name) for name in OTHERS}) == len(OTHERS)


@pytest.mark.slow
@given(TEXTS)
@settings(max_examples=n_examples(500), deadline=None)
def test_folding_again_changes_nothing(name: str) -> None:
    folded = entities.fold(name)
    assert entities.fold(folded) == folded
    assert entities.fold(folding.earlier_fold(name)) == folded
    assert entities.fold(folding.shown(name)) == folded
    assert entities.fold(unicodedata.normalize("NFD", name)) == folded
    assert entities.fold(name.replace("'", "\u2019").replace("-", "\u2011")) == folded


@pytest.mark.slow
@given(st.lists(TEXTS, min_size=1, max_size=20))
@settings(max_examples=n_examples(60), deadline=None)
def test_sql_folds_as_python_does(names: list[str]) -> None:
    names = [name.replace("\0", "") for name in names]
    with sa.create_engine("duckdb://").connect() as connection:
        connection.exec_driver_sql("create table given (name varchar)")
        connection.execute(text("insert into given values (:name)"), [{"name": n} for n in names])
        folding.prepare(connection, text("select name from given"))
        found = connection.execute(text("select name, fold_name(name) from given")).all()
        assert [folded for _, folded in found] == [entities.fold(name) for name, _ in found]
        # Without accents, which compose anew, the marks alone are folded in SQL.
        for name in {folding.earlier_fold(one) for one in names}:
            if not any(unicodedata.combining(letter) for letter in name):
                value = {"value": name}
                marked = connection.execute(text("select fold_marks(:value)"), value).scalar_one()
                assert marked == entities.fold(name)


@pytest.mark.slow
def test_every_spelling_in_files_is_one_disease(bench: Bench) -> None:
    """Candidates, labels, aliases and outcomes, each with its own apostrophe and dash."""
    scored = "".join(f"{name},drug {n},0.9{n}\n" for n, name in enumerate(SPELLINGS, 1))
    bench.accept(
        "load", "candidates", bench.write("s.csv", SCORED + scored), "--set", "s", "--model", "m"
    )
    labeled = "".join(f"{name},drug {n},4\n" for n, name in enumerate(reversed(SPELLINGS), 1))
    said = bench.accept("load", "labels", bench.write("l.csv", LABELED + labeled), "--set", "l")
    assert said == "loaded 8 labeled pairs as 'l' (0 new drugs, 0 new diseases)\n"
    aliases = f"entity,name,kind,value\ndisease,{SPELLINGS[3]},synonym,Ostrava\u2019s\n"
    bench.accept("load", "aliases", bench.write("a.csv", aliases))
    outcomes = (
        "disease_name,drug_name,outcome_type,event_date,source,observed_at\n"
        f"{SPELLINGS[4]},drug 1,fda_approved,2026-01-01,fda,2026-01-02T00:00:00Z\n"
    )
    bench.accept("load", "outcomes", bench.write("o.csv", outcomes))
    bench.accept("slate", "freeze", "--candidates", "s", "--labels", "l", "--description", "d")
    assert bench.query("select name from disease") == [("OSTRAVA\u2019S T\u2011CELL DISEASE",)]
    assert bench.query("select value from disease_alias order by 1") == [
        ("ostrava's",),
        ("ostrava's t-cell disease",),
    ]
    assert bench.query("select count(known_label), count(*) from prediction") == [(8, 8)]


@pytest.mark.slow
def test_the_name_shown_has_no_unseen_characters(bench: Bench) -> None:
    path = bench.write("s.csv", SCORED + f"{SPELLINGS[7]},a\u200bb\u2019c,0.5\n")
    bench.accept("load", "candidates", path, "--set", "s", "--model", "m")
    assert bench.query("select name from disease union all select name from drug") == [
        ("Ostrava`s T\u2015cell disease",),
        ("ab\u2019c",),
    ]


@pytest.mark.slow
def test_an_identifier_has_no_unseen_characters(bench: Bench) -> None:
    columns = "disease_name,disease_id,drug_name,chembl_id,score\n"
    rows = "gout,EFO:0004274\u200b,drug,CHEMBL25\nknee,EFO:\u00ad0004274,pill,\u2060CHEMBL25"
    path = bench.write("s.csv", columns + ",0.5\n".join([*rows.splitlines(), ""]))
    bench.accept("load", "candidates", path, "--set", "s", "--model", "m", "--shared-ids", "merge")
    assert bench.query("select ontology_id from disease") == [("EFO:0004274",)]
    assert bench.query("select chembl_id from drug") == [("CHEMBL25",)]


@pytest.mark.slow
@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b\u2060", "\u202e\u202c", "\u3164"])
def test_a_name_of_unseen_characters_is_empty(unseen: str, bench: Bench) -> None:
    path = bench.write("s.csv", SCORED + f"gout,drug,0.5\ngout,{unseen},0.4\n")
    said = bench.refuse(
        "load", "candidates", path, "--set", "s", "--model", "m",
        message=["s.csv, row 3: drug_name is empty"],
    )  # fmt: skip
    assert len(said.splitlines()) == 1
    path = bench.write("t.csv", SCORED + f"{unseen},drug,0.5\n")
    bench.refuse(
        "load", "candidates", path, "--set", "s", "--model", "m",
        message=["t.csv, row 2: disease_name is empty"],
    )  # fmt: skip


@pytest.mark.slow
def test_new_names_like_known_ones_are_named(bench: Bench) -> None:
    scored = "Ostrava's disease,belantrine,0.5\nType 1 fever,corotinib,0.4\n"
    said = bench.accept(
        "load", "candidates", bench.write("s.csv", SCORED + scored), "--set", "s", "--model", "m"
    )
    assert said == "loaded 2 candidates as 's' (2 new drugs, 2 new diseases)\n"
    labeled = "Ostravas disease,belantrin,4\nType 2 fever,corotinib,4\nGout,zzz,4\n"
    said = bench.accept("load", "labels", bench.write("l.csv", LABELED + labeled), "--set", "l")
    assert " ".join(said.split()) == (
        "loaded 3 labeled pairs as 'l' (2 new drugs, 3 new diseases) "
        "note: 1 new disease may be known under another name: 'Ostravas disease' (known: "
        "'ostrava's disease'); if so, correct the file or give both one id, and load "
        "it under another --set "
        "note: 1 new drug may be known under another name: 'belantrin' (known: 'belantrine'); if "
        "so, correct the file or give both one id, and load it under another --set"
    )


@pytest.mark.slow
def test_many_new_names_are_counted(bench: Bench) -> None:
    words = [f"{chr(97 + n)}ostrava fever" for n in range(8)]
    scored = "".join(f"{name}s,drug,0.5\n" for name in words)
    bench.accept(
        "load", "candidates", bench.write("s.csv", SCORED + scored), "--set", "s", "--model", "m"
    )
    labeled = "".join(f"{name},drug,4\n" for name in words)
    said = bench.accept("load", "labels", bench.write("l.csv", LABELED + labeled), "--set", "l")
    assert "note: 8 new diseases may be known under another name" in " ".join(said.split())
    assert said.count("(known: ") == 5
    assert " and 3 more;" in " ".join(said.split())


def test_names_alike_are_found_among_many() -> None:
    known = [f"compound {number}" for number in range(20_000)] + ["belantrine sodium"]
    new = [f"substance {number}" for number in range(20_000)] + ["belantrin sodium"]
    assert errors.resembling(new, known) == {"belantrin sodium": "belantrine sodium"}
    assert errors.resembling(new, []) == {}


@pytest.mark.slow
def test_a_store_of_an_earlier_version_keeps_its_hashes_and_finds_its_names(bench: Bench) -> None:
    typed = "Ostrava\u2019s disease"
    scored = SCORED + f"{typed},drug\u20111,0.9\n{typed},drug 2,0.8\n"
    with earlier_version():
        path = bench.write("s.csv", scored)
        bench.accept("load", "candidates", path, "--set", "s", "--model", "m")
        bench.accept("slate", "freeze", "--candidates", "s", "--description", "first")
    assert bench.query("select distinct disease_identifier from prediction") == [
        ("ostrava\u2019s disease",)
    ]
    age(bench)
    before = bench.query("select content_sha256 from slate")
    bench.accept("init")
    bench.accept("check")
    bench.accept("slate", "verify")
    assert bench.query("select content_sha256 from slate") == before
    assert bench.query("select kind, value from disease_alias order by added_at") == [
        ("name", "ostrava\u2019s disease"),
        ("name", "ostrava's disease"),
    ]
    labels = bench.write("l.csv", LABELED + "Ostrava's disease,drug-1,4\n")
    said = bench.accept("load", "labels", labels, "--set", "l")
    assert said == "loaded 1 labeled pairs as 'l' (0 new drugs, 0 new diseases)\n"
    bench.accept("slate", "freeze", "--candidates", "s", "--labels", "l", "--description", "second")
    # The disease keeps the identifier with which it came.
    assert bench.query(
        "select distinct disease_identifier, drug_identifier from prediction order by 2"
    ) == [
        ("ostrava\u2019s disease", "drug 2"),
        ("ostrava\u2019s disease", "drug\u20111"),
    ]
    bench.accept("slate", "verify")


@pytest.mark.slow
def test_names_that_an_earlier_version_told_apart(bench: Bench) -> None:
    scored = SCORED + "Ostrava\u2019s disease,drug,0.9\nOstrava's disease,drug,0.8\n"
    path = bench.write("s.csv", scored)
    with earlier_version():
        bench.accept("load", "candidates", path, "--set", "s", "--model", "m")
        bench.accept("slate", "freeze", "--candidates", "s", "--description", "d")
        bench.accept("slate", "export", bench.slate, bench.folder / "out")
    age(bench)
    bench.accept("init")
    bench.accept("slate", "verify")
    assert len(bench.query("from disease_alias")) == 2
    said = bench.accept(
        "load", "labels", bench.write("l.csv", LABELED + "Ostrava\u2019s disease,drug,4\n"),
        "--set", "l",
    )  # fmt: skip
    assert " ".join(said.split()).endswith(
        "note: 'Ostrava's disease' and 'Ostrava\u2019s disease' are 2 diseases to this store, "
        "though one name: an earlier version told them apart"
    )
    assert bench.query("select name from labeled_pair inner join disease using (disease_id)") == [
        ("Ostrava\u2019s disease",)
    ]
    third = bench.write("m.csv", LABELED + "gout,drug,4\nOstrava\u02bcs disease,drug,4\n")
    bench.refuse(
        "load", "labels", third, "--set", "m",
        message=[
            "m.csv, row 3, column disease_name: 'Ostrava\u02bcs disease' refers to 2 diseases, ",
            "'Ostrava's disease' and 'Ostrava\u2019s disease'; give the identifier",
        ],
    )  # fmt: skip


@pytest.mark.slow
def test_an_export_of_an_earlier_version_is_imported_with_its_hash(
    bench: Bench, empty_store: Path, tmp_path: Path
) -> None:
    """Two diseases of the export are one name now: they stay two, as the hash has it."""
    scored = SCORED + (
        "Ostrava\u2019s disease,drug,0.9\nOstrava's disease,drug,0.8\n"
        "Marlow\u2013Bentham,drug,0.7\n"
    )
    with earlier_version():
        path = bench.write("s.csv", scored)
        bench.accept("load", "candidates", path, "--set", "s", "--model", "m")
        bench.accept("slate", "freeze", "--candidates", "s", "--description", "d")
        bench.accept("slate", "export", bench.slate, tmp_path / "out")
    sha256 = bench.query("select content_sha256 from slate")
    other = tmp_path / "other"
    other.mkdir()
    taker = Bench(Path(shutil.copy(empty_store, other / "store.duckdb")))
    path = taker.write("l.csv", LABELED + "Marlow-Bentham,drug,4\n")
    taker.accept("load", "labels", path, "--set", "l")
    taker.accept("slate", "import", tmp_path / "out")
    taker.accept("check")
    assert taker.query("select content_sha256 from slate") == sha256
    assert taker.query(
        "select disease_identifier, name from prediction "
        "inner join disease using (disease_id) order by score"
    ) == [
        ("marlow\u2013bentham", "Marlow-Bentham"),
        ("ostrava's disease", "Ostrava's disease"),
        ("ostrava\u2019s disease", "Ostrava\u2019s disease"),
    ]
    again = taker.accept("slate", "import", tmp_path / "out")
    assert again
    taker.accept("slate", "verify")
