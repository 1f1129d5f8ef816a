"""Tables fit the terminal: texts are wrapped, columns left out with a note, numbers never cut."""

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from bench import Bench
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tracker import text_tables
from tracker.rows import Rows, render

UUID = "4be1d0c2-6f3a-4c57-9d18-0a7e5b2c9f31"
SHA256 = "3381ea99496f02a99ca9ef6691f95d207d6eadacfeaaa9a610860421c35066fe"


def _table(columns: list[str], *values: tuple[Any, ...]) -> str:
    return render(Rows(columns, list(values)), "table")


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_a_table_that_fits_is_drawn_whole() -> None:
    drawn = _table(["slate_id", "n_hits", "note"], (UUID, 1234, "a"), (UUID, 7, None))
    assert drawn == (
        " slate_id                              n_hits  note\n"
        " ──────────────────────────────────────────────────\n"
        f" {UUID}   1,234  a\n"
        f" {UUID}       7\n"
    )


def test_texts_are_wrapped_at_spaces() -> None:
    name = "a name of many words that nobody would want to see in full beside another of its kind"
    drawn = _table(["disease_name", "drug_name", "rank"], (name, name, 1))
    lines = drawn.splitlines()
    assert max(map(len, lines)) <= 80
    left = " ".join(line[1:37].strip() for line in lines[2:]).strip()
    assert left == name
    assert "not shown" not in drawn


def test_identifiers_are_shortened_before_a_column_is_left_out() -> None:
    drawn = _table(["slate_id", "content_sha256", "verdict"], (UUID, SHA256, "as frozen"))
    assert drawn.splitlines()[2:] == [
        " 4be1d0c2  3381ea99496f…   as frozen",
        "(shortened: slate_id, content_sha256; --format csv or json shows all)",
    ]


def test_columns_at_the_right_are_left_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [f"figure_{number}" for number in range(20)]
    row = tuple(123456789 + number for number in range(20))
    drawn = _table(columns, row)
    assert "123456795" in drawn
    assert "123456796" not in drawn
    note = " ".join(drawn.splitlines()[-3:])
    assert note.endswith("figure_18, figure_19; --format csv or json shows all)")
    monkeypatch.setenv("COLUMNS", "300")
    assert "not shown" not in _table(columns, row)


def test_a_number_wider_than_the_terminal_is_not_cut() -> None:
    assert f"{10**90}" in _table(["n", "text"], (10**90, "x"))


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((47.0, 3.0), ["47", "3"]),
        ((0.5, 1 / 3, 1.0), ["0.500", "0.333", "1.000"]),
        ((0.5, 1 / 3, 0.0234), ["0.500", "0.333", "0.023"]),
        ((2.6712, 12.345, 0.00123), ["2.67", "12.35", "0.00123"]),
        ((1234.567, 47.0, 0.5), ["1235", "47", "0.5"]),
        ((0.0312, 1e-7), ["0.0312", "1e-07"]),
        ((0.25, 0.0, None), ["0.250", "0", ""]),
        ((float("nan"), float("inf"), 0.5), ["nan", "inf", "0.500"]),
        ((1e300, 2.0), ["1e+300", "2"]),
        ((1e300,), ["1e+300"]),
    ],
)
def test_ratios_have_the_digits_that_people_read(
    values: tuple[float | None, ...], shown: list[str]
) -> None:
    drawn = _table(["row", "value"], *[(str(i), value) for i, value in enumerate(values)])
    assert [line[4:].strip() for line in drawn.splitlines()[2:]] == shown


def test_only_counts_have_thousands_separators() -> None:
    columns = ["n_pairs", "approval_year", "outcome_id"]
    line = _table(columns, (20190, 2019, 15300)).splitlines()[-1]
    assert line.split() == ["20,190", "2019", "15300"]


def test_instants_and_dates_are_short_and_csv_has_them_whole() -> None:
    at = datetime(2026, 11, 23, 12, 47, 56, 300368, tzinfo=UTC)
    rows = Rows(["recorded_at", "value"], [(at, 1 / 3), (at, None)])
    assert render(rows, "table").splitlines()[-1].strip() == "2026-11-23 12:47"
    assert render(rows, "csv").splitlines()[1] == f"{at.isoformat()},{1 / 3}"
    mixed = _table(["fact", "value"], ("day", date(2026, 1, 2)), ("hits", 47.0), ("rate", 1 / 3))
    assert [line.split()[-1] for line in mixed.splitlines()[2:]] == ["2026-01-02", "47", "0.333"]


def test_no_rows_are_said() -> None:
    assert _table(["a", "b"]).splitlines() == [" a  b", " ────", "(no rows)"]


def test_control_codes_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in _table(["a\x1b[31m"], ("\x1b]0;title\x07",))


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp", "Mn"]))


@given(
    st.lists(st.tuples(TEXTS, TEXTS | st.none(), st.integers(-999, 99999)), max_size=5),
    st.integers(40, 120),
)
def test_any_table_fits(values: list[tuple[Any, ...]], width: int) -> None:
    columns = [[shown or "" for shown in column] for column in list(zip(*values, strict=True))[:2]]
    numbers = [str(row[2]) for row in values]
    names = ["name", "a_long_name_with_many_parts", "n"]
    drawn = text_tables.draw(names, [*(columns or [[], []]), numbers], [False, False, True], width)
    for line in drawn.split("\n"):
        assert cell_len(line) <= width
    for number in numbers:
        assert number in drawn


@given(TEXTS, st.integers(2, 30))
def test_wrapping_loses_only_spaces(text: str, width: int) -> None:
    lines = text_tables.wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text)


def test_a_long_column_name_is_broken(bench: Bench) -> None:
    done = bench.accept("sql", f"select 1 as {'x' * 500}, 2 as b")
    assert max(map(len, done.splitlines())) <= 80


@pytest.mark.parametrize("n_shown", [2, 3, 4, 5])
def test_both_limits_of_an_interval_are_shown_or_none(n_shown: int) -> None:
    names = ["figure", "value", "low", "high", "method"]
    texts = ["a" * 10, "0.25", "0.125", "0.375", "exact"]
    widths = [max(map(len, pair)) for pair in zip(names, texts, strict=True)]
    width = 1 + sum(widths[:n_shown]) + 2 * (n_shown - 1)
    drawn = text_tables.draw(names, [[text] for text in texts], [False, *[True] * 3, False], width)
    head = drawn.splitlines()[0].split()
    assert ("low" in head) == ("high" in head) == (n_shown > 3)
    assert head == names[: 2 if n_shown == 3 else n_shown]
