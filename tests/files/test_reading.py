"""Tables as other programs write them: read, or refused in a line that says what they are."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evidence import write_json
from support import sampled

import tracker
from tracker.errors import InputRefused, ProblemsFound
from tracker.slates.shared_ids import CHOICES

INDEX = "save the table without its index (index=False in pandas)"

PAIR = {"disease_name": ["Ostrava fever"], "drug_name": ["corotinib"]}
CANDIDATES = pd.DataFrame(PAIR | {"score": [0.9]})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            ",disease_name,drug_name,score\n0,Ostrava fever,corotinib,0.9\n",
            f"c.csv, row 1: column 1 has no name; {INDEX} (--allow-extra ignores it)",
        ),
        (
            "Unnamed: 0,disease_name,drug_name,score\n0,Ostrava fever,corotinib,0.9\n",
            f"c.csv, row 1: column 1 has no name; {INDEX} (--allow-extra ignores it)",
        ),
        (
            "disease_name,drug_name,score,\nOstrava fever,corotinib,0.9,\n",
            "c.csv, row 1: column 4, the last, has no name; delete the empty column at the end "
            "(--allow-extra ignores it)",
        ),
        (
            "disease_name,drug_name,score,,\nOstrava fever,corotinib,0.9,,\n",
            "c.csv, row 1: the last 2 columns have no name; delete the empty columns at the end "
            "(--allow-extra ignores them)",
        ),
    ],
)
def test_a_column_without_a_name_is_explained_or_ignored(
    text: str, expected: str, db: Path
) -> None:
    path = db.with_name("c.csv")
    path.write_text(text)
    with tracker.open(db, write=True) as opened:
        with pytest.raises(ProblemsFound) as refused:
            opened.load.candidates(path, "c", "m")
        assert str(refused.value) == expected
        assert opened.load.candidates(path, "c", "m", allow_extra=True).n_added == 1


@pytest.mark.slow
def test_a_column_without_a_name_is_no_target_of_a_benchmark(db: Path) -> None:
    truth = pd.DataFrame({"item": ["a", "b"], "y": [1.0, 2.0]})
    path = db.with_name("t.csv")
    with tracker.open(db, write=True) as opened:
        for written in (truth, pd.DataFrame({"Unnamed: 0": [0, 1], "item": ["a", "b"], "y": 1.0})):
            written.to_csv(path, index=written is truth)
            with pytest.raises(ProblemsFound, match=r"t\.csv, row 1: column 1 has no name"):
                opened.benchmark.define("b", truth=path, kind="regression")
        opened.benchmark.define("b", truth=truth, kind="regression")
        path.write_text("item,y,\na,1,\nb,2,\n")
        with pytest.raises(ProblemsFound, match="the last, has no name; delete the empty column"):
            opened.benchmark.submit("b", path, submitter="x", track="test")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "\ufeffdisease_name;drug_name;score\nOstrava fever;corotinib;0,91\n",
            "the fields are separated by semicolons and decimals by commas; separate the fields by "
            "commas and write decimals with points",
        ),
        (
            "disease_name;drug_name;score\nOstrava fever;corotinib;0.91\n",
            "the fields are separated by semicolons; separate the fields by commas",
        ),
        (
            "disease_name\tdrug_name\tscore\nOstrava fever\tcorotinib\t0.91\n",
            "the fields are separated by tabs; name the file .tsv, or separate the fields by "
            "commas",
        ),
        (
            "disease_name|drug_name|score\nOstrava fever|corotinib|0.91\n",
            "the fields are separated by vertical bars; separate the fields by commas",
        ),
        ("sep=;\ndisease_name;drug_name;score\n", "is Excel's mark of the separator"),
    ],
)
def test_another_separator_is_named(text: str, expected: str, db: Path) -> None:
    path = db.with_name("c.csv")
    path.write_text(text, encoding="utf-8")
    with tracker.open(db, write=True) as opened, pytest.raises(InputRefused) as refused:
        opened.load.candidates(path, "c", "m", allow_extra=True)
    assert str(refused.value).startswith(f"c.csv, row 1: {expected}")


DAYS = [datetime(2024, 11, 2), None]


def outcomes(days: Any) -> pd.DataFrame:
    """Return two events of the pair, of these days."""
    frame = pd.DataFrame(PAIR | {"source": ["a list"]}).loc[[0, 0]].reset_index(drop=True)
    frame["outcome_type"] = ["first_trial_seen", "phase_advanced"]
    frame["event_date"] = days
    return frame


def _parquet(unit: str) -> Callable[[pd.DataFrame, Path], Any]:
    def written(frame: pd.DataFrame, folder: Path) -> Path:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        column = pa.array(DAYS, pa.timestamp(unit))
        pq.write_table(table.set_column(4, "event_date", column), folder / "o.parquet")
        return folder / "o.parquet"

    return written


def _csv(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_csv(folder / "o.csv", index=False, date_format="%Y-%m-%d %H:%M:%S")
    return folder / "o.csv"


def _lines(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_json(folder / "o.jsonl", orient="records", lines=True, date_format="iso")
    return folder / "o.jsonl"


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    sampled(
        [
            lambda frame, _: frame,
            lambda frame, _: pl.from_pandas(frame),
            lambda frame, _: pa.Table.from_pandas(frame, preserve_index=False),
            *map(_parquet, ("s", "ms", "us", "ns")),
            _csv,
            _lines,
        ],
        3,
    ),
)
def test_a_midnight_without_a_zone_is_its_day(
    given: Callable[[pd.DataFrame, Path], Any], db: Path
) -> None:
    data = given(outcomes(pd.to_datetime(pd.Series(DAYS))), db.parent)
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(CANDIDATES, "c", "m")
        assert opened.load.outcomes(data).n_added == 2
        found = opened.sql("select event_date from event order by event_date")["event_date"]
    assert pd.Timestamp(found.iloc[0]).date() == date(2024, 11, 2)
    assert pd.isna(found.iloc[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("days", "shown"),
    [
        ([datetime(2024, 11, 2), datetime(2024, 11, 2, 10)], "2024-11-02 10:00:00"),
        (
            [datetime(2024, 11, 2, tzinfo=UTC), datetime(2024, 11, 2, tzinfo=UTC)],
            "2024-11-02 00:00:00+00",
        ),
    ],
)
def test_an_instant_is_no_day(days: list[datetime], shown: str, db: Path) -> None:
    frame = outcomes(days).set_index(pd.Index(["first", "second"]))
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(CANDIDATES, "c", "m")
        with pytest.raises(ProblemsFound) as refused:
            opened.load.outcomes(frame)
    assert refused.value.problems[-1] == (
        f"outcomes (data frame), index second, column event_date: '{shown}' is an instant, not a "
        "date; give the day alone (YYYY-MM-DD)"
    )


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (
            "ctg-studies.csv",
            "NCT Number,Study Title,Study URL,Study Status\nNCT00000001,A,B,COMPLETED\n",
            "is the registry's table (CSV)",
        ),
        (
            "ctg-studies.jsonl",
            "\N{BYTE ORDER MARK}NCT Number,Study Title\nNCT00000001,A\n",
            "is the registry's table (CSV)",
        ),
        (
            "NCT00000001.xml",
            '<?xml version="1.0" encoding="UTF-8"?>\n<clinical_study rank="1">\n',
            "is XML, the registry's former form",
        ),
        ("old.json", '{"FullStudiesResponse": {}}', "is an answer of the registry's former API"),
    ],
)
def test_other_downloads_of_the_registry_are_named(
    name: str, content: str, expected: str, db: Path
) -> None:
    path = db.with_name(name)
    path.write_text(content)
    with tracker.open(db, write=True) as opened, pytest.raises(InputRefused) as refused:
        opened.ingest.trials(path)
    assert str(refused.value) == (
        f"{name}: {expected}; download the studies as JSON, from the registry's site or its API "
        "version 2"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234567\n",
            "is a Git LFS pointer, not the data; run git lfs pull",
        ),
        (
            b"\xef\xbb\xbf\n<!-- x -->\n<!DOCTYPE html><title>Log in</title>",
            "is a web page (HTML), not the data, as a login or an error page is; download the file "
            "itself",
        ),
    ],
)
def test_what_stands_in_for_data_is_named_by_every_reader(
    content: bytes, expected: str, db: Path
) -> None:
    with tracker.open(db, write=True) as opened:
        readers: dict[str, Callable[[Path], object]] = {
            "c.csv": lambda path: opened.load.candidates(path, "c", "m"),
            "c.csv.gz": lambda path: opened.load.candidates(path, "c", "m"),
            "c.parquet": lambda path: opened.load.candidates(path, "c", "m"),
            "l.tsv": lambda path: opened.load.labels(path, "l"),
            "o.jsonl": opened.load.outcomes,
            "a.csv": opened.load.aliases,
            "chembl_36.db": opened.ingest.chembl,
            "chembl_36_sqlite.tar.gz": opened.ingest.chembl,
            "trials-2026-02-15.jsonl": opened.ingest.trials,
            "trials.zip": opened.ingest.trials,
            "drugsatfda.zip": opened.ingest.fda,
            "ema.xlsx": opened.ingest.ema,
            "doid.obo": opened.ingest.vocabulary,
            "mesh.xml.gz": opened.ingest.vocabulary,
        }
        for name, read in readers.items():
            path = db.with_name(name)
            path.write_bytes(content)
            with pytest.raises(InputRefused) as refused:
                read(path)
            assert str(refused.value) == f"{name}: {expected}"


def test_the_index_that_pandas_writes_to_parquet_is_no_column(db: Path) -> None:
    path = db.with_name("c.parquet")
    CANDIDATES.set_index(pd.Index(["x"])).to_parquet(path)
    assert "__index_level_0__" in pq.read_schema(path).names
    with tracker.open(db, write=True) as opened:
        assert opened.load.candidates(path, "c", "m").n_added == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# made by a pipeline\ndisease_name,drug_name,score\ngout,a,1\n",
            "is a comment, not a header; delete the lines that begin with #",
        ),
        (
            '"disease\nname",drug_name,score\ngout,a,1\n',
            "the name of a column is broken into two lines, or its quotation mark is never closed; "
            "write the header in one line",
        ),
    ],
)
def test_a_first_line_that_is_no_header_is_named(text: str, expected: str, db: Path) -> None:
    path = db.with_name("c.csv")
    path.write_text(text)
    with tracker.open(db, write=True) as opened, pytest.raises(InputRefused) as refused:
        opened.load.candidates(path, "c", "m")
    assert str(refused.value) == f"c.csv, row 1: {expected}"


def test_repeated_labels_that_agree_are_taken_once(db: Path) -> None:
    rows = [("gout", "a", 4, 2001), ("gout", "b", 1, None), ("gout", "a", 4, 2001)]
    names = ["disease_name", "drug_name", "label", "approval_year"]
    labels = pd.DataFrame(rows, columns=names)
    with tracker.open(db, write=True) as opened:
        for at, choice in enumerate(CHOICES):
            done = opened.load.labels(labels, f"l{at}", shared_ids=choice)
            assert (done.n_added, done.n_rows, done.n_repeated, done.merged) == (2, 3, 1, None)
            assert opened.load.labels(labels, f"l{at}", shared_ids=choice).n_added == 0
        for name, value in (("label", 3), ("approval_year", 2002)):
            other = labels.copy()
            other.loc[2, name] = value
            with pytest.raises(ProblemsFound, match="repeats index 0"):
                opened.load.labels(other, "other")
        found = opened.sql("select count(*) as n from labeled_pair")
        assert found["n"][0] == 4


ROW = {
    "drugind_id": 1,
    "molecule_chembl_id": "CHEMBL25",
    "efo_id": "EFO:0000270",
    "efo_term": "asthma",
    "max_phase_for_ind": "2.0",
    "indication_refs": [{"ref_type": "ClinicalTrials", "ref_id": "NCT00000001", "ref_url": "-"}],
}
PAGE = {"drug_indications": [ROW], "page_meta": {"next": None, "offset": 0, "total_count": 1}}


def _rows_parquet(path: Path) -> None:
    pd.DataFrame([ROW]).to_parquet(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write"),
    sampled(
        [
            ("page.json", lambda path: write_json(path, PAGE)),
            ("pages.json", lambda path: write_json(path, [PAGE, PAGE | {"drug_indications": []}])),
            ("rows.json", lambda path: write_json(path, [ROW])),
            ("rows.jsonl", lambda path: write_json(path, ROW)),
            ("rows.parquet", _rows_parquet),
            (
                "rows.csv",
                lambda path: pd.DataFrame(
                    [ROW | {"indication_refs": json.dumps(ROW["indication_refs"])}]
                ).to_csv(path),
            ),
        ],
        3,
    ),
)
def test_the_web_service_is_read_with_its_references(
    name: str, write: Callable[[Path], object], db: Path
) -> None:
    path = db.with_name(name)
    write(path)
    with tracker.open(db, write=True) as opened:
        opened.ingest.chembl(path, version="36", released_on="2025-07-01")
        found = opened.sql("select ref_type, ref_id from indication_reference")
        assert found.to_numpy().tolist() == [["ClinicalTrials", "NCT00000001"]]
        phases = opened.sql("select max_phase from indication")["max_phase"]
        assert [float(one) for one in phases] == [2.0]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            PAGE | {"page_meta": {"next": "/x", "total_count": 58741}},
            "p.json: has 1 of 58,741 indications, a page of ChEMBL's web service; follow "
            "page_meta.next to the last page and write all rows as JSON lines (.jsonl)",
        ),
        (PAGE | {"page_meta": {"next": "/x"}}, "p.json: has 1 indications, a page of"),
        ({"molecules": []}, "p.json: has no drug_indications; it is no page of drug_indication"),
        (
            PAGE | {"drug_indications": [ROW | {"indication_refs": "NCT00000001"}]},
            "p.json, row 1, column indication_refs: 'NCT00000001' is not JSON",
        ),
        (
            PAGE | {"drug_indications": [ROW | {"indication_refs": {"ref_id": "NCT00000001"}}]},
            "p.json, row 1, column indication_refs: is not a list of references",
        ),
    ],
)
def test_pages_that_lack_rows_are_refused(
    document: dict[str, Any], expected: str, db: Path
) -> None:
    path = write_json(db.with_name("p.json"), document)
    with tracker.open(db, write=True) as opened, pytest.raises(InputRefused) as refused:
        opened.ingest.chembl(path, version="36", released_on="2025-07-01")
    assert str(refused.value).startswith(expected)
