"""Ingesting FDA approvals: the Drugs@FDA zip, openFDA JSON, versions, refusals, the real files."""

import json
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from evidence import FDA_ROWS, drugs_at_fda, rows, write_json
from support import Tracker, ok, refused, sampled

SPONSOR = "Laboratoires \u201cÉlan\u201d"


def test_the_download(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    out = ok(tracker("ingest", "fda", drugs_at_fda(tmp_path / "d.zip"))).output
    assert "FDA 2019-07-02 (2019-07-02): 5 submissions and products" in out
    assert rows(
        db,
        "select application_number, submission_type, submission_number, submission_status, "
        "status_date, submission_class, sponsor_name from approval order by 1",
    ) == [
        ("000003", "SUPPL", "1", "AP", date(2018, 1, 1), "EFFICACY", None),
        ("ANDA000002", "SUPPL", "12", "TA", None, None, "B"),
        (
            "NDA000001",
            "ORIG",
            "1",
            "AP",
            date(2019, 5, 1),
            "EFFICACY",
            "Laboratoires \u201cÉlan\u201d",
        ),
    ]
    assert rows(
        db,
        "select application_number, folded_drug_name, n_ingredients, list(folded_name order by "
        "position) from approval_product join product_ingredient using (product_id) "
        "group by all order by 1",
    ) == [
        ("ANDA000002", "plainora", 1, ["aspirin"]),
        ("NDA000001", "mixora", 2, ["aspirin", "caféine"]),
    ]


@pytest.mark.slow
def test_only_changes_are_stored(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    ok(tracker("ingest", "fda", drugs_at_fda(tmp_path / "a.zip")))
    ok(tracker("ingest", "fda", drugs_at_fda(tmp_path / "a.zip")))
    submissions = FDA_ROWS["Submissions.txt"]
    approved = submissions[1].replace("TA\t", "AP\t2020-02-02 00:00:00")
    later = drugs_at_fda(tmp_path / "b.zip", {"Submissions.txt": [submissions[0], approved]}, 2020)
    assert "1 new or changed, 1 vanished" in ok(tracker("ingest", "fda", later)).output
    assert rows(
        db, "select release_id, submission_status from approval where submission_number = '12'"
    ) == [(1, "TA"), (2, "AP")]
    assert rows(db, "select kind, record_key, is_present from record_presence") == [
        ("submission", "000003/SUPPL/1", False)
    ]


def _openfda(path: Path, total: int = 1, **changes: Any) -> Path:
    submission = {
        "submission_type": "ORIG",
        "submission_number": "1",
        "submission_status": "AP",
        "submission_status_date": "20190501",
        "submission_class_code": "EFFICACY",
    }
    product = {
        "product_number": "001",
        "brand_name": "Mixora",
        "active_ingredients": [{"name": "ASPIRIN"}, {"name": "CAFÉINE"}],
    }
    record = {
        "application_number": "NDA000001",
        "sponsor_name": SPONSOR,
        "submissions": [{**submission, **changes.pop("submission", {})}],
        "products": [product],
    }
    meta = {"last_updated": "2020-11-04", "results": {"skip": 0, "limit": total, "total": total}}
    return write_json(path, {"meta": meta, "results": [{**record, **changes}]})


@pytest.mark.slow
@pytest.mark.parametrize(("total", "vanished"), [(1, 3), (26015, 0)])
def test_openfda_continues_the_download(
    total: int, vanished: int, tracker: Tracker, tmp_path: Path
) -> None:
    """The same record in the other form is unchanged; only a complete file makes others vanish."""
    ok(tracker("ingest", "fda", drugs_at_fda(tmp_path / "a.zip")))
    with zipfile.ZipFile(tmp_path / "o.json.zip", "w") as archive:
        archive.write(_openfda(tmp_path / "o.json", total), "drug-drugsfda-0001-of-0001.json")
    out = ok(tracker("ingest", "fda", tmp_path / "o.json.zip")).output
    assert (
        f"FDA 2020-11-04 (2020-11-04): 2 submissions and products, 0 new or changed, {vanished}"
        in out
    )


def _change(name: str, lines: list[str] | None) -> Callable[[Path], Path]:
    return lambda folder: drugs_at_fda(folder / "d.zip", {name: lines})


def _cut_json(folder: Path) -> Path:
    path = _openfda(folder / "o.json")
    path.write_text(path.read_text()[:200])
    return path


def _other_zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("notes.txt", "words")
    return folder / "x.zip"


def _undated(folder: Path) -> Path:
    path = _openfda(folder / "o.json")
    document = json.loads(path.read_text())
    del document["meta"]
    return write_json(path, {**document, "meta": {}})


LINE = "000001\t2\tORIG\t1\tAP\t2019-13-01 00:00:00\t\t"
BAD: list[tuple[Callable[[Path], Path], str]] = [
    (_change("Products.txt", None), "d.zip: contains no Products.txt"),
    (_change("Submissions.txt", [LINE]), "d.zip, Submissions.txt, line 2: '2019-13-01' is not a"),
    (_change("Submissions.txt", ["000001\t2"]), "Submissions.txt, line 2: has 2 fields where"),
    (
        _change("Submissions.txt", FDA_ROWS["Submissions.txt"][:1] * 2),
        "Submissions.txt, line 3: NDA000001 ORIG 1 occurs twice",
    ),
    (_change("Submissions.txt", []), "d.zip: contains no submission"),
    (_other_zip, "x.zip: contains neither Submissions.txt (Drugs@FDA) nor openFDA JSON"),
    (_cut_json, "o.json: is not JSON at line 1, column "),
    (_undated, "o.json: does not state its date; give --released"),
    (
        lambda folder: _openfda(folder / "o.json", application_number=None),
        "o.json, result 1: has no application number",
    ),
    (
        lambda folder: _openfda(folder / "o.json", submission={"submission_status_date": "2019"}),
        "o.json, result 1, NDA000001, ORIG 1: '2019' is not a date",
    ),
    (lambda folder: write_json(folder / "o.json", []), "o.json: is not openFDA JSON"),
    (
        lambda folder: _openfda(folder / "o.json", submissions=3),
        "o.json, result 1, NDA000001, submissions: 3 is not a list of objects",
    ),
    (
        lambda folder: _openfda(folder / "o.json", submission={"submission_status": ["AP"]}),
        "o.json, result 1, NDA000001, ORIG 1, submission_status: ['AP'] is not text",
    ),
    (
        lambda folder: _openfda(
            folder / "o.json", submission={"submission_status_date": "2019-W01-1"}
        ),
        "'2019-W01-1' is not a date",
    ),
    (
        lambda folder: _openfda(folder / "o.json", sponsor_name="\ud800"),
        "contains an incomplete character",
    ),
    (lambda folder: folder / "absent.zip", "absent.zip: no such file"),
]


@pytest.mark.parametrize(("make", "message"), sampled(BAD, 4))
def test_bad_input_is_refused_in_one_line(
    make: Callable[[Path], Path], message: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    refused(tracker, db, "ingest", "fda", make(tmp_path), message=message)


@pytest.mark.slow
def test_the_real_download_of_2019(tracker: Tracker, db: Path, shared: Path) -> None:
    path = shared / "fda" / "drugsatfda.zip"
    ok(tracker("ingest", "fda", path))
    with zipfile.ZipFile(path) as archive:
        lines = {
            name: archive.read(name).decode("cp1252").count("\r\n") - 1
            for name in ("Submissions.txt", "Products.txt")
        }
    assert lines == {"Submissions.txt": 156_942, "Products.txt": 39_473}
    assert rows(db, "select count(*) from approval") == [(lines["Submissions.txt"],)]
    assert rows(db, "select count(*) from approval_product") == [(lines["Products.txt"],)]
    pitavastatin = "select count(*) from approval_product where application_number like '%206029'"
    assert rows(db, pitavastatin) == [(3,)]
    for day in ("2022-11-04", "2023-05-12", "2023-11-15"):
        ok(tracker("ingest", "fda", shared / "fda" / f"drugsatfda_{day}.json"))
    assert rows(db, "select count(*) from record_presence") == [(0,)]
