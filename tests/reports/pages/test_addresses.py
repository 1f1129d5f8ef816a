"""Records and identifiers link to where they can be looked up, whatever else a text has."""

import re

import pytest
from markupsafe import escape

from tracker.reports.pages import addresses
from tracker.reports.pages.addresses import linked

FDA = "https://www.accessdata.fda.gov/scripts/cder/daf/index.cfm?event=overview.process&ApplNo="


@pytest.mark.parametrize(
    ("word", "address"),
    [
        ("NCT01234567", "https://clinicaltrials.gov/study/NCT01234567"),
        ("CHEMBL25", "https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL25"),
        ("NDA021436/SUPPL/38", f"{FDA}021436"),
        ("ANDA012345", f"{FDA}012345"),
        ("BLA125057/ORIG/1", f"{FDA}125057"),
        ("EFO:0000270", "https://bioregistry.io/EFO:0000270"),
        ("MESH:D001249", "https://bioregistry.io/MESH:D001249"),
    ],
)
def test_a_record_is_a_link_to_its_source(word: str, address: str) -> None:
    link = f'<a href="{escape(address)}">{word}</a>'
    assert linked(word) == link
    assert linked(f"first seen: {word}, then <b>") == f"first seen: {link}, then &lt;b&gt;"
    assert linked(f"{word} and ({word})") == f"{link} and ({link})"


@pytest.mark.parametrize(
    "text",
    [
        "NCT1234567",
        "NCT012345678",
        "xNCT01234567",
        "NCT01234567x",
        "CHEMBL",
        "CHEMBL25-A",
        "EFO:",
        "FOO:0000270",
        "NDA21436",
        "efo:0000270",
        "https://x.example/NCT01234567",
        "<a href='NCT'>",
        '"onmouseover="x',
        "& < > \"'",
        "",
        "NCT0123456\u0667",
        "EFO:1/../x",
    ],
)
def test_anything_else_is_escaped_text(text: str) -> None:
    assert linked(text) == escape(text)


def test_no_text_leaves_a_link_or_opens_one() -> None:
    hostile = "NCT01234567\"><script>alert(1)</script> CHEMBL25'onclick='x EFO:0000270&amp;"
    shown = str(linked(hostile))
    assert re.findall(r"<(/?\w+)", shown) == ["a", "/a"] * 3
    without = re.sub(r'<a href="[^"]*">([^<]*)</a>', r"\1", shown)
    assert without == str(escape(hostile))


@pytest.mark.parametrize(
    ("source", "record", "identifier", "address"),
    [
        ("ctgov", "NCT00000102", "CHEMBL25", "https://clinicaltrials.gov/study/NCT00000102"),
        ("chembl", "22606", "CHEMBL25", "https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL25"),
        ("chembl", "22606", "aspirin", None),
        (
            "fda",
            "NDA021938",
            "CHEMBL25",
            "https://www.accessdata.fda.gov/scripts/cder/daf/index.cfm"
            "?event=overview.process&ApplNo=021938",
        ),
        ("registry", "row 7", "CHEMBL25", None),
        (None, None, "CHEMBL25", None),
    ],
)
def test_a_hit_has_the_address_of_its_record(
    source: str | None, record: str | None, identifier: str, address: str | None
) -> None:
    hit = {"hit_source": source, "hit_record": record, "drug_identifier": identifier}
    assert addresses.of_hit(hit) == address
