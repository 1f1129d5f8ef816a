"""Ingesting vocabularies: each form, what is refused, releases side by side, the real files."""

import csv
import gzip
import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from evidence import OBO, line_of, obo, rows, write_json
from support import SHARED, Tracker, exited, ok, sampled

from tracker.entities.curies import curie
from tracker.errors import MAX_LISTED


def terms(db: Path) -> list[tuple[Any, ...]]:
    return rows(
        db, "select term_id, label, is_obsolete, replaced_by from vocabulary_term order by term_id"
    )


def names(db: Path) -> set[tuple[Any, ...]]:
    return set(rows(db, "select term_id, scope, name from vocabulary_name"))


def parents(db: Path) -> set[tuple[Any, ...]]:
    return set(rows(db, "select term_id, parent_term_id from vocabulary_parent"))


def mappings(db: Path) -> set[tuple[Any, ...]]:
    return set(rows(db, "select term_id, predicate, object_id from vocabulary_mapping"))


def release(db: Path) -> tuple[Any, ...]:
    """The one release: its source, version, date, form and whether it is complete."""
    (found,) = rows(
        db,
        "select source, version, released_on, form, is_complete "
        "from release join release_coverage using (release_id)",
    )
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("MSH:D001943", "MESH:D001943"),
        ("mesh:D000001943", "MESH:D001943"),
        ("MESH:D000015658", "MESH:D015658"),
        ("MESH:C000730515", "MESH:C730515"),
        ("MESH:D000086382", "MESH:D086382"),
        ("MESH:C21.439.500", "MESH:C21.439.500"),
        ("MSH2010_2010_02_22:D011625", "MESH:D011625"),
        ("d001943", "MESH:D001943"),
        ("http://id.nlm.nih.gov/mesh/D001943", "MESH:D001943"),
        ("http://identifiers.org/mesh/D001943", "MESH:D001943"),
        ("EFO_0000270", "EFO:0000270"),
        ("efo:0000270", "EFO:0000270"),
        ("http://www.ebi.ac.uk/efo/EFO_0000270", "EFO:0000270"),
        ("http://purl.obolibrary.org/obo/DOID_4", "DOID:4"),
        ("Orphanet:683", "ORDO:683"),
        ("http://www.orpha.net/ORDO/Orphanet_683", "ORDO:683"),
        ("SNOMEDCT_US_2025_09_01:39000009", "SNOMEDCT:39000009"),
        ("SNOMEDCT_2010_1_31:33176006", "SNOMEDCT:33176006"),
        ("SNOMEDCT_US:33176006", "SNOMEDCT:33176006"),
        ("SCTID:33176006", "SNOMEDCT:33176006"),
        ("UMLS_CUI:C0018923", "UMLS:C0018923"),
        ("NCI:C3088", "NCIT:C3088"),
        ("MIM:171300", "OMIM:171300"),
        ("ICD10CM:C34.1", "ICD10CM:C34.1"),
        ("http://identifiers.org/mesh:D001943", "MESH:D001943"),
        ("https://en.wikipedia.org/wiki/Type_2", "https://en.wikipedia.org/wiki/Type_2"),
        ("http://example.org/page", "http://example.org/page"),
        ("transmitted_by", "transmitted_by"),
        ("", None),
        ("MESH:", None),
        (":4", None),
    ],
)
def test_an_identifier_has_one_spelling(given: str, expected: str | None) -> None:
    assert curie(given) == expected
    if expected is not None:
        assert curie(expected) == expected


RICH_OBO = """format-version: 1.2
date: 14:05:2015 16:40
default-namespace: disease_ontology
ontology: doid/subsets/gout_slim
remark: "an unclosed quotation mark is allowed here

! a comment
[Term]
id: DOID:13189 {source="x"}
name: gout\\, the \\"king\\" of {diseases}
def: "A disease." [JA:An Unescaped Blank, url:http\\://example.org] {comment="c"}
comment: one: two
alt_id: DOID:1
synonym: "Podagra" EXACT OMO:0003012 [] {source="x"}
synonym: "Podagra" EXACT []
synonym: "Urate  disease" BROAD [X:1]
synonym: "gouty toe" NARROW []
synonym: "arthritis \\"of kings\\"" []
xref: MSH:D000006073 "gout" {source="DOID:13189"} ! heading
xref: MSH:D006073
property_value: skos:exactMatch mesh:D006073
property_value: http://www.w3.org/2004/02/skos/core#closeMatch "EFO_0004274" xsd:string
property_value: dc:creator somebody
is_a: DOID:0081062 {is_inferred="true"} ! arthritis
relationship: part_of DOID:9

[Typedef]
id: part_of
name: part of
name: typedefs are not read

[Term]
id: DOID:2
name: old gout
is_obsolete: true
replaced_by: DOID:13189

[Term]
id: DOID:3
is_obsolete: true
replaced_by: DOID:13189
replaced_by: DOID:2
consider: DOID:4

"""


