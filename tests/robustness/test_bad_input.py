"""Bad files, sets, options and queries: refused with a place in plain words, nothing changed."""

import gzip
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import duckdb
import pytest
from bench import CANDIDATES, LABELS, Bench, Content, parquet, snapshot, table
from support import exited, printed, ran, sampled

from tracker.schema import OUTCOME_TYPES

_TRACKER = Path(sys.executable).with_name("tracker")
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".parquet", ".jsonl", ".json")
SCORED = "disease_name,drug_name,score\n"
ROW = "Asthma,New,0.5\n"
LABELED = "disease_name,drug_name,label\n"
EVENTS = "disease_name,drug_name,outcome_type,source"
ALIASES = "entity,name,kind,value\n"
TYPES = ", ".join(OUTCOME_TYPES)
NOT_INSTANT = "is not an instant (YYYY-MM-DDTHH:MM:SS+00:00)"
# What labels stand for.
MEANING = "(0 a negative, 1 to 3 the highest clinical phase, 4 approved)"


def load(bench: Bench, kind: str, path: Path) -> list[object]:
    """Return the words that load a file as `kind`."""
    options: dict[str, list[object]] = {
        "candidates": ["--set", "new", "--model", "m"],
        "labels": ["--set", "new"],
        "aliases": [],
        "outcomes": ["--slate", bench.slate],
    }
    return ["load", kind, *options[kind], "--", path]


def refuse_file(
    bench: Bench, kind: str, name: str, content: Content, message: list[str], *more: str
) -> str:
    """Load a file that must be refused with these lines, or with lines that contain these parts."""
    path = bench.write(name, content)
    words = load(bench, kind, path)
    return bench.refuse(*words[:2], *more, *words[2:], message=message)


# Kind of file, header, the cells to try, and the report on each row: column and message.
CELLS: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "scores": (
        "candidates",
        "disease_name,drug_name,score",
        [
            ("Asthma|B|abc", "score: 'abc' is not a number"),
            ("Asthma|C|nan", "score: 'nan' is not a finite number"),
            ("Asthma|D|-inf", "score: '-inf' is not a finite number"),
            ("Asthma|E|1e400", "score: '1e400' is not a finite number"),
            ("Asthma|F|", "score is empty"),
            ("Asthma|G|0,5", "score: '0,5' is not a number"),
            ("|H|0.5", "disease_name is empty"),
            ("Asthma|  |0.5", "drug_name is empty"),
        ],
    ),
    "labels": (
        "labels",
        "disease_name,drug_name,label,max_phase,approval_year",
        [
            ("Asthma|B|5||", f"label: '5' is not between 0 and 4 {MEANING}"),
            ("Asthma|C|-1||", f"label: '-1' is not between 0 and 4 {MEANING}"),
            ("Asthma|D|2.5||", "label: '2.5' is not a whole number"),
            ("Asthma|E|nan||", "label: 'nan' is not a finite number"),
            ("Asthma|F|||", "label is empty"),
            ("Asthma|G|yes||", f"label: 'yes' is not a number {MEANING}"),
            ("Asthma|H|1|9|", "max_phase: '9' is not between -1 and 4"),
            ("Asthma|I|1|inf|", "max_phase: 'inf' is not a finite number"),
            ("Asthma|J|1||20204", "approval_year: '20204' is not between 1800 and 2200"),
            ("Asthma|K|1||2020.5", "approval_year: '2020.5' is not a whole number"),
        ],
    ),
    "event dates": (
        "outcomes",
        EVENTS + ",event_date,first_public_on",
        [
            (f"Asthma|Alpha|fda_approved|fda|{day}|", f"event_date: '{day}' {message}")
            for message in ["is not a date (YYYY-MM-DD)"]
            for day in [
                "2026-13-01",
                "2026-02-30",
                "01/02/2026",
                "2026-1-1",
                "infinity",
                "-0044-03-15",
            ]
        ]
        + [
            (
                "Asthma|Alpha|fda_approved|fda||soon",
                "first_public_on: 'soon' is not a date (YYYY-MM-DD)",
            )
        ],
    ),
    "instants": (
        "outcomes",
        EVENTS + ",observed_at",
        [
            (f"Asthma|Alpha|fda_approved|fda|{instant}", f"observed_at: '{instant}' {NOT_INSTANT}")
            for instant in [
                "2026-13-01",
                "2026-02-30T00:00:00Z",
                "01/02/2026",
                "now",
                "2020-01-01T00:00:00 Mars/Olympus",
            ]
        ],
    ),
    "events": (
        "outcomes",
        EVENTS + ",detail",
        [
            ('Asthma|Alpha|fda_approved|fda|{"a"', "detail: '{\"a\"' is not JSON"),
            ("Asthma|Alpha|fda_approved|fda|plain", "detail: 'plain' is not JSON"),
            ("Asthma|Alpha|cured|fda|", f"outcome_type: 'cured' is not one of {TYPES}"),
            (
                "Asthma|Alpha|FDA_approved|fda|",
                f"outcome_type: 'FDA_approved' is not one of {TYPES}",
            ),
            ("Asthma|Alpha|fda_approved||", "source is empty"),
            ("Asthma|Alpha||fda|", "outcome_type is empty"),
        ],
    ),
    "aliases": (
        "aliases",
        "entity,name,kind,value",
        [
            ("compound|Alpha|synonym|x", "entity: 'compound' is not one of drug, disease"),
            (
                "drug|Alpha|nickname|x",
                "kind: 'nickname' is not one of chembl_id, parent_chembl_id, name, synonym, "
                "efo_id, mondo_id, mesh_id",
            ),
            ("drug||synonym|x", "name is empty"),
            ("drug|Alpha|synonym|", "value is empty"),
        ],
    ),
}


