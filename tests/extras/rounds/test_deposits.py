"""Deposits: who was there in time, with what, and under which name."""

import csv
import io
import re
import unicodedata
from datetime import datetime, timedelta
from pathlib import Path

import authority
import pytest
from bench import Bench
from round_world import AFTER, DEADLINE, LISTS, NAME, Played, at, copied, predictions
from support import sampled

from tracker import clock

# Each opens a store that takes seconds to make.
pytestmark = pytest.mark.slow

CONTENT = LISTS["Good"]
STORED = "select team, model, sha256 from round_deposit order by deposit_id"


def test_a_deposit_is_stored_once(played: Played) -> None:
    words = played.depositing(CONTENT, "Lab A")
    assert "took deposit 1 of Lab A, m" in played.bench.accept(*words)
    assert "nothing was added" in played.bench.accept(*words)
    assert len(played.bench.query(STORED)) == 1
    # Nor by another token of the same hash, also after the deadline.
    with at(AFTER):
        assert "nothing was added" in played.deposit(CONTENT, "Lab A")
    assert len(played.bench.query(STORED)) == 1


def test_a_later_deposit_replaces_the_one_before_and_every_page_says_so(played: Played) -> None:
    played.deposit(CONTENT, "Lab A")
    played.deposit(LISTS["Poor"], "Lab A", "another")
    assert "it replaces deposit 1" in played.deposit(predictions(7), "Lab A")
    warnings = played.report("2026-12-31")["warnings"]
    assert "Lab A replaced deposit 1 of m." in warnings
    assert "Lab A has 2 models, each of which counts among those compared." in warnings
    with at(AFTER):
        reveal = ("round", "reveal", NAME, played.file(CONTENT))
        played.bench.refuse(*reveal, message=["Lab A replaced this deposit of m by a later one"])
    # Nor can a team go back to it, which would make it the last again.
    words = played.depositing(CONTENT, "Lab A")
    played.bench.refuse(*words, message=["was deposited by Lab A (m) on"])


def test_the_hash_of_another_team_is_refused(played: Played) -> None:
    played.deposit(CONTENT, "Lab A")
    words = played.depositing(CONTENT, "Lab B")
    played.bench.refuse(*words, message=["was deposited by Lab A (m) on"])
    words = played.depositing(CONTENT, "Lab A", "another")
    played.bench.refuse(*words, message=["was deposited by Lab A (m) on"])


def test_a_token_is_of_the_hash_that_was_said(played: Played) -> None:
    words = played.depositing(CONTENT, "Lab A")
    played.bench.refuse(
        *words, "--sha256", "0" * 64, message=["reply.tsr: ", "is for another hash"]
    )
    played.bench.refuse(*words, "--sha256", "0" * 63, message=["is not a SHA-256"], code=2)
    played.bench.refuse("round", "deposit", "spring", *words[3:], message=["no round is named"])
    assert played.bench.query(STORED) == []


def test_an_authority_that_is_not_trusted_is_not_believed(played: Played, tmp_path: Path) -> None:
    other = Played(played.bench, authority.make(tmp_path / "other", name="Other"))
    words = other.depositing(CONTENT, "Lab A")
    played.bench.refuse(*words, message=["reply.tsr: "])
    # Nor one of the same name.
    twin = Played(played.bench, authority.make(tmp_path / "twin"))
    played.bench.refuse(*twin.depositing(CONTENT, "Lab A"), message=["reply.tsr: "])


NO_TOKENS: dict[str, bytes | None] = {
    "empty": b"",
    "text": b"of 2026-12-01, honestly\n",
    "a web page": b"<!doctype html><title>Not found</title>",
    "of megabytes": b"\x30" * 2_000_000,
    "nested": b"\x30\x80" * 20_000,
    "a folder": None,
}


@pytest.mark.parametrize("kind", sampled(NO_TOKENS, 2, slow=True))
def test_what_is_no_token_is_refused(kind: str, played: Played) -> None:
    path = played.bench.write("reply.tsr", NO_TOKENS[kind])
    words = ("round", "deposit", NAME, path, "--team", "Lab A", "--model", "m")
    complaint = played.bench.refuse(*words, message=["reply.tsr: "])
    assert complaint.count("\n") == 1
    cut = played.bench.write("cut.tsr", played.authority.of("0" * 64)[:-20])
    words = ("round", "deposit", NAME, cut, "--team", "Lab A", "--model", "m")
    played.bench.refuse(*words, message=["cut.tsr: "])