@pytest.mark.slow
def test_obo(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    out = ok(tracker("ingest", "vocabulary", obo(tmp_path / "slim.obo", RICH_OBO))).output
    assert out.endswith(
        "ingested gout_slim 2015-05-14 (2015-05-14): 3 terms, 6 names, 1 parents, 8 mappings\n"
    )
    assert release(db) == ("gout_slim", "2015-05-14", date(2015, 5, 14), "OBO", False)
    label = 'gout, the "king" of {diseases}'
    assert terms(db) == [
        ("DOID:13189", label, False, None),
        ("DOID:2", "old gout", True, "DOID:13189"),
        ("DOID:3", None, True, None),
    ]
    assert names(db) == {
        ("DOID:13189", "label", label),
        ("DOID:13189", "exact", "Podagra"),
        ("DOID:13189", "broad", "Urate disease"),
        ("DOID:13189", "narrow", "gouty toe"),
        ("DOID:13189", "related", 'arthritis "of kings"'),
        ("DOID:2", "label", "old gout"),
    }
    assert parents(db) == {("DOID:13189", "DOID:0081062")}
    assert mappings(db) == {
        ("DOID:13189", "oboInOwl:hasAlternativeId", "DOID:1"),
        ("DOID:13189", "oboInOwl:hasDbXref", "MESH:D006073"),
        ("DOID:13189", "skos:exactMatch", "MESH:D006073"),
        ("DOID:13189", "skos:closeMatch", "EFO:0004274"),
        ("DOID:2", "IAO:0100001", "DOID:13189"),
        ("DOID:3", "IAO:0100001", "DOID:13189"),
        ("DOID:3", "IAO:0100001", "DOID:2"),
        ("DOID:3", "oboInOwl:consider", "DOID:4"),
    }
    folded = "select folded_name from vocabulary_name where name = 'Podagra'"
    assert rows(db, folded) == [("podagra",)]


def graph(**changes: Any) -> dict[str, Any]:
    """An OBO Graphs document of three classes and a property."""
    base = "http://purl.obolibrary.org/obo/"
    gout = {
        "id": f"{base}MONDO_0005393",
        "lbl": "Göut",
        "type": "CLASS",
        "meta": {
            "synonyms": [
                {"pred": "hasExactSynonym", "val": "podagra"},
                {"pred": "hasRelatedSynonym", "val": "uric arthritis"},
            ],
            "xrefs": [{"val": "MESH:D006073"}],
            "basicPropertyValues": [
                {
                    "pred": "http://www.w3.org/2004/02/skos/core#exactMatch",
                    "val": "http://identifiers.org/mesh/D006073",
                },
                {"pred": "http://purl.org/dc/terms/creator", "val": "someone"},
                {"pred": f"{base[:-4]}oboInOwl#hasAlternativeId", "val": "MONDO:1"},
            ],
        },
    }
    nodes = [
        {**gout, **changes.pop("node", {})},
        {
            "id": f"{base}MONDO_2",
            "lbl": "old gout",
            "type": "CLASS",
            "meta": {
                "deprecated": True,
                "basicPropertyValues": [
                    {"pred": f"{base}IAO_0100001", "val": f"{base}MONDO_0005393"}
                ],
            },
        },
        {"id": f"{base}MONDO_3", "type": "CLASS"},
        {"id": f"{base}RO_1", "lbl": "part of", "type": "PROPERTY"},
    ]
    edges = [
        {"sub": f"{base}MONDO_0005393", "pred": "is_a", "obj": f"{base}MONDO_3"},
        {"sub": f"{base}MONDO_0005393", "pred": f"{base}RO_1", "obj": f"{base}MONDO_2"},
        {"sub": f"{base}RO_1", "pred": "is_a", "obj": f"{base}RO_2"},
        *changes.pop("edges", []),
    ]
    meta = {"version": f"{base}mondo/releases/2026-08-04/mondo.owl"}
    made = {"id": f"{base}mondo.owl", "meta": meta, "nodes": nodes, "edges": edges}
    return {"graphs": [{**made, **changes}]}


@pytest.mark.slow
def test_obo_graphs(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    ok(tracker("ingest", "vocabulary", write_json(tmp_path / "m.json", graph())))
    assert release(db) == ("mondo", "2026-08-04", date(2026, 8, 4), "OBO Graphs", False)
    assert terms(db) == [
        ("MONDO:0005393", "Göut", False, None),
        ("MONDO:2", "old gout", True, "MONDO:0005393"),
        ("MONDO:3", None, False, None),
    ]
    assert names(db) == {
        ("MONDO:0005393", "label", "Göut"),
        ("MONDO:0005393", "exact", "podagra"),
        ("MONDO:0005393", "related", "uric arthritis"),
        ("MONDO:2", "label", "old gout"),
    }
    assert parents(db) == {("MONDO:0005393", "MONDO:3")}
    assert mappings(db) == {
        ("MONDO:0005393", "oboInOwl:hasDbXref", "MESH:D006073"),
        ("MONDO:0005393", "skos:exactMatch", "MESH:D006073"),
        ("MONDO:0005393", "oboInOwl:hasAlternativeId", "MONDO:1"),
        ("MONDO:2", "IAO:0100001", "MONDO:0005393"),
    }
    assert rows(db, "select folded_label from vocabulary_term where label = 'Göut'") == [("göut",)]


@pytest.mark.slow
def test_an_edge_of_a_term_of_a_later_graph(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    document = graph()
    first = document["graphs"][0]
    document["graphs"] = [{**first, "nodes": []}, {**first, "edges": []}]
    ok(tracker("ingest", "vocabulary", write_json(tmp_path / "m.json", document)))
    assert parents(db) == {("MONDO:0005393", "MONDO:3")}


@pytest.mark.slow
def test_a_version_without_a_date_needs_one(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    version = {"version": "http://www.ebi.ac.uk/efo/releases/v3.62.0/efo.owl"}
    path = write_json(tmp_path / "efo.json", graph(id="http://www.ebi.ac.uk/efo/efo.owl"))
    document = json.loads(path.read_text())
    document["graphs"][0]["meta"] = version
    write_json(path, document)
    refused = exited(3, tracker("ingest", "vocabulary", path))
    assert refused.output == "error: efo.json: does not state its date; give --released\n"
    ok(tracker("ingest", "vocabulary", path, "--released", "2024-01-15"))
    assert release(db)[:3] == ("efo", "v3.62.0", date(2024, 1, 15))


SSSOM = """# curie_map:
#   MONDO: http://purl.obolibrary.org/obo/MONDO_
# mapping_set_id: http://purl.obolibrary.org/obo/mondo/mappings/mondo_mesh.sssom.tsv
# mapping_set_version: "http://purl.obolibrary.org/obo/mondo/releases/2026-08-04/mondo.sssom.tsv"
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\tconfidence
MONDO:1\tgout\tskos:exactMatch\t\tmesh:D000006073\tGout\t0.9
MONDO:1\tgout\tskos:narrowMatch\t\tmesh:D000075222\t"Gout, ""the"" king"\t
MONDO:2\t\tskos:exactMatch\tNot\tmesh:D000001\tNo\t
MONDO:3\t\tskos:exactMatch\t\tEFO_1\t\t
MONDO:4\tother\tskos:exactMatch\t\tsssom:NoTermFound\t\t
"""


NEGATIVE = """subject_id\tpredicate_id\tobject_id\tpredicate_modifier
MONDO:1\tskos:exactMatch\tEFO:1\tNot
MONDO:2\tskos:exactMatch\tEFO:2\tNot
"""


def written(name: str, text: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return path

    return make


@pytest.mark.slow
def test_sssom(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    path = written("m.sssom.tsv", SSSOM)(tmp_path)
    ok(tracker("ingest", "vocabulary", path))
    assert release(db) == ("mondo_mesh", "2026-08-04", date(2026, 8, 4), "SSSOM", False)
    assert terms(db) == [
        ("MESH:D006073", "Gout", False, None),
        ("MESH:D075222", 'Gout, "the" king', False, None),
        ("MONDO:1", "gout", False, None),
        ("MONDO:3", None, False, None),
    ]
    assert mappings(db) == {
        ("MONDO:1", "skos:exactMatch", "MESH:D006073"),
        ("MONDO:1", "skos:narrowMatch", "MESH:D075222"),
        ("MONDO:3", "skos:exactMatch", "EFO:1"),
    }


@pytest.mark.slow
def test_labels_that_differ_do_not_refuse_a_file(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """The most frequent counts; of equally frequent ones the first, whatever the order of rows."""
    lines = [
        "MONDO:1\tGout\tskos:exactMatch\t\tEFO:1\tgout",
        "MONDO:1\tgout\tskos:exactMatch\t\tMESH:D006073\tGout",
        "MONDO:1\tgout\tskos:exactMatch\t\tDOID:1\tPodagra",
        "MONDO:2\tfever\tskos:broadMatch\t\tDOID:1\tgout",
        "MONDO:2\tfever\tskos:broadMatch\tNOT\tDOID:1\tgout",
        "MONDO:2\tfever\tskos:exactMatch\tNot\tDOID:2\tgout",
    ]
    header = "subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label"
    for number, order in enumerate((lines, lines[::-1])):
        path = written(f"m{number}.sssom.tsv", "\n".join([header, *order, ""]))(tmp_path)
        released = ("--released", f"2026-01-0{number + 1}")
        assert line_of(tracker("ingest", "vocabulary", path, *released)).endswith(
            "4 mappings note: left out 2 mappings that are stated not to hold (predicate_modifier "
            "Not) note: 2 terms have labels that differ, of which the most frequent was kept: "
            "DOID:1 ('Podagra' and 'gout'), MONDO:1 ('Gout' and 'gout')"
        )
        assert rows(
            db,
            "select term_id, label from vocabulary_term "
            "where release_id = (select max(release_id) from release) order by 1",
        ) == [
            ("DOID:1", "Podagra"),
            ("EFO:1", "gout"),
            ("MESH:D006073", "Gout"),
            ("MONDO:1", "gout"),
            ("MONDO:2", "fever"),
        ]
    assert not {(s, p, o) for s, p, o in mappings(db) if o == "DOID:2"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "is_obsolete"),
    sampled(
        [
            ("owl:deprecated", True),
            ("http://www.w3.org/2002/07/owl#deprecated", True),
            ("OWL:other", False),
        ],
        3,
    ),
)
def test_terms_deprecated_by_a_property(
    name: str, is_obsolete: bool, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    nodes = [
        {"id": f"MONDO_{number}", "lbl": f"term {number}", "meta": meta}
        for number, meta in enumerate(
            [
                {"basicPropertyValues": [{"pred": name, "val": "true"}]},
                {"basicPropertyValues": [{"pred": name, "val": "false"}]},
                {"deprecated": True},
                {"basicPropertyValues": [{"pred": name, "val": "1"}], "deprecated": False},
            ],
            start=1,
        )
    ]
    document = {"graphs": [{"id": "mondo", "nodes": nodes, "edges": []}]}
    path = tmp_path / "mondo.json"
    path.write_text(json.dumps(document))
    ok(tracker("ingest", "vocabulary", path, "--released", "2026-01-01"))
    assert [row[2] for row in terms(db)] == [is_obsolete, False, True, is_obsolete]
    clause = f'property_value: {name} "true" xsd:boolean'
    text = f"format-version: 1.2\n\n[Term]\nid: MONDO:1\nname: a\n{clause}\n"
    path = written("o.obo", text)(tmp_path)
    ok(tracker("ingest", "vocabulary", path, "--released", "2026-01-01"))
    assert rows(db, "select is_obsolete from vocabulary_term where label = 'a'") == [(is_obsolete,)]


BIOMAPPINGS = SHARED / "biomappings"


@pytest.mark.slow
@pytest.mark.skipif(not BIOMAPPINGS.is_dir(), reason="needs the project's real data")
def test_real_mappings_are_read_and_negative_ones_are_named(tracker: Tracker) -> None:
    files = {
        sign: BIOMAPPINGS / f"biomappings_{sign}.sssom.tsv" for sign in ("positive", "negative")
    }
    said = line_of(tracker("ingest", "vocabulary", files["positive"], "--released", "2026-01-01"))
    assert "22,059 terms, 22,059 names, 0 parents, 11,719 mappings" in said
    assert "22 terms have labels that differ" in said
    refused = exited(
        3, tracker("ingest", "vocabulary", files["negative"], "--released", "2026-01-01")
    )
    assert "contains no mapping that holds: all 1,825 are negative" in refused.output


MESH = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptor.dtd">
<DescriptorRecordSet LanguageCode="eng">
<DescriptorRecord DescriptorClass="1">
 <DescriptorUI>D006073</DescriptorUI>
 <DescriptorName><String>Gout</String></DescriptorName>
 <SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo>
  <DescriptorUI>D999999</DescriptorUI><DescriptorName><String>Other</String></DescriptorName>
 </DescriptorReferredTo></SeeRelatedDescriptor></SeeRelatedList>
 <TreeNumberList><TreeNumber>C05.550.114.423</TreeNumber><TreeNumber>C16.320</TreeNumber>
 </TreeNumberList>
 <ConceptList>
  <Concept PreferredConceptYN="Y">
   <ConceptUI>M0009491</ConceptUI><ConceptName><String>Gout</String></ConceptName>
   <ConceptRelationList><ConceptRelation RelationName="NRW">
    <Concept1UI>M0009491</Concept1UI><Concept2UI>M0000002</Concept2UI></ConceptRelation>
   </ConceptRelationList>
   <TermList><Term><String>Gout</String></Term><Term><String>Podagra &amp; c</String></Term>
   </TermList>
  </Concept>
  <Concept PreferredConceptYN="N">
   <ConceptUI>M0000002</ConceptUI><ConceptName><String>Toe gout</String></ConceptName>
   <TermList><Term><String>Toe gout</String></Term></TermList>
  </Concept>
  <Concept PreferredConceptYN="N">
   <ConceptUI>M0000003</ConceptUI><ConceptName><String>Uric</String></ConceptName>
   <TermList><Term><String>Uric</String></Term></TermList>
  </Concept>
 </ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass="1">
 <DescriptorUI>D001168</DescriptorUI>
 <DescriptorName><String>Arthritis</String></DescriptorName>
 <TreeNumberList><TreeNumber>C05.550.114</TreeNumber><TreeNumber>C16.320.9</TreeNumber>
 </TreeNumberList>
 <ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M1</ConceptUI>
  <TermList><Term><String>Arthritis</String></Term></TermList></Concept></ConceptList>
</DescriptorRecord>
</DescriptorRecordSet>
"""


@pytest.mark.slow
def test_mesh_descriptors(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """Each of the two is above the other in one branch, which in MeSH is not an error."""
    path = written("desc2026.xml", MESH)(tmp_path)
    ok(tracker("ingest", "vocabulary", path, "--released", "2025-11-14"))
    assert release(db) == ("mesh", "2025-11-14", date(2025, 11, 14), "MeSH XML", False)
    assert terms(db) == [
        ("MESH:D001168", "Arthritis", False, None),
        ("MESH:D006073", "Gout", False, None),
    ]
    assert names(db) == {
        ("MESH:D001168", "label", "Arthritis"),
        ("MESH:D006073", "label", "Gout"),
        ("MESH:D006073", "exact", "Podagra & c"),
        ("MESH:D006073", "narrow", "Toe gout"),
        ("MESH:D006073", "related", "Uric"),
    }
    assert parents(db) == {
        ("MESH:D006073", "MESH:D001168"),
        ("MESH:D001168", "MESH:D006073"),
    }


DRUGBANK = (
    "DrugBank ID,Accession Numbers,Common name,CAS,UNII,Synonyms,Standard InChI Key\n"
    'DB00437,APRD00435 | DB09999,Allopurinol,315-30-0,63CZ7GJN5I,"Alopurinol | 1,5-Dihydro",OFCN\n'
    "DB00001,,Lepirudin,,,,\n"
)


@pytest.mark.slow
def test_drugbank(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    path = written("drugbank vocabulary.csv", DRUGBANK)(tmp_path)
    ok(tracker("ingest", "vocabulary", path, "--released", "2026-01-02"))
    assert release(db) == ("drugbank", "2026-01-02", date(2026, 1, 2), "DrugBank CSV", False)
    assert names(db) == {
        ("DRUGBANK:DB00001", "label", "Lepirudin"),
        ("DRUGBANK:DB00437", "label", "Allopurinol"),
        ("DRUGBANK:DB00437", "exact", "Alopurinol"),
        ("DRUGBANK:DB00437", "exact", "1,5-Dihydro"),
    }
    assert mappings(db) == {
        ("DRUGBANK:DB00437", "oboInOwl:hasAlternativeId", "DRUGBANK:APRD00435"),
        ("DRUGBANK:DB00437", "oboInOwl:hasAlternativeId", "DRUGBANK:DB09999"),
        ("DRUGBANK:DB00437", "skos:exactMatch", "CAS:315-30-0"),
        ("DRUGBANK:DB00437", "skos:exactMatch", "UNII:63CZ7GJN5I"),
        ("DRUGBANK:DB00437", "skos:exactMatch", "INCHIKEY:OFCN"),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "separator"), [("our names.csv", ","), ("our names.tsv", "\t")])
def test_a_table_of_names(
    name: str, separator: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    lines = [
        "term_id,name,scope",
        "MSH:D006073,Gout,label",
        "MESH:D006073,Podagra,exact",
        "X:2,b,broad",
    ]
    path = written(name, "\n".join(lines).replace(",", separator))(tmp_path)
    ok(tracker("ingest", "vocabulary", path, "--released", "2026-01-02"))
    assert release(db)[0] == "our_names"
    assert terms(db) == [("MESH:D006073", "Gout", False, None), ("X:2", None, False, None)]
    assert names(db) == {
        ("MESH:D006073", "label", "Gout"),
        ("MESH:D006073", "exact", "Podagra"),
        ("X:2", "broad", "b"),
    }


def test_an_unknown_column_is_named_without_an_option_that_does_not_exist(
    tracker: Tracker, tmp_path: Path
) -> None:
    path = tmp_path / "names.csv"
    path.write_text("term_id,name,scope,note\nX:1,gout,label,a\n", encoding="utf-8")
    done = exited(3, tracker("ingest", "vocabulary", path, "--released", "2026-01-01"))
    assert done.stderr == "error: names.csv: unknown column note; known: term_id, name, scope\n"


@pytest.mark.slow
def test_the_same_content_adds_nothing(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    path = obo(tmp_path / "doid.obo")
    ok(tracker("ingest", "vocabulary", path))
    packed = tmp_path / "again.obo.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for words in ((path,), (packed,), (path, "--source", "other", "--released", "2025-01-01")):
        out = ok(tracker("ingest", "vocabulary", *words)).output
        assert out == ("doid 2026-01-15 (2026-01-15) is already in the store; nothing was added\n")
    assert rows(db, "select count(*) from release") == [(1,)]
    assert len(terms(db)) == 2


@pytest.mark.slow
def test_releases_stand_side_by_side_in_any_order(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """An older release, and a slim of the same name and day, are kept beside the newest."""
    ok(tracker("ingest", "vocabulary", obo(tmp_path / "doid.obo")))
    older = OBO.replace("2026-01-15", "2015-05-14")
    ok(tracker("ingest", "vocabulary", obo(tmp_path / "old.obo", older)))
    slim = OBO[: OBO.index("[Term]\nid: DOID:13189")]
    ok(tracker("ingest", "vocabulary", obo(tmp_path / "slim.obo", slim)))
    listed = ok(tracker("release", "list", "--format", "json")).output
    assert [
        (row["source"], row["version"], row["form"], row["n_rows"]) for row in json.loads(listed)
    ] == [
        ("doid", "2015-05-14", "OBO", 2),
        ("doid", "2026-01-15", "OBO", 2),
        ("doid", "2026-01-15", "OBO", 1),
    ]
    assert rows(
        db, "select release_id, count(*) from vocabulary_term group by release_id order by 1"
    ) == [(1, 2), (2, 2), (3, 1)]
    ok(tracker("check"))


def test_a_given_name_and_date_are_used(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    path = obo(tmp_path / "doid.obo")
    ok(tracker("ingest", "vocabulary", path, "--source", "DO.full", "--released", "2026-01-16"))
    assert release(db)[:3] == ("DO.full", "2026-01-16", date(2026, 1, 16))


def replaced(old: str, new: str) -> Callable[[Path], Path]:
    """Change the small OBO file in one place."""
    assert old in OBO
    return written("d.obo", OBO.replace(old, new, 1))


def changed(**changes: Any) -> Callable[[Path], Path]:
    return lambda folder: write_json(folder / "m.json", graph(**changes))


def packed(name: str, n_bytes: int) -> Callable[[Path], Path]:
    """The small OBO file gzipped and cut to some bytes."""

    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(gzip.compress(OBO.encode())[:n_bytes])
        return path

    return make


BILLION = MESH.replace(
    'SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptor.dtd">',
    '[<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
)
CYCLE = """format-version: 1.2
data-version: 2026-01-15

[Term]
id: X:1
name: one
is_a: X:2

[Term]
id: X:2
name: two
is_a: X:3

[Term]
id: X:3
name: three
is_a: X:1

[Term]
id: X:4
name: four
is_a: X:1
"""
SELF = CYCLE.replace("is_a: X:2", "is_a: X:1").replace(
    "id: X:3\nname: three\nis_a: X:1\n", "id: X:3\n"
)
BAD: list[tuple[Callable[[Path], Path], str]] = [
    (lambda folder: folder / "absent.obo", "absent.obo: no such file"),
    (lambda folder: folder, ": is a folder"),
    (written("d.owl", "x"), "d.owl: unknown kind of vocabulary; use .obo, .json"),
    (written("d", "x"), "d: unknown kind of vocabulary"),
    (written("d.obo", ""), "d.obo: the file is empty"),
    (written("d.obo", OBO[:80] + "\n"), "d.obo: contains no term (OBO)"),
    (written("d.obo", "<!DOCTYPE html>\n<p>"), "d.obo: is a web page (HTML)"),
    (written("d.obo", OBO[:230]), "the line does not end; the file is cut short"),
    (
        written("d.obo", OBO[: OBO.index("name: gout")]),
        "d.obo, line 9: the last term has no name; the file is cut short",
    ),
    (
        written("d.obo", OBO[: OBO.index("id: DOID:13189")]),
        "d.obo, line 9: the last term has no name; the file is cut short",
    ),
    (replaced("alt_id: DOID:1", "alt_id DOID 1"), "line 12: 'alt_id DOID 1' has no tag"),
    (replaced("id: DOID:4\n", ""), "d.obo, line 5: the term has no id"),
    (replaced("id: DOID:4\n", "id: DOID:\n"), "line 5: the id of the term names nothing"),
    (replaced("alt_id", "name: x\nalt_id"), "DOID:13189 has 2 name clauses; one is"),
    (replaced("alt_id", "id: X:1\nalt_id"), "DOID:13189 has 2 id clauses; one is"),
    (
        replaced("id: DOID:13189", "id: DOID:4"),
        "d.obo, line 9: DOID:4 is defined twice, first at line 5",
    ),
    (replaced("name: gout", "name:"), "line 9: DOID:13189 has an empty name"),
    (replaced('podagra"', "podagra"), "line 13: a synonym of DOID:13189 is not in"),
    (replaced("podagra", " "), "line 13: a synonym of DOID:13189 is empty"),
    (replaced("name: gout", "name: go\0ut"), "line 9: a name or identifier contains a NUL"),
    (
        replaced("MESH:D006073", "MESH:"),
        "line 14: a cross-reference of DOID:13189 names nothing: 'MESH:'",
    ),
    (replaced("MESH:D006073", "! x"), "line 14: a cross-reference of DOID:13189 names"),
    (replaced("is_a: DOID:4", "is_a:"), "line 15: a parent of DOID:13189 names"),
    (written("d.obo", CYCLE), "d.obo: the parents form a cycle: X:1 is_a X:2 is_a X:3 is_a X:1"),
    (written("d.obo", SELF), "d.obo: the parents form a cycle: X:1 is_a X:1"),
    (replaced("gout", "g\udcf6ut"), "d.obo, row 11: the text is not UTF-8"),
    (written("d.obo", "\udcff\udcfex"), "is not UTF-8 but UTF-16"),
    (packed("d.obo.gz", 90), "d.obo.gz: is not a complete gzip file"),
    (written("d.obo.gz", OBO), "d.obo.gz: is not a complete gzip file"),
    (replaced("2026-01-15", "latest"), "d.obo: does not state its date; give --released"),
    (replaced("2026-01-15", "2026-02-30"), "does not state its date"),
    (replaced("2026-01-15", "2999-01-01"), "the release date 2999-01-01 is in the future"),
    (
        replaced("ontology: doid", "ontology: chembl"),
        "d.obo: the name chembl is the name of a source",
    ),
    (written("m.json", '{"nodes": []}'), "is not OBO Graphs JSON: it has no list of"),
    (written("m.json", "[]"), "m.json: is not OBO Graphs JSON: it has no list of"),
    (written("m.json", '{"graphs": ['), "m.json: is not JSON at line 1"),
    (written("m.json", '{"graphs": "\udcf6"}'), "m.json: is not UTF-8"),
    (changed(nodes={"a": 1}), "m.json, graph 1, nodes: {'a': 1} is not a list of o"),
    (changed(node={"lbl": 3}), "m.json, graph 1, node 1, lbl: 3 is not text"),
    (changed(node={"id": ""}), "graph 1, node 1: the id of the term names"),
    (
        changed(node={"id": "MONDO:2"}),
        "graph 1, node 2: MONDO:2 is defined twice, first at graph 1, node 1",
    ),
    (
        changed(node={"meta": {"xrefs": [{"val": "MESH:"}]}}),
        "graph 1, node 1: a cross-reference of MONDO:0005393 names nothing: 'MESH:'",
    ),
    (
        changed(edges=[{"sub": "MONDO:3", "pred": "is_a", "obj": "MONDO:0005393"}]),
        "the parents form a cycle: MONDO:",
    ),
    (written("m.sssom.tsv", SSSOM[: SSSOM.index("subject")]), "the column subject_id"),
    (
        written("m.sssom.tsv", SSSOM.replace("predicate_id", "predicate")),
        "m.sssom.tsv, line 5: is not SSSOM: the column predicate_id is missing",
    ),
    (
        written("m.sssom.tsv", re.sub(r"subject_id.*\n", "", SSSOM)),
        "m.sssom.tsv, line 5: is not SSSOM: the column subject_id is missing",
    ),
    (written("m.sssom.tsv", SSSOM[:-3]), "line 10: the line does not end; the file"),
    (
        written("m.sssom.tsv", SSSOM.replace("\t0.9", "")),
        "line 6: has 6 fields where the header has 7",
    ),
    (written("m.sssom.tsv", SSSOM.replace("EFO_1", "")), "line 9: the object_id names nothing: ''"),
    (
        written("m.sssom.tsv", SSSOM.replace("skos:narrowMatch", "")),
        "line 7: the predicate_id is empty",
    ),
    (
        written("m.sssom.tsv", SSSOM.replace("\tNot\t", "\tMaybe\t")),
        "line 8: the predicate_modifier is 'Maybe', and can only be Not",
    ),
    (
        written("m.sssom.tsv", NEGATIVE),
        "m.sssom.tsv: contains no mapping that holds: all 2 are negative (predicate_modifier Not)",
    ),
    (
        written(
            "m.sssom.tsv",
            "#predicate_modifier: Not\n"
            + NEGATIVE.replace("\tNot", "").replace("\tpredicate_modifier", ""),
        ),
        "m.sssom.tsv: contains no mapping that holds: all 2 are negative (predicate_modifier Not)",
    ),
    (
        written("m.sssom.tsv", SSSOM.replace("\tgout\t", "\t\u200b\t")),
        "the label of MONDO:1 has only characters that cannot be seen",
    ),
    (written("m.sssom.tsv", SSSOM.replace('king"', "king")), "cannot be split"),
    (written("d.xml", BILLION), "d.xml, line 2: uses the entity 'a'; XML with entities"),
    (
        written("d.xml", MESH.replace("&amp;", "&other;")),
        "d.xml, line 18: uses the entity 'other'; XML with entities is not read",
    ),
    (written("d.xml", MESH[:900]), "d.xml, line 16: is not complete XML: unclosed token"),
    (written("d.xml", "<list></list>"), "is not MeSH descriptors: the document is a list"),
    (written("d.xml", "words"), "d.xml, line 1: is not complete XML: syntax error"),
    (written("d.xml", MESH.replace("D001168", "")), "the DescriptorUI of the record"),
    (
        written("d.xml", MESH.replace("D001168", "D006073")),
        "d.xml, line 31: MESH:D006073 is defined twice, first at line 4",
    ),
    (written("d.xml", MESH), "d.xml: does not state its date; give --released"),
    (written("n.csv", "a,b\n1,2\n"), "n.csv: the column term_id is missing"),
    (
        written("n.csv", "term_id,name,scope\nX:1,a,nickname\n"),
        "n.csv, row 2, column scope: 'nickname' is not one of label, exact, broad, narrow, related",
    ),
    (
        written("n.csv", "term_id,name,scope\nX:1,a,label\nX:1,b,label\n"),
        "n.csv, row 3: X:1 has two labels: 'a' (row 2) and 'b'",
    ),
    (written("n.csv", "term_id,name,scope\nX:,a,label\n"), "row 2: the term_id"),
    (
        written("n.csv", DRUGBANK.replace("DB00001", "DB00437")),
        "n.csv, row 3: DRUGBANK:DB00437 is defined twice, first at row 2",
    ),
    (written("n.csv", DRUGBANK.replace("Lepirudin", "")), "row 3: Common name is empty"),
]


@pytest.mark.parametrize(("make", "message"), sampled(BAD, 4))
def test_bad_input_is_refused_whole(
    make: Callable[[Path], Path], message: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    before = db.read_bytes()
    path = make(tmp_path)
    refused = exited(3, tracker("ingest", "vocabulary", path))
    assert message in refused.output
    # A header with other columns lacks several, and each unknown one is named.
    if path.name != "n.csv" or "unknown column" not in refused.output:
        assert len(refused.output.splitlines()) == 1
    assert db.read_bytes() == before


@pytest.mark.parametrize("name", ["chembl", "FDA", "two words", "-x", "", "a" * 65, "a\nb"])
def test_a_bad_name_is_refused(name: str, tracker: Tracker, db: Path, tmp_path: Path) -> None:
    before = db.read_bytes()
    exited(3, tracker("ingest", "vocabulary", obo(tmp_path / "d.obo"), f"--source={name}"))
    assert db.read_bytes() == before


def test_the_first_problems_are_listed_and_all_counted(tracker: Tracker, tmp_path: Path) -> None:
    stanzas = [f"[Term]\nid: X:{number}\nname: n\nxref: MESH:\n\n" for number in range(100)]
    path = obo(tmp_path / "d.obo", "data-version: 2026-01-15\n\n" + "".join(stanzas))
    lines = tracker("ingest", "vocabulary", path).output.splitlines()
    assert lines[0].startswith("error: d.obo, line 6: a cross-reference of X:0 names nothing")
    assert len(lines) == MAX_LISTED + 1
    assert lines[-1].endswith("and 80 more problems (100 in all)")


# The real files, counted again by other means.


def _obo_counts(path: Path) -> tuple[int, int, int]:
    """Count the terms, the distinct names and the distinct parents with regular expressions."""
    text = path.read_text(encoding="utf-8")
    blocks = [part for part in re.split(r"^\[", text, flags=re.M) if part.startswith("Term]")]
    n_names = n_parents = 0
    for block in blocks:
        synonyms = re.findall(r'^synonym: "((?:\\.|[^"\\])*)" (\w+)', block, re.M)
        n_names += 1 + len({(scope, " ".join(name.split())) for name, scope in synonyms})
        n_parents += len(set(re.findall(r"^is_a: (\S+)", block, re.M)))
    return len(blocks), n_names, n_parents


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "source", "day"),
    [
        ("HumanDO_2015.obo", "doid", date(2015, 5, 14)),
        ("DO_cancer_slim.obo", "DO_cancer_slim", date(2026, 7, 31)),
        ("DO_rare_slim.obo", "DO_rare_slim", date(2026, 7, 31)),
        ("DO_infectious_disease_slim.obo", "DO_infectious_disease_slim", date(2026, 7, 31)),
    ],
)
def test_the_real_disease_ontology(
    name: str, source: str, day: date, tracker: Tracker, db: Path, shared: Path
) -> None:
    path = shared / "vocabularies" / name
    ok(tracker("ingest", "vocabulary", path))
    assert release(db)[:3] == (source, day.isoformat(), day)
    counted = rows(db, "select n_terms, n_names, n_parents from vocabulary_release")
    assert counted == [_obo_counts(path)]
    assert rows(db, "select count(*) from vocabulary_term where label is null") == [(0,)]


@pytest.mark.slow
def test_the_areas_of_the_real_disease_ontology(tracker: Tracker, db: Path, shared: Path) -> None:
    """The seven classes below all diseases that do not only divide them, and the eleven of one
    that does, "disease of anatomical entity"; a later slim has none and changes nothing.
    """
    for name in ("HumanDO_2015.obo", "DO_rare_slim.obo"):
        ok(tracker("ingest", "vocabulary", shared / "vocabularies" / name))
    areas = dict(rows(db, "select distinct area_id, area from vocabulary_area"))
    assert len(areas) == 7 + 11
    assert areas["DOID:863"] == "nervous system disease"
    assert areas["DOID:630"] == "genetic disease"
    assert "DOID:7" not in areas
    asthma = rows(db, "select distinct source, area from vocabulary_area where term_id='DOID:2841'")
    assert asthma == [("doid", "respiratory system disease")]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["doid", "efo", "mesh"])
def test_the_real_mappings_of_mondo(target: str, tracker: Tracker, db: Path, shared: Path) -> None:
    path = shared / "vocabularies" / f"mondo_exactmatch_{target}.sssom.tsv"
    ok(tracker("ingest", "vocabulary", path))
    day = date(2026, 8, 4)
    assert release(db)[:3] == (path.name.partition(".")[0], day.isoformat(), day)
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    given = list(csv.DictReader(lines, delimiter="\t"))
    subjects = {row["subject_id"] for row in given}
    objects = {row["object_id"] for row in given if row.get("object_label")}
    assert rows(db, "select n_terms, n_mappings from vocabulary_release") == [
        (len(subjects | objects), len(given))
    ]
    prefixes = "select distinct split_part(object_id, ':', 1) from vocabulary_mapping"
    assert rows(db, prefixes) == [(target.upper(),)]


@pytest.mark.slow
def test_the_real_drugbank(tracker: Tracker, db: Path, shared: Path, tmp_path: Path) -> None:
    path = shared / "vocabularies" / "drugbank_vocabulary.csv"
    ok(tracker("ingest", "vocabulary", path, "--released", "2026-01-01"))
    with path.open(encoding="utf-8-sig", newline="") as handle:
        given = list(csv.DictReader(handle))
    n_names = len(given) + sum(
        len({" ".join(name.split()) for name in row["Synonyms"].split(" | ")} - {""})
        for row in given
    )
    counted = rows(db, "select n_terms, n_names, n_parents from vocabulary_release")
    assert counted == [(len(given), n_names, 0)]
    cut = tmp_path / "cut.csv"
    cut.write_bytes(path.read_bytes()[:1_000_003])
    refused = exited(3, tracker("ingest", "vocabulary", cut, "--released", "2026-01-01"))
    assert "cut.csv: its last line does not end; the file is cut short" in refused.output