ODD_CELLS = [
    ("candidates", SCORED, 'Asthma,"\t",1', "drug_name is empty"),
    ("candidates", SCORED, 'Asthma,"\n",1', "drug_name is empty"),
    *[
        ("outcomes", EVENTS + ",event_date\n", f"Asthma,Alpha,fda_approved,fda,{day}", message)
        for day in ["0000-01-01"]
        for message in [f"event_date: '{day}' is not a date (YYYY-MM-DD)"]
    ],
    *[
        ("outcomes", EVENTS + ",observed_at\n", f"Asthma,Alpha,fda_approved,fda,{instant}", message)
        for instant in [
            "epoch",
            "-infinity",
            "0001-01-01 (BC)",
            "0001-01-01T00:00:00+14:00",
            "2020-01-01T00:00:00+99:00",
        ]
        for message in [f"observed_at: '{instant}' {NOT_INSTANT}"]
    ],
    *[
        ("outcomes", EVENTS + ",detail\n", f"Asthma,Alpha,fda_approved,fda,{detail}", message)
        for detail in ["NaN", "[Infinity]"]
        for message in [f"detail: '{detail}' is not JSON"]
    ],
]


def _placed(row: int, message: str) -> str:
    """Return a row and a message on one of its cells as they are reported."""
    is_empty = message.endswith(" is empty")
    return f"row {row}: {message}" if is_empty else f"row {row}, column {message}"


@pytest.mark.parametrize(("kind", "header", "row", "message"), sampled(ODD_CELLS, 4))
def test_what_only_the_engine_takes_for_a_value_is_named(
    bench: Bench, kind: str, header: str, row: str, message: str
) -> None:
    complaint = refuse_file(bench, kind, "bad.csv", header + row + "\n", [])
    assert complaint == f"error: bad.csv, {_placed(2, message)}\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("case", sampled(CELLS, 8))
def test_every_bad_cell_is_named(bench: Bench, case: str, suffix: str) -> None:
    kind, header, cells = CELLS[case]
    rows = [row.split("|") for row, _ in cells]
    content = table(suffix, header.split(","), rows)
    complaint = refuse_file(bench, kind, f"bad{suffix}", content, [])
    first = 2 if suffix in (".csv", ".tsv", ".csv.gz") else 1
    expected = [
        f"bad{suffix}, {_placed(number, message)}"
        for number, (_, message) in enumerate(cells, start=first)
    ]
    assert complaint.removeprefix("error: ").splitlines() == expected


IDENTIFIED = SCORED.replace("\n", ",disease_id,chembl_id\n")
SHARED = "correct the ids, or merge the names with --shared-ids merge"

# Kind, content of bad.csv, the lines reported after "bad.csv, row ".
PAIRS: dict[str, tuple[str, str, list[str]]] = {
    "same pair": (
        "candidates",
        SCORED + "Asthma,New,1\nAsthma,Other,1\nAsthma,New,0\n",
        ["4, column drug_name: the pair 'Asthma', 'New' repeats row 2"],
    ),
    "same pair in other case and white space": (
        "labels",
        LABELED + "Asthma,N  e,1\nasthma,n E,2\nAsthma,N\u00a0e,3\n",
        [
            "3, column drug_name: the pair 'asthma', 'n E' repeats row 2",
            "4, column drug_name: the pair 'Asthma', 'N\u00a0e' repeats row 2",
        ],
    ),
    "same pair by another spelling of a letter": (
        "candidates",
        SCORED + "Asthma,\u00e9,1\nAsthma,e\u0301,1\n",
        ["3, column drug_name: the pair 'Asthma', 'e\u0301' repeats row 2"],
    ),
    "same pair by its identifier": (
        "candidates",
        IDENTIFIED + "Asthma,New,1,,CHEMBL9\nAsthma,Other,1,,chembl9\n",
        [f"2, column chembl_id: 2 names share CHEMBL9: 'New', 'Other'; {SHARED}"],
    ),
    "same pair by what the store knows": (
        "labels",
        IDENTIFIED.replace("score", "label") + "Asthma,Alpha,1,,\nX,Y,1,MONDO_0004979,CHEMBL1\n",
        [
            f"2, column chembl_id: 2 names share CHEMBL1: 'Alpha', 'Y'; {SHARED}",
            f"2, column disease_id: 2 names share MONDO:0004979: 'Asthma', 'X'; {SHARED}",
        ],
    ),
    "two identifiers in the file": (
        "candidates",
        IDENTIFIED + "A,New,1,,CHEMBL8\nB,New,1,,CHEMBL9\n",
        ["3, column drug_name: 'New' has two identifiers: CHEMBL9 and CHEMBL8"],
    ),
    "two identifiers with the store's": (
        "labels",
        IDENTIFIED.replace("score", "label") + "Asthma,Alpha,1,,CHEMBL8\nPsoriasis,New,1,EFO:7,\n",
        [
            "2, column drug_name: 'Alpha' has two identifiers: CHEMBL8 and CHEMBL1",
            "3, column disease_name: 'Psoriasis' has two identifiers: EFO:7 and EFO:0000676",
        ],
    ),
    "another drug's name": (
        "candidates",
        IDENTIFIED + "Asthma,Alpha,1,,CHEMBL2\n",
        ["2, column drug_name: 'Alpha' is already the name of a drug other than CHEMBL2"],
    ),
    "malformed identifiers": (
        "candidates",
        IDENTIFIED + "A,B,1,,CHEMBL\nA,C,1,,CHEMBL5x\nA,D,1,,5\nA,E,1,,CHEMBL\u0663\n"
        "F,B,1,EFO,\nG,B,1,EFO:,\nH,B,1,EFO 5,\nI,B,1,C12,\n",
        [
            f"{row}, column {column}: '{given}' is not an identifier of a {entity}"
            for row, column, given, entity in [
                (2, "chembl_id", "CHEMBL", "drug"),
                (3, "chembl_id", "CHEMBL5x", "drug"),
                (4, "chembl_id", "5", "drug"),
                (5, "chembl_id", "CHEMBL\u0663", "drug"),
                (6, "disease_id", "EFO", "disease"),
                (7, "disease_id", "EFO:", "disease"),
                (8, "disease_id", "EFO 5", "disease"),
                (9, "disease_id", "C12", "disease"),
            ]
        ],
    ),
    "unknown names": (
        "outcomes",
        EVENTS + "\nAsthmaa,Alpha,fda_approved,fda\nAsthma,Alpher,fda_approved,fda\n"
        "Asthma,Alpha,fda_approved,fda\n",
        [
            "2, column disease_name: unknown disease 'Asthmaa'; did you mean 'asthma'?",
            "3, column drug_name: unknown drug 'Alpher'; did you mean 'alpha'?",
        ],
    ),
    "pair outside slate and candidates": (
        "outcomes",
        EVENTS + "\nAsthma,Low,fda_approved,fda\nPsoriasis,Gamma,fda_approved,fda\n",
        [
            "3, column drug_name: the pair 'Psoriasis', 'Gamma' is neither predicted by the slate "
            "nor among its candidates"
        ],
    ),
    "public in the future": (
        "outcomes",
        EVENTS + ",first_public_on\nAsthma,Alpha,fda_approved,fda,2020-01-01\n"
        "Asthma,Beta,fda_approved,fda,2999-01-01\n",
        ["3, column first_public_on: is in the future"],
    ),
    "observed in the future": (
        "outcomes",
        EVENTS + ",observed_at\nAsthma,Alpha,fda_approved,fda,2020-01-01T00:00:00Z\n"
        "Asthma,Beta,fda_approved,fda,2999-01-01T00:00:00Z\n"
        "Asthma,Beta,fda_approved,fda,2999-01-01\n",
        ["3, column observed_at: is in the future", "4, column observed_at: is in the future"],
    ),
    "aliases": (
        "aliases",
        ALIASES + "drug,Nope,synonym,x\ndrug,Alpha,efo_id,EFO:1\ndrug,Alpha,chembl_id,CHEMBLX\n"
        "drug,Alpha,chembl_id,CHEMBL2\ndrug,Alpha,name,beta\n",
        [
            "2, column name: unknown drug 'Nope'",
            "3, column value: 'EFO:1' cannot be the efo_id of a drug",
            "4, column value: 'CHEMBLX' cannot be the chembl_id of a drug",
            "5, column value: 'CHEMBL2' is already a chembl_id of another drug",
            "6, column value: 'beta' is already a name of another drug",
        ],
    ),
    "an alias that is one in the same file": (
        "aliases",
        ALIASES + "drug,Alpha,synonym,x\ndrug,Beta,synonym,X\n",
        ["3, column value: 'X' is already a synonym of another drug"],
    ),
    "a synonym that is another drug's name": (
        "aliases",
        ALIASES + "drug,Alpha,synonym,Beta\n",
        ["2, column value: 'Beta' is already a name of another drug"],
    ),
    "a synonym that cannot be seen": (
        "aliases",
        ALIASES + "drug,Alpha,synonym,\ufe0f\n",
        ["2: value is empty: the synonym has only characters that cannot be seen"],
    ),
    "an identifier of another kind": (
        "aliases",
        ALIASES + "disease,Asthma,mondo_id,EFO:0000270\ndisease,Asthma,mesh_id,MONDO:1\n",
        [
            "2, column value: 'EFO:0000270' cannot be the mondo_id of a disease",
            "3, column value: 'MONDO:1' cannot be the mesh_id of a disease",
        ],
    ),
}


