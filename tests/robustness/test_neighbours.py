"""Situations that were faults of neighbouring tools, tried here.

Each test names the public report that gave the idea: registry clients, ontology readers and
libraries of metrics. The inputs are made up.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from evidence import study, write_json

import tracker
from tracker.errors import InputRefused, ProblemsFound

pytestmark = pytest.mark.slow

PAIRS = {"disease_name": ["Marlow syndrome"] * 2, "drug_name": ["belantrine", "corotinib"]}


def scored(*scores: float, dtype: str = "float64") -> pd.DataFrame:
    """Return the pairs with scores."""
    return pd.DataFrame(PAIRS | {"score": np.array(scores, dtype=dtype)})


# Libraries of metrics.


def test_numbers_of_single_precision_are_compared_as_they_are_written(db: Path) -> None:
    # scikit-learn/scikit-learn#34975: scores are often kept as float32. 0.7 of single precision is
    # 0.699999988, below a lowest score of 0.7; the same table as CSV is not.
    frame = scored(0.9, 0.7, dtype="float32")
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(frame, "frame", "m")
        frame.to_csv(db.with_name("c.csv"), index=False)
        opened.load.candidates(db.with_name("c.csv"), "file", "m")
        frozen = [opened.freeze(candidates=name, min_score=0.7) for name in ("frame", "file")]
        for slate in frozen:
            assert list(slate.predictions["drug_name"]) == ["belantrine", "corotinib"]
            assert list(slate.predictions["score"]) == [0.9, 0.7]


def test_a_label_that_repeats_in_truth_or_in_a_list_is_refused(db: Path) -> None:
    # joaopalotti/trectools#52: repeated judgments raise the ideal. cvangysel/pytrec_eval#50: a
    # document that comes up twice counts twice, and NDCG may exceed 1.
    twice = pd.DataFrame({"instance": ["q1"] * 2, "label": ["a"] * 2}, index=["first", "second"])
    with tracker.open(db, write=True) as opened:
        refused = r"truth \(data frame\), index second, column label: 'q1', 'a' repeats index first"
        with pytest.raises(ProblemsFound, match=refused):
            opened.benchmark.define("b", truth=twice, kind="multilabel")
        opened.benchmark.define("b", truth=twice.assign(label=["a", "b"]), kind="multilabel")
        submitted = twice.assign(rank=[1, 2])
        with pytest.raises(ProblemsFound, match=r"second, column label: .* repeats index first"):
            opened.benchmark.submit("b", submitted, submitter="lab", track="test")


# Tables.


@pytest.mark.parametrize("name", ["NA", "null", "None", "nan", "#N/A"])
def test_a_name_that_pandas_takes_for_nothing_is_a_name(name: str, db: Path) -> None:
    # phac-nml/biohansel#120, snakemake-workflows/dna-seq-varlociraptor#360: NA is read as missing.
    path = db.with_name("c.csv")
    path.write_text(f"disease_name,drug_name,score\nMarlow syndrome,{name},0.5\n")
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(path, "c", "m")
        assert list(opened.sql("select name from drug")["name"]) == [name]


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_categories_are_read_as_their_names(library: str, db: Path) -> None:
    # pola-rs/polars#581: the codes of categories were read instead of their names.
    frame = scored(0.9, 0.7)
    data: Any = frame.astype({"disease_name": "category", "drug_name": "category"})
    if library == "polars":
        data = pl.from_pandas(frame).with_columns(pl.col("drug_name").cast(pl.Categorical))
    if library == "arrow":
        table = pa.Table.from_pandas(frame, preserve_index=False)
        data = table.set_column(1, "drug_name", table["drug_name"].dictionary_encode())
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(data, "c", "m")
        assert list(opened.sql("select name from drug order by name")["name"]) == PAIRS["drug_name"]


# Registries.


def test_the_first_page_of_results_is_no_complete_snapshot(db: Path) -> None:
    # jvfe/pytrials#24, cyanheads/clinicaltrialsgov-mcp-server#33: a client stops at the first page.
    # Taken for complete, it would make every other study vanish.
    page = {"studies": [study()], "nextPageToken": "x"}
    with tracker.open(db, write=True) as opened:
        path = write_json(db.with_name("page.json"), page)
        with pytest.raises(InputRefused, match="has 1 studies, not all pages of the results"):
            opened.ingest.trials(path, released_on="2025-02-01", is_complete=True)
        path = write_json(db.with_name("page.json"), page | {"totalCount": 2})
        with pytest.raises(InputRefused, match="has 1 of 2 studies, not all pages"):
            opened.ingest.trials(path, released_on="2025-02-01", is_complete=True)
        assert opened.ingest.trials(path, released_on="2025-02-01").n_rows == 1


def test_a_full_last_page_with_a_token_is_complete(db: Path) -> None:
    # cyanheads/clinicaltrialsgov-mcp-server#98: the registry gives a token to every full page, the
    # last one too.
    first = {"studies": [study()], "nextPageToken": "x", "totalCount": 2}
    last = {"studies": [study("NCT00000002")], "nextPageToken": "y"}
    paths = [
        write_json(db.with_name(f"page{number}.json"), page)
        for number, page in enumerate((first, last))
    ]
    with tracker.open(db, write=True) as opened:
        done = opened.ingest.trials(*paths, released_on="2025-02-01", is_complete=True)
    assert done.n_rows == 2


def test_a_date_in_words_is_refused_and_not_lost(db: Path) -> None:
    # opentrials/opentrials#659: dates as 'October 7, 2014' of the former API.
    path = write_json(db.with_name("s.json"), study(start="October 7, 2014"))
    with (
        tracker.open(db, write=True) as opened,
        pytest.raises(ProblemsFound, match="NCT00000001: start date 'October 7, 2014' is not a"),
    ):
        opened.ingest.trials(path, released_on="2025-02-01")


def test_references_that_the_web_service_joins_are_several(db: Path) -> None:
    # SmartAPI/smartAPI#63: ref_id has all the trials of an indication, joined by commas.
    row = {
        "molecule_chembl_id": "CHEMBL25",
        "efo_id": "EFO:0000275",
        "max_phase_for_ind": "3.0",
        "indication_refs": [
            {"ref_type": "ClinicalTrials", "ref_id": "NCT00000001,NCT00000002", "ref_url": "-"},
            {"ref_type": "ATC", "ref_id": "B01AC06", "ref_url": "-"},
        ],
    }
    path = db.with_name("rows.jsonl")
    path.write_text(json.dumps(row))
    with tracker.open(db, write=True) as opened:
        opened.ingest.chembl(path, version="36", released_on="2025-07-01")
        found = opened.sql("select ref_type, ref_id from indication_reference order by all")
    assert found.to_numpy().tolist() == [
        ["ATC", "B01AC06"],
        ["ClinicalTrials", "NCT00000001"],
        ["ClinicalTrials", "NCT00000002"],
    ]


# Ontologies.

TERM = "format-version: 1.2\ndata-version: releases/2025-01-01\nontology: d\n\n[Term]\nid: D:1\n"


def term(opened: tracker.Store, path: Path, *clauses: str) -> tuple[str, list[str], list[str]]:
    """Ingest a term; return its label, its other names and its mappings."""
    path.write_text(TERM + "\n".join(clauses) + "\n\n")
    opened.ingest.vocabulary(path)
    (label,) = opened.sql("select label from vocabulary_term")["label"]
    names = opened.sql("select name from vocabulary_name where scope <> 'label' order by name")
    mapped = opened.sql("select object_id from vocabulary_mapping order by object_id")
    return label, list(names["name"]), list(mapped["object_id"])


@pytest.mark.parametrize(
    ("clause", "label"),
    [
        ("name: nail disease ! once onychopathy", "nail disease"),
        (r"name: wow\! disease", "wow! disease"),
        ("name: (?<=[ALIV])(?!P)", "(?<=[ALIV])(?!P)"),
    ],
)
def test_a_comment_after_a_name_is_no_part_of_it(clause: str, label: str, db: Path) -> None:
    # HUPO-PSI/psi-ms-CV#524: an unescaped exclamation mark in a name starts a comment.
    with tracker.open(db, write=True) as opened:
        assert term(opened, db.with_name("d.obo"), clause) == (label, [], [])


@pytest.mark.parametrize(
    ("clause", "names", "mapped"),
    [
        # althonos/pronto#80: a reference with blanks stopped the whole file.
        ('synonym: "podagra" EXACT [TAO:Bird and Mabee 2003]', ["podagra"], []),
        # owlcs/owlapi#852: qualifiers within the brackets of the references.
        ('synonym: "gota" EXACT Spanish [POC:M {date=2011-09-14, lang=eng}]', ["gota"], []),
        # althonos/pronto#65: an unescaped blank in a cross-reference, which has a description.
        ('xref: KEGG COMPOUND:70458-96-7 "CAS"', [], ["KEGG COMPOUND:70458-96-7"]),
        # biolink/ontobio#271: a quotation mark broke all synonyms and references after it.
        (r'synonym: "the \"so called\" gout" EXACT []', ['the "so called" gout'], []),
    ],
)
def test_odd_clauses_cost_no_term_its_names(
    clause: str, names: list[str], mapped: list[str], db: Path
) -> None:
    with tracker.open(db, write=True) as opened:
        assert term(opened, db.with_name("d.obo"), "name: gout", clause) == ("gout", names, mapped)
