"""A round from its opening to the board, and what an organiser may not do to it."""

import json
import re
import shutil
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pytest
from altered_pages import history, verified
from bench import Bench
from forging import made_anew
from round_world import (
    AFTER,
    DEADLINE,
    DISEASES,
    DRUGS,
    KNOWN,
    KNOWN_ELSEWHERE,
    LABELS,
    LATER,
    LISTS,
    NAME,
    OTHER_LABELS,
    TOP_K,
    TRUE,
    Played,
    at,
    at_hand,
    copied,
    predictions,
)
from support import content, exited, ok, sampled

import tracker

# Each opens a store that takes seconds to make.
pytestmark = pytest.mark.slow

FILES = {
    "question.json",
    "candidates.csv",
    "labels.csv",
    "probe.csv",
    "README.txt",
    "index.html",
    ".gitattributes",
}


@pytest.fixture(scope="module")
def closed(played_round: Path, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A round that was played to its end."""
    played = copied(played_round, tmp_path_factory.mktemp("closed") / "round")
    with at(LATER):
        printed = played.bench.accept("round", "close", NAME)
    assert "closed, 3 entries of teams" in printed
    assert "never revealed: Absent: m" in printed
    return played


# Playing.


def test_the_board_says_who_predicts_best_and_how_sure_that_is(closed: Played) -> None:
    report = closed.report()
    facts, standings = report["round"], report["sections"]["round_standing"]
    assert (facts["state"], facts["deposits"], facts["teams"]) == ("closed", 4, 4)
    assert facts["verdicts"][0].startswith("Block 1, 3 entries that cannot be told apart: Good: ")
    assert standings[0]["entry_name"] == "Good: m"
    kinds = {one["entry_name"]: one["entry_kind"] for one in standings}
    assert kinds == {
        **{f"{team}: m": "team" for team in LISTS},
        **dict.fromkeys(("random", "popularity", "degree_product", "cf"), "baseline"),
        "all teams": "all teams",
    }
    rows = {one["entry_name"]: one for one in standings}
    assert rows["Good: m"]["n_hits"] == 12
    assert rows["Partial: m"]["coverage"] == 0.5
    assert rows["Partial: m"]["missed_hits"] > 0
    warnings = " ".join(report["warnings"])
    assert "Absent deposited m and never revealed it" in warnings
    assert "Partial: m leaves out 3 diseases, which count as misses." in warnings
    assert "Preliminary: the horizon ends on 2100-06-30" in warnings
    (left_out,) = {
        one["n_hits"]
        for one in report["sections"]["round_disease"]
        if one["entry_name"] == "Partial: m" and one["is_left_out"]
    }
    assert left_out == 0
    closed.bench.accept("check")
    closed.bench.accept("slate", "verify")


def test_hits_before_the_deadline_count_for_nobody(closed: Played, tmp_path: Path) -> None:
    """However early a list was deposited: what could be known by the deadline is no foresight."""
    copy = copied(closed.bench.folder, tmp_path / "copy")
    listed = [tuple(line.split(",")[:2]) for line in LISTS["Poor"].splitlines()[1:]]
    disease, drug = next(pair for pair in listed if pair not in TRUE)
    header = "disease_name,drug_name,outcome_type,event_date,first_public_on,source\n"
    row = f"{disease},{drug},first_trial_seen,2099-06-30,2099-06-30,news\n"
    with at(LATER):
        copy.bench.accept("load", "outcomes", copy.bench.write("early.csv", header + row))
    before, after = (
        {one["entry_name"]: one["n_hits"] for one in given["sections"]["round_standing"]}
        for given in (closed.report(), copy.report())
    )
    assert before["Poor: m"] == after["Poor: m"] == 2


def test_the_page_and_the_texts_of_a_board(closed: Played) -> None:
    with at(LATER):
        words = ("round", "board", NAME, "--as-of", LATER, "--format")
        page = closed.bench.accept(*words, "html")
        markdown = closed.bench.accept(*words, "markdown")
        listed = closed.bench.read("round", "list")
    assert "Good: m" in page
    assert "Good: m" in markdown
    assert [(one["name"], one["n_deposits"], one["n_revealed"]) for one in listed] == [(NAME, 4, 3)]


def test_a_board_of_an_earlier_day_has_what_was_known_then(closed: Played) -> None:
    before = closed.report("2099-06-01")
    assert before["round"]["state"] == "open"
    assert {one["deposit_state"] for one in before["sections"]["deposit_state"]} == {"sealed"}
    revealed = closed.report(AFTER)
    assert revealed["round"]["state"] == "revealing"
    assert {one["n_hits"] for one in revealed["sections"]["round_standing"]} == {0}
    assert revealed["round"]["verdicts"][0].startswith("No team can be ranked yet: ")


def test_the_same_is_said_in_python(closed: Played) -> None:
    with at(LATER), tracker.open(closed.bench.db, as_of=LATER) as opened:
        board = opened.round.board(NAME)
        assert board.facts["verdicts"] == closed.report()["round"]["verdicts"]
        assert list(opened.round.list()["name"]) == [NAME]
    found = tracker.api.rounds.check_submission(closed.folder, closed.file(LISTS["Good"]))
    assert found.n_left_out == 0


def test_a_closed_round_stays_closed(closed: Played) -> None:
    with at(LATER):
        before = closed.bench.counts()
        assert "was closed; nothing was added" in closed.bench.accept("round", "close", NAME)
        assert closed.bench.counts() == before
        late = closed.file(predictions(9))
        closed.bench.refuse("round", "reveal", NAME, late, message=["'autumn' is closed"])
        own = closed.file(LISTS["Good"])
        assert "nothing was added" in closed.bench.accept("round", "reveal", NAME, own)


def test_a_round_is_closed_after_its_deadline_with_an_entry(played: Played) -> None:
    close = ("round", "close", NAME)
    played.deposit(LISTS["Good"], "Lab A")
    played.bench.refuse(*close, message=["is open until its deadline, 2099-06-30 23:59:59 UTC"])
    with at(AFTER):
        played.bench.refuse(*close, message=["has no entry of a team; reveal one first"])


# Opening.


def test_the_folder_is_the_same_again(played: Played) -> None:
    before = content(played.folder)
    assert before.keys() == FILES
    counts = played.bench.counts()
    assert "nothing was added" in played.open()
    assert content(played.folder) == before
    shutil.rmtree(played.folder)
    played.open()
    assert content(played.folder) == before
    assert played.bench.counts() == counts
    text = (played.folder / "README.txt").read_text()
    assert "Deposit by 2099-06-30 23:59:59 UTC" in text
    question = json.loads((played.folder / "question.json").read_text())
    assert (question["n_pairs"], question["top_k"]) == (len(DISEASES) * len(DRUGS), TOP_K)
    # The scores of the candidate set are nobody's business.
    rows = (played.folder / "candidates.csv").read_text().splitlines()[1:]
    assert {row.rpartition(",")[2] for row in rows} == {"0"}


def test_the_folder_is_as_of_the_day_of_opening(played: Played) -> None:
    with at("2099-01-01"):
        played.open("later")
    page = (played.bench.folder / "later" / "index.html").read_text()
    assert "<dt>as of</dt><dd>2099-01-01</dd>" in page


def test_python_takes_a_deadline_in_any_zone(played: Played) -> None:
    """A round has the day of its deadline in UTC; an instant without a zone is in UTC."""
    zone = timezone(timedelta(hours=-5))
    deadlines = {"a": datetime(2025, 1, 30, 20, tzinfo=zone), "b": datetime(2025, 1, 31, 1)}
    with tracker.open(played.bench.db, write=True) as opened:
        for name, deadline in deadlines.items():
            opened.round.new(
                name,
                played.bench.folder / name,
                candidates="all",
                labels=LABELS,
                deadline=deadline,
                replay=True,
            )
    days = (
        "select distinct slate.frozen_on from slate join round_entry using (slate_id) "
        "join round using (round_id) where round.is_replay"
    )
    assert played.bench.query(days) == [(date(2025, 1, 31),)]


def test_a_round_is_not_counted_before_it_was_opened(played: Played) -> None:
    standing = ("round", "standing", "--as-of", "2020-01-01")
    assert "0 rounds on record" in played.bench.accept(*standing)


@pytest.mark.parametrize("name", ["notes.txt", "question.json", "folder"])
def test_a_folder_with_other_files_is_refused(name: str, played: Played) -> None:
    folder = played.bench.folder / "mine"
    folder.mkdir()
    if name == "folder":
        (folder / name).mkdir()
    else:
        (folder / name).write_text("{}")
    words = played.opening()[:-1]
    played.bench.refuse(*words, folder, message=["is not empty and contains no earlier export"])
    # Nor is a file beside a question lost.
    (played.folder / "predictions.csv").write_text("")
    played.bench.refuse(*words, played.folder, message=["predictions.csv"])


OPENINGS: dict[str, tuple[dict[str, object], str, int]] = {
    "another question": ({"--top-k": 6}, "asks another question; choose another name", 3),
    "another deadline": ({"--deadline": "2099-07-31"}, "asks another question", 3),
    "other labels": ({"--labels": OTHER_LABELS}, "asks another question", 3),
    "unknown candidates": ({"--candidates": "none"}, "no candidate set is named 'none'", 3),
    "unknown labels": ({"--labels": "none"}, "no label set is named 'none'", 3),
    "a past deadline": ({"new": "b", "--deadline": "2025-01-01"}, "--replay accepts it", 3),
    "no deadline": ({"new": "b", "--deadline": "soon"}, "'soon' is not a date", 2),
    "no lists": ({"new": "b", "--top-k": 0}, "--top-k", 2),
    "an embargo over before": (
        {"new": "b", "--embargo-until": DEADLINE},
        "is over by the deadline",
        3,
    ),
    "a path for a name": ({"new": "../b"}, "the name of a round is up to 64 letters", 3),
    "a formula for a name": ({"new": "=1+1"}, "the name of a round is up to 64 letters", 3),
    "a long name": ({"new": "a" * 10_000}, "the name of a round is up to 64 letters", 3),
    "codes for a name": (
        {"new": "a\x1b[31m\u202e\nb"},
        "the name of a round is up to 64 letters",
        3,
    ),
    "no plan": ({"new": "b", "--plan": "absent.toml"}, "absent.toml", 3),
}


@pytest.mark.parametrize("kind", sampled(OPENINGS, 3, slow=True))
def test_what_cannot_be_asked_is_refused(kind: str, played: Played) -> None:
    changes, problem, code = OPENINGS[kind]
    words = list(played.opening())
    for key, value in changes.items():
        if key in words:
            words[words.index(key) + 1] = value
        else:
            words += [key, value]
    complaint = played.bench.refuse(*words, message=[problem], code=code)
    assert "\x1b" not in complaint
    assert "\u202e" not in complaint


def test_labels_by_which_nothing_is_known_make_no_round(played: Played) -> None:
    file = played.bench.write("none.csv", "disease_name,drug_name,label\nGout,Aspirin,4\n")
    played.bench.accept("load", "labels", file, "--set", "none")
    words = played.opening("other", labels="none")
    played.bench.refuse(*words, message=["no candidate is known by these labels"])


def test_two_rounds_over_one_candidate_set_stay_apart(played: Played) -> None:
    played.open("spring", labels=OTHER_LABELS)
    folder = played.bench.folder
    probes = {(folder / name / "probe.csv").read_text() for name in (NAME, "spring")}
    assert len(probes) == 2
    # A file that is novel by both labels may be deposited in both, and is an entry of each.
    both = predictions(5, 2, known=[*KNOWN, *KNOWN_ELSEWHERE])
    elsewhere = predictions(6, known=KNOWN_ELSEWHERE)
    for name in (NAME, "spring"):
        played.deposit(both, "Lab A", name=name)
    played.deposit(elsewhere, "Lab B", name="spring")
    played.deposit(LISTS["Good"], "Lab C", name="spring")
    for name in (NAME, "spring"):
        played.reveal(both, name)
    words = ("round", "reveal", NAME, played.file(elsewhere))
    with at(AFTER):
        played.bench.refuse(*words, message=["no team deposited in round 'autumn'"])
        # What is known by the labels of the one is no prediction there.
        refused = ("round", "reveal", "spring", played.file(LISTS["Good"]))
        played.bench.refuse(*refused, message=["disease a has ", " novel predictions of 5"])
    played.reveal(elsewhere, "spring")
    played.come_true()
    boards = {name: played.report(name=name)["sections"] for name in (NAME, "spring")}
    teams = {
        name: {one["entry_name"] for one in own["round_standing"] if one["entry_kind"] == "team"}
        for name, own in boards.items()
    }
    assert teams == {NAME: {"Lab A: m"}, "spring": {"Lab A: m", "Lab B: m"}}
    known = played.bench.query(
        "select name, label_set_id in (select label_set_id from slate join round_entry as entry "
        "using (slate_id) where entry.round_id = round.round_id), (select count(distinct "
        "label_set_id) from slate join round_entry as entry using (slate_id) "
        "where entry.round_id = round.round_id) from round order by name"
    )
    assert known == [(NAME, True, 1), ("spring", True, 1)]
    with at(LATER):
        standing = ("round", "standing", "--as-of", LATER, "--format", "json")
        over = json.loads(played.bench.accept(*standing))["sections"]["round_standing_adjusted"]
    assert {one["entry_name"]: one["n_rounds"] for one in over if one["is_team"]} == {
        "Lab A: m": 2,
        "Lab B: m": 1,
    }


# Deadlines.


def test_a_deadline_is_moved_to_a_later_day_with_a_reason(played: Played) -> None:
    extend = ("round", "extend", NAME)
    reason = ("--reason", "Holidays")
    played.bench.refuse(*extend, "2099-06-29", *reason, message=["can only be extended"])
    played.bench.refuse(*extend, "2099-07-31", message=["Missing option '--reason'"], code=2)
    for bad in (" ", "a\nb", "\x1b[31mred", "\u202eleft", "a" * 10_000):
        played.bench.refuse(*extend, "2099-07-31", "--reason", bad, message=["reason"])
    with at(AFTER):
        played.bench.refuse(*extend, "2099-07-31", *reason, message=["has passed"])
    with at("2099-06-15"):
        printed = played.bench.accept(*extend, "2099-07-31", *reason)
        assert "takes deposits until 2099-07-31 23:59:59 UTC" in printed
        before = played.bench.counts()
        played.bench.accept(*extend, "2099-07-31", *reason)
        assert played.bench.counts() == before
        played.bench.refuse(*extend, DEADLINE, *reason, message=["can only be extended"])
        # The question stays, and the folder says the deadline that holds.
        question = (played.folder / "question.json").read_bytes()
        played.open()
    assert (played.folder / "question.json").read_bytes() == question
    assert "Deposit by 2099-07-31" in (played.folder / "README.txt").read_text()
    with at(AFTER):
        played.deposit(LISTS["Good"], "Lab A")
    report = played.report("2099-07-03")
    assert report["round"]["deadline"].startswith("2099-07-31")
    assert report["round"]["state"] == "open"
    assert any(
        "The deadline was extended. 2099-06-15 12:00:00 UTC: moved to 2099-07-31" in one
        and one.endswith("Holidays.")
        for one in report["warnings"]
    )
    # As of the day before, nobody knew.
    earlier = played.report("2099-06-14")
    assert earlier["round"]["deadline"].startswith(DEADLINE)
    assert "extended" not in " ".join(earlier["warnings"])


def test_a_round_that_ends_at_noon_is_not_open_in_the_afternoon(played: Played) -> None:
    played.open("noon", "--deadline", "2099-06-30T12:00:00Z")
    played.deposit(LISTS["Good"], "Lab A", name="noon")
    with at("2099-06-30T13:00"):
        file = played.file(LISTS["Good"])
        played.bench.accept("round", "reveal", "noon", file)
    report = played.report("2099-06-30T14:00:00+00:00", name="noon")
    assert report["round"]["state"] == "revealing"


# What an organiser does with SQL.

TAMPERING = {
    "a deposit is dropped": "delete from round_deposit where team = 'Lab B'",
    "a deposit is given to another": "update round_deposit set team = 'Lab C' where team = 'Lab B'",
    "a deposit is dated earlier": "update round_deposit set deposited_at = '2026-01-01'",
    "a deposit is of another hash": "update round_deposit set sha256 = repeat('0', 64)",
    "a deadline is moved": "update round set deadline = deadline + interval 1 day",
    "a question is altered": "update round set question_sha256 = repeat('0', 64)",
    "an extension is dropped": "delete from round_extension",
    "a reason is altered": "update round_extension set reason = 'None'",
    # The last row: a gap in a table is refused by the next command that writes.
    "a baseline is dropped": "delete from round_entry where rowid = "
    "(select max(rowid) from round_entry)",
    "an entry is renamed": "update round_entry set entry_name = 'chance' where entry_name = 'cf'",
}


@pytest.fixture(scope="module")
def organised(opened_round: Path, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A round with two deposits and a moved deadline, and the site of then."""
    played = copied(opened_round, tmp_path_factory.mktemp("organised") / "round")
    played.deposit(LISTS["Good"], "Lab A")
    played.deposit(LISTS["Poor"], "Lab B")
    played.bench.accept("round", "extend", NAME, "2099-07-31", "--reason", "Holidays")
    played.bench.accept("publish", "-o", played.bench.folder / "site")
    return played


@pytest.fixture
def copy(organised: Played, tmp_path: Path) -> Bench:
    return copied(organised.bench.folder, tmp_path / "copy").bench


@pytest.mark.parametrize("kind", sampled(TAMPERING, 3, slow=True))
def test_the_log_tells_what_was_tampered_with(kind: str, copy: Bench) -> None:
    with duckdb.connect(str(copy.db)) as connection:
        connection.execute(TAMPERING[kind])
    copy.refuse("check", message=["log: round"], code=4)


# DuckDB moves the rows of this table that it updates, which leaves a gap, too.
LEAVES_NO_GAP = {kind: one for kind, one in TAMPERING.items() if "update round_entry" not in one}


@pytest.mark.parametrize("kind", sampled(LEAVES_NO_GAP, 10, slow=True))
def test_an_older_site_tells_that_the_log_was_made_anew(
    kind: str, organised: Played, copy: Bench
) -> None:
    """Nothing in the store itself shows it then; who kept a copy of the site needs no store.

    The log made anew has fewer entries or, of those of then, another root.
    """
    older, site = organised.bench.folder / "site", copy.folder / "site"
    made_anew(copy, TAMPERING[kind])
    # With the rows that the store keeps of views.
    copy.accept("init")
    copy.accept("check")
    copy.accept("publish", "-o", site)
    ok(verified(site))
    done = exited(4, verified(site, "--against", older))
    assert re.search("history was rewritten|the log had .* entries, and has", done.output)
    assert history(site, older).returncode == 1


def test_an_entry_that_is_dropped_is_missed(played_round: Path, tmp_path: Path) -> None:
    """The slate stays, and its row in the log; a board without it is of another log."""
    bench = copied(played_round, tmp_path / "copy").bench
    with duckdb.connect(str(bench.db)) as connection:
        connection.execute("delete from round_entry where entry_name = 'Good: m'")
    with at(LATER):
        bench.refuse("check", message=["log: round_entry"], code=4)
        # No command writes to such a store.
        close = ("round", "close", NAME)
        bench.refuse(*close, message=["round_entry"], code=4)


def test_what_stands_in_a_store_that_is_only_read(played_round: Path) -> None:
    """Reading adds nothing: a board may be drawn from a copy that cannot be written."""
    played = at_hand(played_round)
    before = played.bench.db.read_bytes()
    played.report()
    assert played.bench.db.read_bytes() == before
