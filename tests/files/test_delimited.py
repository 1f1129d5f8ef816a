"""Cells and rows of CSV and TSV are followed as a parser splits them, whatever the chunks."""

import random
from pathlib import Path

import pytest

from tracker.errors import InputRefused, ProblemsFound
from tracker.files import delimited

LONGEST_CELL = 7


def _split(text: str) -> list[list[str]]:
    """Split a text character by character into the rows of its cells, as they are written."""
    rows, cells, cell, is_quoted, is_blank = [], [], "", False, True
    for sign in text:
        if sign in ",\n" and not is_quoted:
            cells.append(cell)
            cell, is_blank = "", True
            if sign == "\n":
                rows.append(cells)
                cells = []
            continue
        cell += sign
        if sign == '"' and is_blank:
            is_quoted, is_blank = True, False
        elif sign == '"' and cell.lstrip(" ").startswith('"'):
            # Two marks within a quoted cell are one of its text, and what follows its end is not
            # quoted again.
            is_quoted = not is_quoted and cell.endswith('""') and _reopens(cell)
        elif sign != " ":
            is_blank = False
    return [*rows, [*cells, cell]]


def _reopens(cell: str) -> bool:
    """Whether all marks of a cell but the first are pairs or its end."""
    body = cell.lstrip(" ")[1:].replace('""', "")
    return '"' not in body


def _is_within(rows: list[list[str]]) -> bool:
    return all(len(cell) <= LONGEST_CELL for cells in rows for cell in cells)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set bounds that short texts exceed."""
    monkeypatch.setattr(delimited, "MAX_CELL_BYTES", LONGEST_CELL)
    monkeypatch.setattr(delimited, "MAX_LINE_BYTES", 10**6)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("seed", range(8))
def test_a_cell_is_bounded_as_a_parser_splits_it(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same texts each time, no secret
    n_refused = 0
    for _ in range(500):
        text = "".join(chance.choices('ab" ,\n', [3, 1, 2, 1, 2, 1], k=chance.randrange(40)))
        path = tmp_path / "a.csv"
        path.write_text(text, "utf-8")
        bounds = delimited.Bounds(path, ",")
        is_within = True
        start = 0
        try:
            while start < len(text):
                end = start + chance.randrange(1, 12)
                bounds.take(text[start:end].encode())
                start = end
        except InputRefused:
            is_within = False
        assert is_within == _is_within(_split(text)), repr(text)
        n_refused += not is_within
    assert 100 < n_refused < 450


@pytest.mark.usefixtures("narrow")
def test_a_refused_cell_is_named_by_its_row_and_column(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbf"b",c\n"1\n2",3\n\n"4",1234567\n5,12345678')
    bounds = delimited.Bounds(path, ",")
    with pytest.raises(InputRefused, match=r"^a\.csv, row 5, column c: the cell is longer than"):
        bounds.take(path.read_bytes())


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("part", ['"\n",', "a,", '"a""",'])
def test_a_row_is_bounded_over_its_lines(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\n" + part.encode() * (50 // len(part)) + b"b\n")
    monkeypatch.setattr(delimited, "MAX_LINE_BYTES", 50)
    bounds = delimited.Bounds(path, ",")
    bounds.take(path.read_bytes())
    with pytest.raises(InputRefused, match=r"^a\.csv, row 3: the row is longer than"):
        bounds.take(part.encode() * 30 + b"b\n")


def test_misshapen_rows_are_counted_and_the_first_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,2\n\n1\n"1\n2",3\n1,2,3\n"1"2,3\n1,"2\n' + "1\n" * 30, "utf-8")
    with pytest.raises(ProblemsFound) as found:
        delimited.refuse_misshapen(path, ",", 2)
    assert found.value.lines == [
        "a.csv, row 4: the row has too few fields",
        "a.csv, row 6: the row has too many fields",
        "a.csv, row 7: a quotation mark is never closed",
        "a.csv, row 8: a quotation mark is never closed",
    ]
    path.write_text("a,b\n" + "1\n" * 30, "utf-8")
    with pytest.raises(ProblemsFound, match="and 10 more problems \\(30 in all\\)"):
        delimited.refuse_misshapen(path, ",", 2)
