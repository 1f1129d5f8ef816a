"""Ingesting EMA's table of medicines: spreadsheet and JSON, versions, refusals, the real files."""

import json
import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from evidence import EMA_HEADER, EMA_TITLES, ema, ema_json, line_of, medicine, rows, write_json
from support import Tracker, exited, ok, refused, sampled

from tracker.files import spreadsheet

KINDS = [
    medicine(1, areas="Ostrava Fever;Marlow Syndrome; Ostrava  fever"),
    medicine(2, generic="Yes"),
    medicine(3, biosimilar="Yes"),
    medicine(4, category="Veterinary"),
    medicine(5, inn="corotinib;belantrine", substance="corotinib;Belantrine maleate"),
    medicine(6, inn=None, substance="corotinib / belantrine"),
    medicine(7, areas=None),
    medicine(8, status="Opinion", authorised=None),
]


def test_the_spreadsheet(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    out = line_of(tracker("ingest", "ema", ema(tmp_path / "m.xlsx", KINDS)))
    assert "EMA 2024-08-22 (2024-08-22): 8 medicines, 8 new or changed, 0 vanished" in out
    assert (
        "7 new or changed medicines make no event: 2 of several substances, 1 biosimilar, "
        "1 generic or hybrid, 1 veterinary, 1 without a dated decision, 1 without a therapeutic "
        "area"
    ) in out
    assert rows(
        db,
        "select source_key, product_number, category, name, status, inn, active_substance, "
        "n_substances, is_generic, is_biosimilar, indication, authorised_on, refused_on, url "
        "from medicine where medicine_id = 1",
    ) == [
        (
            "m.xlsx, row 10",
            "EMEA/H/C/000001",
            "human",
            "Corora 1",
            "Authorised",
            "corotinib",
            "Corotinib mesilate",
            1,
            False,
            False,
            # The no-break space of HTML is a blank, as in every name.
            "Corora is indicated for ostrava fever.",
            date(2010, 3, 2),
            None,
            "https://www.ema.europa.eu/en/medicines/human/EPAR/corora-1",
        )
    ]
    assert rows(
        db, "select position, name, folded_name from medicine_area where medicine_id = 1"
    ) == [(1, "Ostrava Fever", "ostrava fever"), (2, "Marlow Syndrome", "marlow syndrome")]
    assert rows(
        db,
        "select product_number, n_substances, list(folded_name order by position) from medicine "
        "join medicine_substance using (medicine_id) where medicine_id in (1, 5, 6) group by all "
        "order by 1",
    ) == [
        ("EMEA/H/C/000001", 1, ["corotinib", "corotinib mesilate"]),
        ("EMEA/H/C/000005", 2, ["corotinib", "belantrine"]),
        ("EMEA/H/C/000006", 2, ["corotinib", "belantrine"]),
    ]


@pytest.mark.slow
def test_only_changes_are_stored(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """The same content adds nothing, in either form; a product may vanish and return."""
    first = ema(tmp_path / "a.xlsx", [medicine(1), medicine(2)])
    ok(tracker("ingest", "ema", first))
    assert "already in the store; nothing was added" in line_of(tracker("ingest", "ema", first))
    same = ema_json(tmp_path / "b.json", [medicine(2), medicine(1)], "2024-08-23T18:00:00Z")
    assert "2 medicines, 0 new or changed, 0 vanished" in line_of(tracker("ingest", "ema", same))
    changed = medicine(2, status="Withdrawn", ended="01/09/2024")
    later = ema(tmp_path / "c.xlsx", [changed], "02/09/2024 - 15:06")
    assert "1 new or changed, 1 vanished, 0 returned" in line_of(tracker("ingest", "ema", later))
    back = ema(tmp_path / "d.xlsx", [changed, medicine(1)], "03/09/2024 - 15:06")
    assert "0 new or changed, 0 vanished, 1 returned" in line_of(tracker("ingest", "ema", back))
    assert rows(
        db, "select medicine_id, release_id, product_number, status from medicine order by 1"
    ) == [
        (1, 1, "EMEA/H/C/000001", "Authorised"),
        (2, 1, "EMEA/H/C/000002", "Authorised"),
        (3, 3, "EMEA/H/C/000002", "Withdrawn"),
    ]
    assert rows(db, "select release_id, kind, record_key, is_present from record_presence") == [
        (3, "medicine", "EMEA/H/C/000001", False),
        (4, "medicine", "EMEA/H/C/000001", True),
    ]
    assert rows(db, "select kind, record, before from evidence_correction") == [
        ("medicine vanished", "EMEA/H/C/000001", "present")
    ]


@pytest.mark.slow
def test_a_part_of_the_table_says_nothing_of_the_rest(tracker: Tracker, tmp_path: Path) -> None:
    ok(tracker("ingest", "ema", ema(tmp_path / "a.xlsx", [medicine(1), medicine(2)])))
    part = ema_json(tmp_path / "b.json", [medicine(1)], "2024-09-01T00:00:00Z", total=2)
    assert "1 medicines, 0 new or changed, 0 vanished" in line_of(tracker("ingest", "ema", part))


@pytest.mark.slow
def test_several_tables_come_in_the_order_of_their_dates(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    paths = [
        ema(tmp_path / "a.xlsx", [medicine(1, name="C")], "03/03/2025 - 10:00"),
        ema(tmp_path / "b-2025-02-02.xlsx", [medicine(1, name="B")], None),
        # Of one day by their names.
        ema(tmp_path / "d.xlsx", [medicine(1, name="A2")], "01/01/2025 - 10:00"),
        ema_json(tmp_path / "c.json", [medicine(1, name="A")], "2025-01-01T06:00:00Z"),
    ]
    ok(tracker("ingest", "ema", *paths))
    assert rows(db, "select release_id, origin from release order by 1") == [
        (1, "c.json"),
        (2, "d.xlsx"),
        (3, "b-2025-02-02.xlsx"),
        (4, "a.xlsx"),
    ]
    assert rows(db, "select release_id, name from medicine order by 1") == [
        (1, "A"),
        (2, "A2"),
        (3, "B"),
        (4, "C"),
    ]
    refused = exited(3, tracker("ingest", "ema", *paths, "--released", "2025-01-01"))
    assert "one release date cannot be that of several files" in refused.output


@pytest.mark.slow
def test_the_date_of_a_release(tracker: Tracker, tmp_path: Path) -> None:
    undated = ema(tmp_path / "m.xlsx", stated=None)
    refused = tracker("ingest", "ema", undated)
    assert (refused.exit_code, refused.stderr) == (
        3,
        "error: m.xlsx: does not state its date; give --released\n",
    )
    given = tracker("ingest", "ema", undated, "--released", "2024-01-02")
    assert "EMA 2024-01-02 (2024-01-02): 1 medicines" in line_of(given)
    older = tracker("ingest", "ema", ema(tmp_path / "older.xlsx", stated="01/01/2024 - 10:00"))
    assert "older than the ema release of 2024-01-02 in the store" in older.output
    future = tracker("ingest", "ema", ema(tmp_path / "f.xlsx", stated="01/01/2999 - 10:00"))
    assert "the release date 2999-01-01 is in the future" in future.output


@pytest.mark.slow
def test_cells_of_other_types(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """A date may be one of Excel, a name a number; what is no address of EMA is none."""
    odd = medicine(
        1, name=7, authorised=datetime(2011, 4, 5), url="javascript:alert(1)", generic=None
    )
    ok(tracker("ingest", "ema", ema(tmp_path / "m.xlsx", [odd])))
    assert rows(db, "select name, authorised_on, url, is_generic from medicine") == [
        ("7", date(2011, 4, 5), None, False)
    ]


@pytest.mark.slow
def test_a_column_has_had_other_names(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    path = ema_json(tmp_path / "m.json", [medicine(1, generic="Yes")])
    path.write_text(path.read_text().replace('"generic_or_hybrid"', '"generic"'))
    ok(tracker("ingest", "ema", path))
    assert rows(db, "select inn, is_generic from medicine") == [("corotinib", True)]


def _with(**cells: object) -> Callable[[Path], Path]:
    return lambda folder: ema(folder / "m.xlsx", [medicine(), medicine(2, **cells)])


def _without(title: str) -> Callable[[Path], Path]:
    return lambda folder: ema(folder / "m.xlsx", header=[t for t in EMA_HEADER if t != title])


def _json(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = ema_json(folder / "m.json")
        document = json.loads(path.read_text())
        change(document)
        return write_json(path, document)

    return make


def _parts(change: Callable[[dict[str, bytes]], object]) -> Callable[[Path], Path]:
    """Return what makes a workbook whose parts are changed."""

    def make(folder: Path) -> Path:
        path = ema(folder / "m.xlsx")
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        change(parts)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        return path

    return make


SHEET = "xl/worksheets/sheet1.xml"


def _sheet(pattern: bytes, text: bytes) -> Callable[[Path], Path]:
    return _parts(lambda parts: parts.update({SHEET: re.sub(pattern, text, parts[SHEET], count=1)}))


def _cut(folder: Path) -> Path:
    path = ema(folder / "m.xlsx")
    path.write_bytes(path.read_bytes()[:-300])
    return path


def _other_zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "m.xlsx", "w") as archive:
        archive.writestr("notes.txt", "words")
    return folder / "m.xlsx"


def _text(content: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / "m.json").write_text(content)
        return folder / "m.json"

    return make


ENTITIES = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
ROW = b'<row r="11"><c r="A11" t="inlineStr"><is><t>x</t></is></c></row></sheetData>'
LONG = ROW.replace(b"<t>x</t>", b"<t>" + b"x" * 40_000 + b"</t>")
BAD: list[tuple[Callable[[Path], Path], str]] = [
    (_with(authorised="31/02/2020"), "m.xlsx, row 11, Marketing authorisation date: '31/02/2020'"),
    (
        _with(refused="soon"),
        "row 11, Refusal of marketing authorisation date: 'soon' is not a date",
    ),
    (_with(category="Herbal"), "m.xlsx, row 11, Category: 'Herbal' is not Human or Veterinary"),
    (_with(category=None), "m.xlsx, row 11, Category: null is not Human or Veterinary"),
    (_with(generic="Perhaps"), "m.xlsx, row 11, Generic or hybrid: 'Perhaps' is not Yes or No"),
    (_with(number=None), "m.xlsx, row 11, EMA product number: is empty"),
    (_with(name=" "), "m.xlsx, row 11, Name of medicine: is empty"),
    (_with(number="EMEA/H/C/000001"), "m.xlsx, row 11: EMEA/H/C/000001 occurs twice"),
    (_without("Biosimilar"), "m.xlsx, row 9: the column biosimilar is missing"),
    (
        lambda folder: ema(folder / "m.xlsx", header=[*EMA_HEADER, "Biosimilar "]),
        "m.xlsx, row 9: the column biosimilar occurs twice",
    ),
    (_without("EMA product number"), "m.xlsx: is not EMA's table: no header has 'EMA product"),
    (_sheet(rb"(?s)<row r=\"10\".*?</row>", b""), "m.xlsx: contains no medicine"),
    (_cut, "m.xlsx: is not a zip, or is cut short"),
    (_other_zip, "m.xlsx: is a zip, but not an Excel workbook (.xlsx)"),
    (_parts(lambda parts: parts.pop(SHEET)), "m.xlsx: the workbook has no sheet"),
    (_sheet(rb"</sheetData>", b"</data>"), "m.xlsx: is not a workbook that can be read"),
    (_sheet(rb"^", ENTITIES), f"m.xlsx: {SHEET} declares entities"),
    (
        _parts(lambda p: p.update({SHEET: p[SHEET].decode().encode("utf-16")})),
        f"m.xlsx: {SHEET} is not UTF-8",
    ),
    (_sheet(rb"</sheetData>", LONG), "m.xlsx, row 11, column A: has 40,000 characters; a cell has"),
    (
        _sheet(rb"</sheetData>", ROW.replace(b"11", b"1048576")),
        "m.xlsx: the sheet has more than 100,000 rows",
    ),
    (
        _parts(lambda parts: parts.update({"xl/media/a.bin": b"0" * 30_000_000})),
        "m.xlsx: xl/media/a.bin inflates 1,0",
    ),
    (_json(lambda document: document.pop("data")), "m.json: is neither EMA's spreadsheet nor its"),
    (
        _json(lambda document: document["data"][0].pop("biosimilar")),
        "m.json, record 1: the field biosimilar is missing",
    ),
    (
        _json(lambda document: document["data"][0].update(medicine_status=1)),
        "m.json, record 1, medicine_status: 1 is not text",
    ),
    (
        _json(lambda document: document["data"].append("x")),
        "m.json, record 2: 'x' is not an object of named fields",
    ),
    (
        _json(lambda document: document["data"][0].update(therapeutic_indication="x" * 40_000)),
        "m.json, record 1, therapeutic_indication: has 40,000 characters",
    ),
    (
        _json(lambda document: document["meta"].update(timestamp="yesterday")),
        "m.json: does not state its date; give --released",
    ),
    (_json(lambda document: document.pop("meta")), "m.json: does not state its date"),
    (_text('{"data": ['), "m.json: is not JSON at line 1, column 11"),
    (_text("[]"), "m.json: is neither EMA's spreadsheet nor its JSON: it has no data"),
    (lambda folder: folder / "absent.xlsx", "absent.xlsx: no such file"),
]


@pytest.mark.parametrize(("make", "message"), sampled(BAD, 8))
def test_bad_input_is_refused_in_one_line(
    make: Callable[[Path], Path], message: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    refused(tracker, db, "ingest", "ema", make(tmp_path), message=message)


def test_a_cell_far_away_costs_nothing(tmp_path: Path) -> None:
    """No rectangle is made between two cells: columns beyond the bound are not read."""
    far = ROW.replace(b"A11", b"XFD11")
    path = _sheet(rb"</sheetData>", far)(tmp_path)
    found = list(spreadsheet.rows(path))
    assert [number for number, _ in found] == list(range(1, 12))
    assert {len(cells) for _, cells in found} == {spreadsheet.MAX_COLUMNS}
    assert all(cell is None for cell in found[-1][1])


def test_every_problem_is_told(tracker: Tracker, tmp_path: Path) -> None:
    path = ema(
        tmp_path / "m.xlsx", [medicine(1, number=None, authorised="x"), medicine(2, name="")]
    )
    assert tracker("ingest", "ema", path).stderr.splitlines() == [
        "error: m.xlsx, row 10, EMA product number: is empty",
        "m.xlsx, row 10, Marketing authorisation date: 'x' is not a date (DD/MM/YYYY)",
        "m.xlsx, row 11, Name of medicine: is empty",
    ]


def _real(shared: Path) -> Sequence[Path]:
    paths = sorted((shared / "ema").glob("*.xlsx"))
    if len(paths) < 2:
        pytest.skip("EMA's tables are not here")
    return paths


@pytest.mark.slow
def test_the_real_tables(tracker: Tracker, db: Path, shared: Path, tmp_path: Path) -> None:
    """Every product once a version, every authorised pair with its date, no event of a generic."""
    paths = _real(shared)
    (tmp_path / "c.csv").write_text(
        "disease_name,drug_name,score\n"
        '"Diabetes Mellitus, Type 2",semaglutide,0.9\n'
        "Obesity,semaglutide,0.8\n"
        "Polycythemia Vera,peginterferon alfa-2a,0.7\n"
        "Behcet Syndrome,apremilast,0.6\n"
        "HIV Infections,efavirenz,0.5\n"
        '"Arthritis, Rheumatoid",adalimumab,0.4\n'
    )
    ok(tracker("load", "candidates", tmp_path / "c.csv", "--set", "c", "--model", "m"))
    out = line_of(tracker("ingest", "ema", *reversed(paths)))
    assert "EMA 2024-08-22 (2024-08-22): 2,433 medicines, 2,433 new or changed" in out
    assert "346 generic or hybrid, 337 veterinary" in out
    assert "EMA 2025-03-24 (2025-03-24): 2,515 medicines, 461 new or changed, 6 vanished" in out
    ok(tracker("refresh", "detect"))
    assert rows(
        db,
        "select category, count(*), count(*) filter (where is_generic), "
        "count(*) filter (where is_biosimilar) from medicine where release_id = 1 group by all "
        "order by 1",
    ) == [("human", 2096, 346, 120), ("veterinary", 337, 26, 0)]
    left_out = (
        "select count(*) from event join medicine on record = product_number "
        "where is_generic or is_biosimilar or category <> 'human' or n_substances <> 1"
    )
    assert rows(db, left_out) == [(0,)]
    undated = (
        "select count(*) from event where event_type = 'ema_authorised' and (event_date is null "
        "or public_by is distinct from event_date or phase <> 4)"
    )
    assert rows(db, undated) == [(0,)]
    # Of the six medicines that got areas in between, Pegasys alone got a new text as well.
    extension = (
        "select drug.name, disease.name, public_after, public_by from event "
        "join drug using (drug_id) join disease using (disease_id) "
        "where event_type = 'ema_authorised' and public_by - public_after > 1"
    )
    assert rows(db, extension) == [
        ("peginterferon alfa-2a", "Polycythemia Vera", date(2024, 8, 22), date(2025, 3, 24))
    ]
    assert rows(
        db,
        "select drug.name, event_date, detail ->> 'name' from event join drug using (drug_id) "
        "join disease using (disease_id) where event_type = 'ema_authorised' "
        "and disease.name in ('Obesity', 'Behcet Syndrome') order by 1",
    ) == [
        ("apremilast", date(2015, 1, 15), "Otezla"),
        ("semaglutide", date(2022, 1, 6), "Wegovy"),
    ]


def test_titles_are_those_of_the_header() -> None:
    assert set(EMA_TITLES.values()) <= set(EMA_HEADER)
