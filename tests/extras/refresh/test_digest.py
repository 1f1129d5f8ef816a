"""The digest of a refresh: what it says, and that it is written and sent once."""

import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from evidence import chembl, study, write_json
from sqlalchemy import Connection
from support import Tracker, exited, ok

from tracker.extras.refresh import digest
from tracker.extras.refresh.digest import Digest
from tracker.reports import overview
from tracker.rows import Rows

CONFIGURATION = """
settle_seconds = 0
source = [{kind = "chembl", path = "drop/*.db"}, {kind = "trials", path = "drop/*.json"}]
[notify]
command = "sh -c 'cat >> sent.md'"
"""
WRITTEN = ["digest-00001.json", "digest-00001.md"]


@pytest.fixture
def drop(followed_store: Path, db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The watched folder, with a release in it."""
    shutil.copy(followed_store, db)
    monkeypatch.chdir(tmp_path)
    Path("tracker.toml").write_text(CONFIGURATION)
    Path("drop").mkdir()
    write_json(Path("drop/trials-2025-08-01.json"), [study(start="2024-05", posted="2024-04-20")])
    return tmp_path / "drop"


def letters() -> list[str]:
    return sorted(path.name for path in Path("digests").glob("[!.]*"))


@pytest.mark.slow
def test_new_hits_are_told_once(drop: Path, tracker: Tracker) -> None:
    ok(tracker("refresh"))
    assert letters() == WRITTEN
    text = Path("digests/digest-00001.md").read_text()
    assert text.startswith("# 1 new hit, 0 changed verdicts\n\nRefresh 1 of ")
    assert "- Aspirin for Asthma: phase advanced of 2024-05-01, ClinicalTrials.gov" in text
    assert "NCT00000001" in text
    assert "## New releases\n\n- ClinicalTrials.gov 2025-08-01 (2025-08-01)\n" in text
    assert Path("sent.md").read_text() == text
    found = json.loads(Path("digests/digest-00001.json").read_text())
    assert (found["refresh_id"], found["since"], len(found["hits"])) == (1, None, 1)
    assert found["hits"][0]["record"].startswith("NCT00000001")
    # Nothing new: nothing is written and nothing sent.
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    assert letters() == WRITTEN
    assert Path("sent.md").read_text() == text
    # The next release has no hit that was not known.
    later = [(1, 1, 3, "D000001", "Asthma", "EFO:0000270", "asthma")]
    chembl(drop / "chembl_37.db", later, version=("ChEMBL_37", "2026-01-15"))
    ok(tracker("refresh"))
    second = Path("digests/digest-00002.md").read_text()
    # The horizon of the replay ended with 2025, and the second refresh is the one it waited for.
    assert second.startswith("# 0 new hits, 1 changed verdict\n")
    assert "(m): replay: inconclusive, before: replay: too early." in second
    assert Path("sent.md").read_text() == text + second


HIT: dict[str, Any] = {
    "slate_id": "469bb270-0000",
    "drug_name": "Aspirin",
    "disease_name": "Asthma",
    "tier": "high",
    "rank": 1,
    "outcome_type": "fda_approved",
    "event_date": None,
    "source": "fda",
    "record": None,
    "is_replay": False,
}


def test_a_slate_made_with_hindsight_is_called_a_replay() -> None:
    hit = HIT | {"is_replay": True}
    due = hit | {"due_date": date(2026, 3, 1), "criterion_text": "a phase advance"}
    text = digest.markdown(Digest(1, datetime(2026, 1, 2, tzinfo=UTC), None, [hit], [], [due], []))
    assert "(replay 469bb270, high tier, rank 1)" in text
    assert "needs a phase advance (replay 469bb270)" in text


@pytest.mark.slow
@pytest.mark.usefixtures("drop")
def test_a_letter_that_was_not_sent_is_sent_by_the_next_run(tracker: Tracker) -> None:
    Path("tracker.toml").write_text(
        CONFIGURATION.replace("cat >>", r"printf \"\\377no mail\" >&2; exit 7 ; ")
    )
    done = exited(1, tracker("refresh"))
    said = "problem sh: ended with exit code 7: \ufffdno"
    assert f"not sent: kind digest, origin digest-00001.md, {said}" in done.stderr
    assert letters() == WRITTEN
    Path("tracker.toml").write_text(CONFIGURATION.replace("sh -c 'cat >> sent.md'", "no-such-mail"))
    done = tracker("refresh")
    assert (done.exit_code, "no-such-mail: cannot be run" in done.stderr) == (1, True)
    Path("tracker.toml").write_text(CONFIGURATION)
    ok(tracker("refresh"))
    assert Path("sent.md").read_text() == Path("digests/digest-00001.md").read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("drop")
def test_a_digest_that_was_lost_is_written_again(tracker: Tracker) -> None:
    ok(tracker("refresh"))
    texts = [Path("digests", name).read_text() for name in WRITTEN]
    shutil.rmtree("digests")
    ok(tracker("refresh"))
    assert [Path("digests", name).read_text() for name in WRITTEN] == texts


@pytest.mark.slow
@pytest.mark.usefixtures("drop")
def test_without_notify_there_is_no_digest(tracker: Tracker) -> None:
    Path("tracker.toml").write_text(CONFIGURATION.partition("[notify]")[0])
    ok(tracker("refresh"))
    assert not Path("digests").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("drop")
def test_a_verdict_that_changed_is_told(tracker: Tracker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The assessment has its own tests; here it is made to change between two instants."""
    ok(tracker("refresh"))
    write_json(Path("drop/trials-2025-10-01.json"), [study("NCT00000002", start="2025-09")])
    read = overview.read

    def changing(connection: Connection, as_of: datetime | None = None) -> Rows:
        rows = read(connection, as_of)
        place = rows.columns.index("verdict")
        values = [
            (*row[:place], "works" if as_of is None else row[place], *row[place + 1 :])
            for row in rows.values
        ]
        return Rows(rows.columns, values)

    monkeypatch.setattr(overview, "read", changing)
    ok(tracker("refresh"))
    text = Path("digests/digest-00002.md").read_text()
    assert text.startswith("# 0 new hits, 1 changed verdict\n")
    assert "(m): works, before: replay: too early." in text


def test_names_do_not_become_markup() -> None:
    names = {"drug_name": "<b>[aspirin](https://example.org)</b>", "disease_name": "a | b\n# c"}
    hit = HIT | names | {"record": "NDA1"}
    made = Digest(1, datetime(2026, 1, 2, tzinfo=UTC), None, [hit] * 60, [], [], [])
    text = digest.markdown(made)
    assert "<b>" not in text
    assert "[aspirin](" not in text
    assert "\n# c" not in text
    assert text.endswith("- and 10 more, in the JSON file\n")


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ('command = "sh -c \'"', "notify.command: is not a command line"),
        ('command = ""', "notify.command: is not a command line"),
        ("command = 1", "notify.command: is not a command line"),
        ('mail = "a"', "notify.mail: unknown key; known: folder, command"),
    ],
)
def test_a_wrong_configuration(table: str, line: str, drop: Path, tracker: Tracker) -> None:
    Path("tracker.toml").write_text(CONFIGURATION.partition("command")[0] + table)
    done = tracker("refresh")
    assert (done.exit_code, line in done.stderr) == (3, True), done.stderr
    assert drop.exists()
