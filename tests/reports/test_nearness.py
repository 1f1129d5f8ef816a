"""What is known of a disease's ancestors, descendants and siblings, or of a salt, is near-known."""

from pathlib import Path

import pytest
from support import Tracker, as_json, ok, query
from worlds import complete, view_rows, viewed

from tracker.reports.pages import parts
from tracker.reports.pages.lead import Lead
from tracker.reports.records import Section
from tracker.rows import Rows

LEAD = Lead("prospective", "novel")
# Below all diseases, as a small vocabulary has it, a carcinoma is an area of its own.
VOCABULARY = """format-version: 1.2
data-version: releases/2026-08-01
ontology: doid

[Term]
id: DOID:9910000
name: disease

[Term]
id: DOID:9910001
name: pelvane carcinoma
is_a: DOID:9910000

[Term]
id: DOID:9910002
name: late pelvane carcinoma
is_a: DOID:9910001

[Term]
id: DOID:9910003
name: pelvane adenocarcinoma
is_a: DOID:9910001
"""
CHILDREN = {"late pelvane carcinoma": 2, "pelvane adenocarcinoma": 3}
DRUGS = ("amberine", "corvastin", "dulimab")


@pytest.fixture
def slate(tracker: Tracker, tmp_path: Path) -> Tracker:
    """Commands on a store whose labels know two drugs for the parent disease."""
    pairs = [
        f"{disease},DOID:991000{number},{drug},0.{9 - place}"
        for disease, number in CHILDREN.items()
        for place, drug in enumerate(DRUGS)
    ]
    files = {
        "diseases.obo": VOCABULARY,
        "candidates.csv": "\n".join(["disease_name,disease_id,drug_name,score", *pairs]),
        "labels.csv": "disease_name,disease_id,drug_name,label\n"
        "pelvane carcinoma,DOID:9910001,amberine,4\npelvane carcinoma,DOID:9910001,corvastin,2\n",
        "outcomes.csv": "disease_name,drug_name,outcome_type,source,event_date,first_public_on\n"
        "late pelvane carcinoma,amberine,first_trial_seen,ctgov,2024-06-01,2024-06-01\n"
        "pelvane adenocarcinoma,dulimab,first_trial_seen,ctgov,2024-06-01,2024-06-01\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    for words in (
        ("load", "candidates", tmp_path / "candidates.csv", "--set", "c", "--model", "m"),
        ("load", "labels", tmp_path / "labels.csv", "--set", "l"),
        ("slate", "freeze", "--candidates", "c", "--labels", "l", "--replay-as-of", "2024-01-01"),
        ("load", "outcomes", tmp_path / "outcomes.csv", "--slate", "@latest"),
    ):
        ok(tracker(*words))
    return tracker


@pytest.mark.slow
def test_drugs_of_the_parent_disease_are_near_known_for_its_children(
    slate: Tracker, tmp_path: Path
) -> None:
    ok(slate("ingest", "vocabulary", tmp_path / "diseases.obo"))
    printed = as_json(slate, "report")
    # Nothing of the children themselves was known: by their names all six pairs are novel.
    known = {
        one["knowledge"]: one["n_predictions"]
        for one in printed["sections"]["known_at_freeze"]
        if one["tier"] == "all"
    }
    assert known == {"a close relative": 4, "nothing": 2}
    classes = {one["nearness"]: one for one in printed["sections"]["enrichment_by_nearness"]}
    # Dulimab was known for no disease at all, which nothing near can tell.
    assert {name: (one["n_predictions"], one["n_hits"]) for name, one in classes.items()} == {
        "near-known": (4, 1),
        "new": (2, 1),
    }
    (copied,) = [
        one for one in printed["sections"]["leak_alarm"] if one["ranker"] == "related diseases"
    ]
    assert copied["listed_pairs"] == 6
    cards = query(
        slate, "select drug_name, near_known from prediction_card order by drug_name, disease_name"
    )
    assert [one["near_known"] for one in cards] == [
        *["ancestor: pelvane carcinoma"] * 4,
        *[None] * 2,
    ]


@pytest.mark.slow
def test_without_a_vocabulary_the_text_says_why_no_pair_is_near_known(slate: Tracker) -> None:
    text = ok(slate("report", "--full")).output
    section = text.split("(enrichment_by_nearness)")[1].split("\n\n")
    assert section[2].strip() == "No rows."
    assert section[3].startswith("- No prediction or candidate has a known relative")


@pytest.mark.parametrize(
    ("n_terms", "relations"),
    [
        (50, {"ancestor", "descendant", "sibling"}),
        (51, {"ancestor", "descendant"}),
        (100, {"ancestor", "descendant"}),
        (101, set()),
    ],
)
def test_a_class_with_many_terms_relates_none(
    store_path: Path, n_terms: int, relations: set[str]
) -> None:
    """The class, below an area, has itself and its children at or below it."""
    children = [f"MONDO:{number}" for number in range(1, n_terms)]
    release = {"release_id": 1}
    terms = {"MONDO:A": "disease", "MONDO:B": "area", "MONDO:C": "class"} | {
        child: f"kind {child}" for child in children
    }
    above = {"MONDO:B": "MONDO:A", "MONDO:C": "MONDO:B"} | dict.fromkeys(children, "MONDO:C")
    # More terms than any bound below the area itself.
    above |= {f"MONDO:{number}": "MONDO:B" for number in range(1000, 1101)}
    terms |= {f"MONDO:{number}": f"other {number}" for number in range(1000, 1101)}
    world = complete(
        {
            "release": [release | {"source": "mondo"}],
            "vocabulary_release": [release],
            "vocabulary_term": [release | {"term_id": t, "label": terms[t]} for t in terms],
            "vocabulary_parent": [
                release | {"term_id": term, "parent_term_id": above[term]} for term in above
            ],
        }
    )
    with viewed(store_path, world) as connection:
        found = view_rows(connection, "related_term")
    assert {one["relation"] for one in found} == relations | {"same disease"}
    n_children = n_terms - 1
    assert len(found) == len(above) + sum(
        {"ancestor": 1, "descendant": 1, "sibling": n_children - 1}[one] * n_children
        for one in relations
    )


def classes(*hits: tuple[str, int]) -> Section:
    columns = ["nearness", "evidence_window", "population", "tier", "n_hits"]
    rows = [
        (name, "prospective", "all" if name == "known" else "novel", "high", n) for name, n in hits
    ]
    return Section("enrichment_by_nearness", "", "", "", Rows(columns, rows))


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        (
            [("known", 5), ("near-known", 12), ("new", 32)],
            " (12 near-known)",
        ),
        (
            [("near-known", 1)],
            " (1 near-known)",
        ),
        ([("near-known", 0), ("new", 3)], ""),
        ([("known", 2)], ""),
    ],
)
def test_the_verdict_says_how_many_hits_are_near_known(
    hits: list[tuple[str, int]], expected: str
) -> None:
    assert parts.near_known([classes(*hits)], LEAD, "high") == expected
    assert parts.near_known([classes(*hits)], LEAD, "moderate") == ""
    assert parts.near_known([classes(*hits)], Lead("prospective", "all"), "high") == ""