@pytest.mark.parametrize("case", sampled(PAIRS, 8))
def test_every_bad_pair_is_named(bench: Bench, case: str) -> None:
    kind, content, lines = PAIRS[case]
    complaint = refuse_file(bench, kind, "bad.csv", content, [])
    assert complaint.removeprefix("error: ").splitlines() == [
        f"bad.csv, row {line}" for line in lines
    ]


# Kind, header, row by its number, the message of each, from which row on.
MANY = {
    "cells": ("candidates", SCORED, "Asthma,N{0},x", "column score: 'x' is not a number", 2, 30),
    "fields": ("candidates", SCORED, "Asthma,N{0},1,2", "the row has too many fields", 2, 30),
    "names": (
        "outcomes",
        EVENTS + "\n",
        "Asthma,U{1},fda_approved,x",
        "column drug_name: unknown drug 'U{1}'",
        2,
        30,
    ),
    "repeats": (
        "candidates",
        SCORED,
        "Asthma,New,1",
        "column drug_name: the pair 'Asthma', 'New' repeats row 2",
        3,
        29,
    ),
    "shared ids": (
        "candidates",
        IDENTIFIED + "".join(f"Asthma,B{number},1,,CHEMBL9{number}\n" for number in range(30)),
        "Asthma,A{0},1,,CHEMBL9{0}",
        "column chembl_id: 2 names share CHEMBL9{0}: 'A{0}', 'B{0}'; " + SHARED,
        2,
        30,
    ),
    "foreign pairs": (
        "outcomes",
        EVENTS + ",detail\n",
        "Psoriasis,Gamma,fda_approved,x,{0}",
        "column drug_name: the pair 'Psoriasis', 'Gamma' is neither predicted by the slate nor "
        "among its candidates",
        2,
        30,
    ),
    "aliases": (
        "aliases",
        ALIASES,
        "drug,U{1},synonym,x",
        "column name: unknown drug 'U{1}'",
        2,
        30,
    ),
}


@pytest.mark.parametrize("case", MANY)
def test_the_first_twenty_problems_are_shown_and_all_are_counted(bench: Bench, case: str) -> None:
    kind, header, row, message, first, n_problems = MANY[case]
    # The second number falls, so that the order of names is not that of rows.
    rows = "".join(row.format(number, 99 - number) + "\n" for number in range(30))
    complaint = refuse_file(bench, kind, "bad.csv", header + rows, [])
    expected = [
        f"bad.csv, row {number}, ".replace("row {number}, the", "the")
        + message.format(number - 2, 99 - (number - 2))
        for number in range(first, first + 20)
    ]
    if case == "fields":
        expected = [line.replace(", the row", ": the row") for line in expected]
    expected.append(f"and {n_problems - 20} more problems ({n_problems} in all)")
    assert complaint.removeprefix("error: ").splitlines() == expected