def test_neither_a_late_token_nor_a_late_arrival_counts(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = played.depositing(CONTENT, "Lab A")
    with at(AFTER):
        played.bench.refuse(
            *words, message=["late: the deposit of Lab A came after the deadline", DEADLINE]
        )
    # The authority's clock is that of the machine, so a token is late where the deadline was.
    ends = clock.read() + timedelta(seconds=2)
    played.open("short", "--deadline", ends.isoformat())
    monkeypatch.setattr(clock, "read", lambda: ends - timedelta(seconds=1))
    while datetime.now(ends.tzinfo) <= ends + timedelta(seconds=2):
        pass
    words = played.depositing(CONTENT, "Lab A", name="short")
    played.bench.refuse(*words, message=["late: reply.tsr dates the file of Lab A to"])


def test_a_clock_set_back_dates_no_deposit_earlier(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of after the deadline is in the store; the organiser's clock then shows a day before.

    Nor where the clock is accepted, whatever for.
    """
    words = played.depositing(CONTENT, "Lab A")
    with at(AFTER):
        played.bench.accept(
            "load", "candidates", played.file(CONTENT), "--set", "later", "--model", "m"
        )
    for back in (DEADLINE, "2026-12-31"):
        with at(back):
            played.bench.refuse(*words, message=["but the clock of this machine shows"])
    monkeypatch.setenv(clock.ACCEPT, "1")
    with at(DEADLINE):
        played.bench.refuse(*words, message=["late: the deposit of Lab A came after"])
        extend = ("round", "extend", NAME, "2099-12-31", "--reason", "Holidays")
        played.bench.refuse(*extend, message=["has passed"])
    assert played.bench.query(STORED) == []


def test_a_token_from_the_future_says_that_the_clock_is_wrong(played: Played) -> None:
    """A clock set back before the token: the deposit would be dated before its own file."""
    words = played.depositing(CONTENT, "Lab A")
    with at("2020-01-01"):
        played.bench.refuse(*words, message=["the clock"])


def test_a_replay_takes_deposits_at_any_time_and_says_what_it_is(played: Played) -> None:
    words = played.opening("past")
    past = [("2025-01-31" if word == DEADLINE else word) for word in words]
    played.bench.refuse(*past, message=["has passed; --replay accepts it"])
    played.bench.accept(*past, "--replay")
    words = played.depositing(CONTENT, "Lab A", name="past")
    played.bench.refuse(*words, message=["late: reply.tsr dates"])


def test_what_is_revealed_in_a_replay_is_not_replaced(played: Played) -> None:
    with at(AFTER):
        played.open("past", "--replay")
        played.deposit(CONTENT, "Lab A", name="past")
        played.reveal(CONTENT, "past")
        again = played.depositing(LISTS["Poor"], "Lab A", name="past")
        played.bench.refuse(*again, message=["Lab A has revealed its deposit of m, which no later"])
    assert len(played.bench.query(STORED)) == 1


HOSTILE = {
    "control characters": "\x1b[31mred",
    "right to left": "\u202eright to left\u202c",
    "a line break": "line\nbreak",
    "a tab": "tab\tname",
    "no width": "zero\u200bwidth",
    "no character": "",
    "spaces": "   ",
    "spaces around": " Lab A ",
    "10,000 characters": "a" * 10_000,
    "a mark of bytes": "\ufeffLab A",
}


@pytest.mark.parametrize("kind", sampled(HOSTILE, 3, slow=True))
def test_names_that_no_page_can_show_are_refused(kind: str, played: Played) -> None:
    for team, model in ((HOSTILE[kind], "m"), ("Lab A", HOSTILE[kind])):
        words = played.depositing(CONTENT, team, model)
        complaint = played.bench.refuse(*words, message=["the name of the "])
        assert complaint.count("\n") == 1
        assert {c for c in complaint if unicodedata.category(c) in ("Cc", "Cf")} == {"\n"}


def test_no_team_takes_the_name_of_another(played: Played) -> None:
    """An entry is called by its team and its model, with a colon between."""
    played.deposit(CONTENT, "Lab A", "graph: 2")
    words = played.depositing(LISTS["Poor"], "Lab A: graph", "2")
    played.bench.refuse(*words, message=["the name of the team", "colon"])


MARKUP = {
    '=HYPERLINK("//x.example","y")': "+1+1",
    "<script>alert(1)</script>": "@SUM(A1)",
    "'; drop table round_deposit; --": "| --- |",
    "%s {0} {{7*7}} $(id)": "[x](javascript;1)",
}


@pytest.fixture(scope="module")
def marked(opened_round: Path, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A round with teams and models of which the names are code."""
    played = copied(opened_round, tmp_path_factory.mktemp("marked") / "round")
    for number, (team, model) in enumerate(MARKUP.items()):
        played.deposit(predictions(number), team, model)
    with at(AFTER):
        files = [played.file(predictions(n), f"{n}.csv") for n in range(len(MARKUP))]
        played.bench.accept("round", "reveal", NAME, *files)
        played.bench.accept("round", "close", NAME)
    return played


def _board(marked: Played, form: str) -> str:
    with at(AFTER):
        return marked.bench.accept("round", "board", NAME, "--as-of", AFTER, "--format", form)


def test_names_stay_text_wherever_the_board_goes(marked: Played) -> None:
    report = marked.report(AFTER)
    teams = {row["team"]: row["model"] for row in report["sections"]["deposit_state"]}
    assert teams == MARKUP
    page = _board(marked, "html")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    rows = list(csv.reader(io.StringIO(_board(marked, "csv"), newline="")))
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r")]
    assert [cell for cell in cells if not re.fullmatch(r"-\d+(\.\d+)?(e[-+]\d+)?", cell)] == []
    markdown = _board(marked, "markdown")
    assert not re.search(r"(?<!\\)<script|(?<!\\)\[x\]", markdown)
    for row in re.findall(r"(?m)^\|.*", markdown):
        assert not re.search(r"(?<!\\)<", row)
    marked.bench.accept("check")


def test_standing_and_slates_show_them_as_text(marked: Played) -> None:
    with at(AFTER):
        for words in (("round", "standing", "--as-of", AFTER), ("slate", "list")):
            rows = csv.reader(io.StringIO(marked.bench.accept(*words, "--format", "csv")))
            cells = [cell for row in rows for cell in row if cell[:1] in tuple("=+@")]
            assert cells == []


def test_nobody_deposits_without_a_round(bench: Bench) -> None:
    path = bench.write("reply.tsr", b"\x30")
    words = ("round", "deposit", NAME, path, "--team", "Lab A", "--model", "m")
    bench.refuse(*words, message=["open one with 'tracker round new'"])
    bench.refuse(*words[:-2], message=["Missing option '--model'"], code=2)