def _cut_gzip(content: bytes) -> bytes:
    """A download that broke off exactly at the end of a row."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(content) + packer.flush(zlib.Z_SYNC_FLUSH)


LONG = "x" * 3_000_000
WHOLE = parquet("select 'Asthma' as disease_name, 'N' || i as drug_name, 0.5 as score "
                "from range(5000) as t (i)")  # fmt: skip


def _damaged(start: int, size: int) -> Content:
    def write(path: Path) -> None:
        WHOLE(path)
        content = bytearray(path.read_bytes())
        content[start : start + size] = b"\xff" * size
        path.write_bytes(content)

    return write


def _cut_parquet(path: Path) -> None:
    WHOLE(path)
    path.write_bytes(path.read_bytes()[:-20])


NO_COLUMN = ["the column disease_name is missing", "the column score is missing"]

# File name, content, message.
FILES: dict[str, tuple[str, Content, list[str]]] = {
    "missing column": (
        "bad.csv",
        "disease_name,drug_name\nA,B\n",
        ["bad.csv: the column score is missing"],
    ),
    "typo in a column": (
        "bad.csv",
        "disease_name,drugname,score\n" + ROW,
        [
            "the column drug_name is missing",
            "unknown column drugname; known: disease_name",
            "did you mean 'drug_name'?",
        ],
    ),
    "further column": (
        "bad.csv",
        "disease_name,drug_name,score,colour\nA,B,1,red\n",
        ["bad.csv: unknown column colour; known: ", "--allow-extra"],
    ),
    "further column, JSON lines, second row": (
        "bad.jsonl",
        '{"disease_name":"A","drug_name":"B","score":1}\n'
        '{"disease_name":"A","drug_name":"C","score":1,"colour":"red"}\n',
        ["bad.jsonl: unknown column colour"],
    ),
    "column twice": (
        "bad.csv",
        "disease_name,drug_name,score,score\nA,B,1,2\n",
        ["bad.csv, row 1: two columns are named score"],
    ),
    "column twice in other case": (
        "bad.csv",
        "disease_name,drug_name,score,Score\nA,B,1,2\n",
        ["bad.csv, row 1: two columns are named score"],
    ),
    "column twice, TSV": (
        "bad.tsv",
        "disease_name\tdrug_name\tscore\tSCORE\nA\tB\t1\t2\n",
        ["bad.tsv, row 1: two columns are named score"],
    ),
    "key twice, JSON": (
        "bad.jsonl",
        '{"disease_name":"A","drug_name":"B","score":1,"score":2}\n',
        ["bad.jsonl", "line 1", '"score"'],
    ),
    "key twice in other case, JSON": (
        "bad.jsonl",
        '{"disease_name":"A","drug_name":"B","score":1,"Score":2}\n',
        ["bad.jsonl", "unknown column score_1"],
    ),
    "header only": ("bad.csv", SCORED, ["bad.csv: the file has no rows"]),
    "header only, Parquet": (
        "bad.parquet",
        parquet("select 'A' as disease_name, 'B' as drug_name, 1.0 as score limit 0"),
        ["bad.parquet: the file has no rows"],
    ),
    "empty array": ("bad.json", "[]", ["bad.json: the file has no rows"]),
    "white space, JSON": ("bad.jsonl", " \n\n", ["bad.jsonl: the file has no rows"]),
    "scalars, JSON": ("bad.json", "[1, 2]", ["bad.json", "object"]),
    "empty file": ("bad.csv", "", ["bad.csv: the file is empty"]),
    "empty file, packed": ("bad.csv.gz", gzip.compress(b""), ["bad.csv.gz: the file is empty"]),
    "blank lines only": ("bad.csv", "\n\n\n", ["bad.csv", "header"]),
    "one byte": ("bad.csv", "a", NO_COLUMN),
    "one byte, Parquet": ("bad.parquet", "P", ["bad.parquet: cannot be read: "]),
    "one byte, JSON": ("bad.json", "{", ["bad.json, row 1: is not a JSON object"]),
    "one quotation mark": ("bad.csv", '"', ["bad.csv, row 1: "]),
    "NUL bytes": ("bad.csv", b"\0" * 100, ["bad.csv"]),
    "NUL byte in a name": ("bad.csv", SCORED + "A,B\0C,1\n", ["bad.csv, row 2"]),
    "row after blank lines": (
        "bad.csv",
        SCORED + ROW + "\n\nAsthma,B,abc\n",
        ["bad.csv, row 5, column score: 'abc' is not a number"],
    ),
    "row after a line end in a cell": (
        "bad.csv",
        SCORED + 'Asthma,"New\nline",1\nAsthma,B,abc\n',
        ["bad.csv, row 3, column score: 'abc' is not a number"],
    ),
    "row after a blank line in a cell of TSV": (
        "bad.tsv",
        SCORED.replace(",", "\t") + 'Asthma\t"New\n\nline"\t1\nAsthma\tB\tabc\n',
        ["bad.tsv, row 3, column score: 'abc' is not a number"],
    ),
    "too few fields": ("bad.csv", SCORED + ROW + "A,B\n", ["bad.csv, row 3: the row has too few"]),
    "too many fields": ("bad.tsv", "disease_name\tdrug_name\tscore\nA\tB\t1\t2\n", ["row 2: the"]),
    "quote never closed": (
        "bad.csv",
        SCORED + ROW + 'Asthma,"New,0.5\nAsthma,N2,0.5\n',
        ["bad.csv, row 3: a quotation mark is never closed"],
    ),
    "line of 3 MB": (
        "bad.csv",
        SCORED + ROW + "Asthma" + "," * 3_000_000 + "\n",
        ["bad.csv, row 3: the line is longer than 2 MB"],
    ),
    "cell of 3 MB": (
        "bad.csv",
        SCORED + ROW + f"Asthma,{LONG},0.5\n",
        ["bad.csv, row 3, column drug_name: the cell is longer than 100 kB\n"],
    ),
    "header of 3 MB": ("bad.csv", f"disease_name,drug_name,score,{LONG}\n", ["bad.csv, row 1"]),
    "line ends of both kinds": (
        "bad.csv",
        SCORED + ROW + "A,B,1\r\nA,C,1\n",
        ["bad.csv, row 3: the line ends differently from the header"],
    ),
    "lone carriage return": ("bad.csv", SCORED + "Asthma,a\rb,1\n", ["bad.csv, row 2"]),
    "Latin-1": ("bad.csv", (SCORED + "Asthm\u00e9,B,1\n").encode("latin-1"), ["not UTF-8"]),
    "Latin-1, far down": (
        "bad.csv",
        (SCORED + "".join(f"A,N{i},1\n" for i in range(200_000)) + "A,\u00e9,1\n").encode(
            "latin-1"
        ),
        ["bad.csv, row 200002: the text is not UTF-8; save the file as UTF-8"],
    ),
    "Latin-1, after a line end between two chunks": (
        "bad.csv",
        (SCORED + "A,B,1\n" * 149_000).replace("\n", "\r\n").encode().ljust((1 << 20) - 1, b"a")
        + b"\r\nA,\xe9,1\r\n",
        ["bad.csv, row 149003: the text is not UTF-8"],
    ),
    "UTF-16": (
        "bad.csv",
        (SCORED + ROW).encode("utf-16"),
        ["bad.csv, row 1: the text is not UTF-8"],
    ),
    "UTF-16 without a mark": (
        "bad.csv",
        (SCORED + ROW).encode("utf-16-le"),
        ["bad.csv, row 1", "not UTF-8"],
    ),
    "Latin-1, JSON": (
        "bad.jsonl",
        '{"disease_name":"A","drug_name":"\u00e9","score":1}\n'.encode("latin-1"),
        ["bad.jsonl", "UTF-8"],
    ),
    "byte order mark, JSON": (
        "bad.json",
        b'\xef\xbb\xbf[{"disease_name":"A","drug_name":"B","score":1}]',
        ["bad.json, row 1: begins with a byte order mark; save the file as UTF-8 without it"],
    ),
    "not JSON": ("bad.json", "hello", ["bad.json, row 1: is not a JSON object"]),
    "broken second line, JSON": (
        "bad.jsonl",
        '{"disease_name":"A","drug_name":"B","score":1}\n{"disease_name":\n',
        ["bad.jsonl, row 2: is not a JSON object"],
    ),
    "array broken off after a record": (
        "bad.json",
        '[{"disease_name":"A","drug_name":"B","score":1},\n',
        ["bad.json: cannot be read: "],
    ),
    "name that is an object": (
        "bad.jsonl",
        '{"disease_name":"A","drug_name":{"a":1},"score":1}\n',
        ["bad.jsonl, row 1, column drug_name: "],
    ),
    "name that is a list, Parquet": (
        "bad.parquet",
        parquet("select 'A' as disease_name, ['B'] as drug_name, 1.0 as score"),
        ["bad.parquet, ", "column drug_name"],
    ),
    "score that is true, Parquet": (
        "bad.parquet",
        parquet("select 'A' as disease_name, 'B' as drug_name, true as score"),
        ["bad.parquet, row 1, column score: 'true' is not a number"],
    ),
    "score that is not finite, Parquet": (
        "bad.parquet",
        parquet("select 'A' as disease_name, 'B' as drug_name, 'nan'::double as score"),
        ["bad.parquet, row 1, column score: 'nan' is not a finite number"],
    ),
    "not packed": ("bad.csv.gz", SCORED + ROW, ["bad.csv.gz", "gzip"]),
    "packed, broken off in a row": (
        "bad.csv.gz",
        gzip.compress((SCORED + ROW).encode())[:-15],
        ["bad.csv.gz", "gzip"],
    ),
    "packed, broken off after a row": (
        "bad.csv.gz",
        _cut_gzip((SCORED + ROW).encode()),
        ["bad.csv.gz", "gzip"],
    ),
    "packed, wrong checksum": (
        "bad.csv.gz",
        gzip.compress((SCORED + ROW).encode())[:-8] + bytes(8),
        ["bad.csv.gz", "gzip"],
    ),
    "packed JSON, broken off": (
        "bad.jsonl.gz",
        _cut_gzip(b'{"disease_name":"A","drug_name":"B","score":1}\n'),
        ["bad.jsonl.gz", "gzip"],
    ),
    "not Parquet": ("bad.parquet", SCORED + ROW * 9, ["bad.parquet: cannot be read: "]),
    "Parquet broken off": ("bad.parquet", _cut_parquet, ["bad.parquet: cannot be read: "]),
    "Parquet damaged": ("bad.parquet", _damaged(3000, 400), ["bad.parquet: cannot be read: "]),
    "folder": ("bad.csv", None, ["bad.csv: is a folder"]),
    "unknown kind": ("bad.xlsx", SCORED + ROW, ["bad.xlsx: unknown kind of file; use .csv"]),
    "no kind": ("bad", SCORED + ROW, ["bad: unknown kind of file; use .csv"]),
}


@pytest.mark.parametrize("case", sampled(FILES, 10))
def test_a_bad_file_is_refused(bench: Bench, case: str) -> None:
    name, content, message = FILES[case]
    refuse_file(bench, "candidates", name, content, message)


@pytest.mark.parametrize("kind", ["candidates", "labels", "aliases", "outcomes"])
def test_a_file_that_is_not_there(bench: Bench, kind: str) -> None:
    message = ["nowhere.csv: no such file"]
    bench.refuse(*load(bench, kind, bench.folder / "nowhere.csv"), message=message)


@pytest.mark.slow
def test_deeply_nested_json_does_not_kill_the_process(bench: Bench) -> None:
    name = "[" * 100_000 + "]" * 100_000
    path = bench.write("bad.jsonl", f'{{"disease_name":"A","drug_name":{name},"score":1}}\n')
    before = snapshot(bench.folder)
    done = ran(_TRACKER, "--db", bench.db, *load(bench, "candidates", path))
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("error: bad.jsonl")
    assert snapshot(bench.folder) == before


# Content that is unusual but right, with how many rows it has.
UNUSUAL: dict[str, tuple[str, Content, int]] = {
    "byte order mark": ("ok.csv", "\ufeff" + SCORED + ROW, 1),
    "line ends of Windows": ("ok.csv", (SCORED + ROW + "A,B,1\n").replace("\n", "\r\n"), 2),
    "blank lines": ("ok.csv", SCORED + ROW + "\n\nA,B,1\n\n", 2),
    "header in capitals, any order": ("ok.csv", "SCORE,Drug_Name,DISEASE_NAME\n1,B,A\n", 1),
    "no last line end": ("ok.csv", (SCORED + ROW).rstrip(), 1),
    "JSON array": ("ok.json", '[{"disease_name":"A","drug_name":"B","score":1}]', 1),
    "rows with keys of their own": (
        "ok.jsonl",
        "".join(
            json.dumps({"disease_name": "A", "drug_name": f"N{i}", "score": 1, f"k{i}": 1}) + "\n"
            for i in range(300)
        ),
        300,
    ),
    "packed in two parts": (
        "ok.csv.gz",
        gzip.compress(SCORED.encode()) + gzip.compress(b"A,B,1\n"),
        1,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(UNUSUAL, 8))
def test_unusual_files_are_read_in_full(bench: Bench, case: str) -> None:
    name, content, n_rows = UNUSUAL[case]
    path = bench.write(name, content)
    bench.accept("load", "candidates", path, "--set", "new", "--model", "m", "--allow-extra")
    held = bench.query("select n_pairs from candidate_set where name = 'new'")
    stored = bench.query("select count(*) from candidate where candidate_set_id = 2")
    assert (held, stored) == ([(n_rows,)], [(n_rows,)])


@pytest.mark.parametrize(
    "name",
    sampled(
        [
            "a'b.csv",
            'a"b.csv',
            "a[1].csv",
            "a*.csv",
            "a?.csv",
            "{a,b}.csv",
            "a b.csv",
            "$HOME.csv",
            "~.csv",
            "a%20.csv",
            "a;drop.csv",
            "--x.csv",
            "\u00e4\U0001f9ea.csv",
        ],
        4,
    ),
)
def test_no_file_name_is_taken_for_a_pattern(bench: Bench, name: str) -> None:
    for decoy in ("a1.csv", "aXb.csv", "a.csv", "b.csv"):
        bench.write(decoy, SCORED + ROW)
    message = [f"error: {name}, row 2, column score: 'abc' is not a number"]
    refuse_file(bench, "candidates", name, SCORED + "A,B,abc\n", message)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("candidates", SCORED + ROW),
        ("labels", LABELED + "Asthma,New,1\n"),
        ("aliases", ALIASES + "drug,Alpha,synonym,Alfa\ndrug,Alpha,synonym,ALFA\n"),
        ("outcomes", EVENTS + ",event_date\n" + "Asthma,Alpha,fda_approved,fda,2020-01-01\n" * 2),
    ],
)
def test_the_same_file_again_adds_nothing(bench: Bench, kind: str, content: str) -> None:
    before = bench.counts()
    words = load(bench, kind, bench.write("once.csv", content))
    bench.accept(*words)
    once = bench.counts()
    assert once != before
    bench.accept(*words)
    assert bench.counts() == once


@pytest.mark.slow
def test_an_instant_without_zone_is_utc_on_every_machine(bench: Bench) -> None:
    event = "Asthma,Alpha,fda_approved,fda,2020-01-01T10:00:00\n"
    path = bench.write("events.csv", EVENTS + ",observed_at\n" + event)
    printed(ran(_TRACKER, "--db", bench.db, *load(bench, "outcomes", path), TZ="Asia/Tokyo"))
    assert bench.query("select epoch(observed_at) from outcome") == [(1577872800.0,)]


# Words after "load candidates FILE", message; the file is one that could be loaded.
SETS = {
    "no name": (["--set", "", "--model", "m"], 3, "the name of a set cannot be empty"),
    "blank name": (["--set", " \t", "--model", "m"], 3, "the name of a set cannot be empty"),
    "blank model": (["--set", "new", "--model", " "], 3, "model"),
    "other content": (
        ["--set", "base", "--model", "m1"],
        3,
        "'base' was loaded from different content",
    ),
    "no --set": (["--model", "m"], 2, "--set"),
    "no --model": (["--set", "new"], 2, "--model"),
}


@pytest.mark.parametrize("case", sampled(SETS, 6))
def test_bad_names_of_sets(bench: Bench, case: str) -> None:
    options, code, message = SETS[case]
    path = bench.write("fine.csv", SCORED + ROW)
    bench.refuse("load", "candidates", path, *options, message=[message], code=code)


def test_the_same_file_under_another_model_is_refused(bench: Bench) -> None:
    path = bench.write("candidates.csv", CANDIDATES)
    bench.refuse(
        "load", "candidates", path, "--set", "base", "--model", "m2", message=["'base'", "m1"]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sampled(["'; drop table candidate; --", "it's", "x" * 10_000, '"', "\\"], 5)
)
def test_a_set_may_have_any_name(bench: Bench, name: str) -> None:
    labels = bench.write("labels.csv", LABELS)
    candidates = bench.write("candidates.csv", CANDIDATES)
    bench.accept("load", "candidates", candidates, "--set", name, "--model", name)
    bench.accept("load", "labels", labels, "--set", name)
    bench.accept("slate", "freeze", "--candidates", name, "--labels", name, "--description", name)
    bench.accept("slate", "verify")
    assert bench.query("select count(*) from candidate") == [(12,)]


PLANS: dict[str, str | bytes] = {
    "broken.toml": "a = ",
    "latin.toml": "a = '\u00e9'".encode("latin-1"),
    "nan.toml": "a = nan",
    "deep.toml": "a = " + "[" * 5000 + "]" * 5000,
}
FREEZES: list[tuple[list[str], int, str]] = [
    (["--candidates", "nope"], 3, "no candidate set is named 'nope'; known: base"),
    (["--candidates", ""], 3, "no candidate set is named ''"),
    (["--candidates", "base", "--labels", "nope"], 3, "no label set is named 'nope'; known: "),
    (["--candidates", "base", "--labels", ""], 3, "no label set is named ''"),
    (["--candidates", "base", "--disease", "Nope"], 3, "unknown disease 'Nope'"),
    (["--candidates", "base", "--disease", ""], 3, "unknown disease ''"),
    (["--candidates", "base", "--disease", "Gout"], 3, "no candidate of 'base' for these diseases"),
    (["--candidates", "base", "--top-k", "0"], 2, "--top-k"),
    (["--candidates", "base", "--top-k", "-1"], 2, "--top-k"),
    (["--candidates", "base", "--top-k", "2.5"], 2, "--top-k"),
    (["--candidates", "base", "--top-k", "99999999999999999999"], 2, "--top-k"),
    (["--candidates", "base", "--top-k", "1000000000"], 2, "--top-k"),
    (["--candidates", "base", "--min-score", "nan"], 2, "--min-score"),
    (["--candidates", "base", "--min-score", "inf"], 2, "--min-score"),
    (["--candidates", "base", "--min-score=-inf"], 2, "--min-score"),
    (["--candidates", "base", "--min-score", "2"], 3, "scores at least 2"),
    (["--candidates", "base", "--replay-as-of", "2999-01-01"], 3, "is in the future"),
    (["--candidates", "base", "--replay-as-of", "2026-02-30"], 2, "--replay-as-of"),
    (["--candidates", "base", "--plan", "nowhere.toml"], 3, "nowhere.toml: no such file"),
    (["--candidates", "base", "--plan", "."], 3, ".: is a folder"),
    *[(["--candidates", "base", "--plan", plan], 3, f"{plan}: is not TOML") for plan in
      ("broken.toml", "latin.toml")],
    *[(["--candidates", "base", "--plan", plan], 3, plan) for plan in ("nan.toml", "deep.toml")],
    ([], 2, "--candidates"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "code", "message"), sampled(FREEZES, 8))
def test_a_bad_freeze_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, options: list[str], code: int, message: str
) -> None:
    monkeypatch.chdir(bench.folder)
    for name, content in PLANS.items():
        bench.write(name, content)
    bench.refuse("slate", "freeze", *options, message=[message], code=code)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prefix", "message"),
    [
        ("ffff", "no slate begins with 'ffff'; see 'tracker slate list'"),
        ("", "no slate begins with ''"),
        ("%", "no slate begins with '%'"),
        ("'; drop table slate; --", "no slate begins with"),
        (
            "469bb270",
            "ambiguous: give one of 469bb270-0000-4000-8000-000000000001 of 2026-01-01, 469b",
        ),
    ],
)
def test_unknown_and_ambiguous_slates(bench: Bench, prefix: str, message: str) -> None:
    events = bench.write("events.csv", EVENTS + "\nAsthma,Alpha,fda_approved,fda\n")
    target = bench.folder / "exported"
    for words in (
        ["report", prefix],
        ["slate", "show", prefix],
        ["slate", "export", prefix, target],
        ["slate", "verify", prefix],
        ["load", "outcomes", events, "--slate", prefix],
    ):
        bench.refuse(*words, message=[message])


@pytest.mark.parametrize(
    ("as_of", "code", "message"),
    [
        ("garbage", 2, "'garbage' is not a date (YYYY-MM-DD) or instant (ISO 8601)"),
        ("2026-02-30", 2, "'2026-02-30' is not a date"),
        ("", 2, "'' is not a date"),
        ("2026-01-01'; drop table slate; --", 2, "is not a date"),
        ("0001-01-01T00:00:00+14:00", 2, "0001-01-01T00:00:00+14:00"),
        ("9999-12-31T23:59:59-14:00", 2, "9999-12-31T23:59:59-14:00"),
        ("2020-01-01", 3, "after --as-of"),
        ("2999-01-01", 2, "2999-01-01 is after today"),
    ],
)
def test_bad_as_of(bench: Bench, as_of: str, code: int, message: str) -> None:
    bench.refuse("report", bench.slate, "--as-of", as_of, message=[message], code=code)


# Query, message; tests/cli/test_cli.py has what the sandbox must not let out.
QUERIES = [
    ("", "the query is empty"),
    (" \n ", "the query is empty"),
    (";", "the query is empty"),
    ("select 1; select 2", "one statement"),
    ("select 1; drop table slate", "one statement"),
    ("selec 1", 'syntax error at or near "selec"'),
    ("from nowhere", "Table with name nowhere does not exist"),
    ("select $1", "the query failed"),
    ("select 'abc'::integer", "Could not convert string 'abc' to INT32"),
    ("insert into slate from slate", "INSERT is a command; only queries are run"),
    ("alter table slate add column x integer", "ALTER is a command"),
    ("pragma database_size; vacuum", "one statement"),
    ("set memory_limit = '1GB'", "SET is a command"),
    ("reset memory_limit", "SET is a command"),
    ("select getenv('HOME')", "getenv does not exist"),
    ("from read_blob('/etc/passwd')", "Cannot access file"),
    ("from read_json('/etc/passwd')", "Cannot access file"),
    ("from sniff_csv('/etc/passwd')", "Cannot access file"),
    ("from 'stolen.parquet'", "Cannot access file"),
    ("copy slate from 'x.csv'", "COPY is a command"),
    ("export database 'stolen'", "EXPORT is a command"),
    ("import database 'stolen'", "Cannot access file"),
    ("create secret s (type s3)", "the query failed"),
    ("attach ':memory:' as m", "the query failed"),
    ("from query('drop table slate')", "the function query is not allowed here"),
    ("from query('from enable_' || 'logging()')", "the function query is not allowed here"),
    ("with a as (from Enable_Logging()) from a", "the function enable_logging is not allowed"),
    ("explain analyze call enable_logging()", "this is a command"),
    ("/* a */ explain (format json) from enable_logging()", "without comments"),
    ("explain (format json) from enable_logging()", "the function enable_logging"),
    ("from force_checkpoint()", "the function force_checkpoint is not allowed here"),
    ("call enable_logging()", "CALL is a command"),
    ("pragma table_info('slate')", "this is a command"),
    ("pragma enable_profiling", "is a command"),
    ("checkpoint", "CALL is a command"),
    ("vacuum", "VACUUM is a command"),
    ("begin", "TRANSACTION is a command"),
    ("prepare p as select 1", "PREPARE is a command"),
    ("create temp table a as select 1", "CREATE is a command"),
    ("set variable as_of = null", "SET is a command"),
    ("load json", "LOAD is a command"),
    ("install json", "LOAD is a command"),
    ("use main", "SET is a command"),
    ("detach store", "DETACH is a command"),
]


@pytest.mark.parametrize(("query", "message"), sampled(QUERIES, 8))
def test_a_bad_query_is_refused(bench: Bench, query: str, message: str) -> None:
    before = snapshot(bench.folder)
    done = exited(3, bench.run("sql", query))
    assert message in done.stderr
    assert "error: unexpected" not in done.stderr
    assert done.stdout == ""
    assert snapshot(bench.folder) == before


def test_bad_query_files(bench: Bench) -> None:
    missing, latin = bench.folder / "nowhere.sql", bench.write("latin.sql", b"select '\xe9'")
    bench.refuse("sql", missing, message=["nowhere.sql: cannot be read: No such file"])
    bench.refuse("sql", bench.write("dir.sql", None), message=["dir.sql: cannot be read: Is a dir"])
    bench.refuse("sql", latin, message=["latin.sql: is not UTF-8 text"])
    bench.refuse("sql", bench.write("empty.sql", ""), message=["the query is empty"])
    bench.refuse("sql", "-", stdin=b"select '\xff'", message=["is not UTF-8 text"])


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("target", "message"),
    [("nowhere/out", "no such folder"), ("folder", "folder"), ("store.duckdb", "store")],
)
def test_no_output_where_none_belongs(bench: Bench, form: str, target: str, message: str) -> None:
    bench.write("folder", None)
    words = ["sql", "select 1 as one", "--format", form, "--output", bench.folder / target]
    bench.refuse(*words, message=[message])


@pytest.mark.slow
def test_no_report_replaces_the_store(bench: Bench) -> None:
    bench.refuse("report", bench.slate, "--output", bench.db, message=["store"])


def test_output_to_a_device_leaves_the_device(bench: Bench) -> None:
    device = bench.folder / "pipe"
    os.mkfifo(device)
    with subprocess.Popen(["cat", device], stdout=subprocess.PIPE) as reader:
        try:
            bench.accept("sql", "select 1 as one", "--format", "csv", "--output", device)
            assert device.is_fifo()
            assert reader.communicate(timeout=10)[0] == b"one\n1\n"
        finally:
            reader.kill()


@pytest.mark.parametrize(
    "query",
    [
        "select 1::decimal(38, 0) as whole",
        "select count(*), max(score)::float from candidate",
        "select date '290000-01-01' as d",
    ],
)
def test_any_column_can_be_written_as_parquet(bench: Bench, query: str) -> None:
    path = bench.folder / "out.parquet"
    bench.accept("sql", query, "--format", "parquet", "--output", path)
    written = duckdb.read_parquet(str(path)).select("columns(*)::varchar").fetchall()
    assert written == [
        tuple(str(value) for value in row)
        for row in bench.query(f"select columns(*)::varchar from ({query})")  # noqa: S608 - names of the test's own
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reprot"], "No such command 'reprot'"),
        (["--wait", "-1", "init"], "--wait"),
        (["--wait", "nan", "init"], "--wait"),
        (["slate", "show", "469bb270", "--limit", "0"], "--limit"),
        (["report", "469bb270", "--window", "some"], "--window"),
        (["report", "469bb270", "--format", "xml"], "--format"),
        *(
            (["report", "469bb270", "--explain", "2026-01-31", *words], f"{words[0]} does not go")
            for words in (
                ["--window", "prospective"],
                ["--population", "novel"],
                ["--versus", "@1"],
            )
        ),
        *(
            (
                ["load", "labels", "--set", "l", "--from-evidence", *words],
                f"{words[0]} needs a file",
            )
            for words in (["--map", "a=score"], ["--shared-ids", "merge"], ["--allow-extra"])
        ),
        *(
            (
                ["retrospective", "loo", "--trials", "t.csv", "--labels", "l", *words],
                f"{words[0]} goes with --ranker",
            )
            for words in (["--seed", "1"], ["--workers", "1"])
        ),
        (["sql", "select 1", "--format", "parquet"], "--format parquet needs --output FILE"),
    ],
)
def test_bad_usage(bench: Bench, words: list[str], message: str) -> None:
    bench.refuse(*words, message=[message], code=2)


def test_views_and_demo(bench: Bench) -> None:
    bench.refuse("view", "nope", message=["no view is named 'nope'; see 'tracker view'"])
    taken = bench.write("taken", "a file")
    bench.refuse("demo", "-o", taken, message=["taken"])


@pytest.mark.slow
def test_arguments_that_are_not_utf8(bench: Bench) -> None:
    commands: list[list[str | bytes]] = [
        ["sql", b"select '\xff'"],
        ["slate", "freeze", "--candidates", b"\xff"],
    ]
    for words in commands:
        done = subprocess.run(
            [_TRACKER, "--db", bench.db, *words], capture_output=True, check=False
        )
        assert done.returncode in (2, 3), done.stderr
        assert b"unexpected" not in done.stderr
