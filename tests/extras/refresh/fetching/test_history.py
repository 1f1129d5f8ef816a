"""Past versions of studies, fetched from a local server, ingested, and read by labels."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import servers
from click.testing import Result
from evidence import study
from servers import World, serving
from sqlalchemy import text
from support import Tracker, exited, ok

from tracker import store
from tracker.extras.refresh.fetching import history
from tracker.slates import evidence_labels, freezing, loads

CANDIDATES = """disease_name,drug_name,score
Marlow syndrome,belantrine,0.9
Ostrava fever,belantrine,0.8
Ostrava fever,davolimus,0.7
"""
FIRST, SECOND = "NCT00000001", "NCT00000002"
PATH = "/api/int/studies"


def one(nct_id: str, **stated: Any) -> dict[str, Any]:
    """A study of belantrine in an invented disease, started when it was posted."""
    given = {
        "posted": "2015-01-10",
        "start": "2015-01",
        "meshes": [],
        "conditions": ["Marlow syndrome"],
        "interventions": [{"type": "DRUG", "name": "belantrine"}],
    }
    return study(nct_id, **{**given, **stated})


def past(nct_id: str, **stated: Any) -> dict[str, Any]:
    """A past version, in which the registry's derived terms are missing."""
    found = one(nct_id, **stated)
    del found["derivedSection"]
    return found


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A registry with two studies of which one was edited twice, and a store that follows it."""
    monkeypatch.chdir(tmp_path)
    found = World(
        studies=[
            one(
                FIRST,
                phases=["PHASE3"],
                conditions=["Marlow syndrome", "Ostrava fever"],
                updated="2020-05-03",
            ),
            one(SECOND, interventions=[{"type": "DRUG", "name": "davolimus"}],
                conditions=["Ostrava fever"], updated="2016-02-02"),
        ],
        histories={
            FIRST: [
                ("2015-01-05", past(FIRST, phases=["PHASE1"], updated="2015-01-10")),
                ("2017-03-01", past(FIRST, phases=["PHASE2"], updated="2017-03-02")),
                ("2020-05-01", past(
                    FIRST, phases=["PHASE3"], updated="2020-05-03",
                    conditions=["Marlow syndrome", "Ostrava fever"])),
            ],
            SECOND: [
                ("2015-01-05", past(
                    SECOND, interventions=[{"type": "DRUG", "name": "davolimus"}],
                    conditions=["Ostrava fever"], updated="2015-01-10")),
            ],
        },
    )  # fmt: skip
    Path("candidates.csv").write_text(CANDIDATES)
    with serving(found):
        configure(found)
        with store.writer(Path("store.duckdb")) as connection:
            loads.load_candidates(connection, Path("candidates.csv"), "base", "m")
            freezing.freeze(
                connection, candidates="base", labels=None, replay_as_of=date(2024, 1, 1)
            )
        yield found


@pytest.fixture
def db() -> Path:
    return Path("store.duckdb")


@pytest.fixture
def followed(world: World, tracker: Tracker) -> World:
    """That store with the snapshot, before any history: nothing is known of the ledger yet."""
    configure(world, "clinicaltrials")
    ok(tracker("refresh"))
    configure(world)
    world.requests.clear()
    return world


def configure(world: World, *names: str, studies: str = "") -> None:
    names = names or ("clinicaltrials-history",)
    Path("tracker.toml").write_text(
        world.configuration(*names).replace("{kind", f"{{{studies}kind")
    )


def fetch(tracker: Tracker) -> Result:
    return tracker("refresh", "fetch", "--format", "json")


def statuses(done: Result) -> list[str]:
    return [row["status"] for row in json.loads(done.stdout)]


def versions() -> list[tuple[str, int, bool]]:
    """The versions in the files that were fetched, and whether their studies came."""
    return [
        (line["nctId"], line["version"], line["study"] is not None)
        for path in sorted(Path("fetched").glob("trial-history-*.jsonl"))
        for line in map(json.loads, path.read_text().splitlines())
    ]


def refreshed(tracker: Tracker) -> Result:
    return ok(tracker("refresh", "--log-format", "json"))


def ledger(db: Path) -> list[tuple[Any, ...]]:
    """All events and the outcomes of the slate."""
    with store.reader(db) as connection:
        events = connection.execute(text("select * exclude (detail) from event order by event_id"))
        outcomes = connection.execute(text("select * exclude (detail) from outcome order by all"))
        return [tuple(row) for row in [*events, *outcomes]]


def labels(db: Path, day: str) -> dict[tuple[str, str], tuple[int, float | None]]:
    """Labels from the evidence as of a day, by disease and drug."""
    with store.writer(db) as connection:
        evidence_labels.load(connection, f"{day} {datetime.now(UTC)}", date.fromisoformat(day))
        found = connection.execute(
            text(
                "select disease.name, drug.name, label, max_phase from labeled_pair "
                "join disease using (disease_id) join drug using (drug_id) "
                "where label_set_id = (select max(label_set_id) from label_set)"
            )
        ).all()
    return {(row[0], row[1]): (row[2], row[3]) for row in found}


MARLOW, OSTRAVA = ("Marlow syndrome", "belantrine"), ("Ostrava fever", "belantrine")


@pytest.mark.usefixtures("followed")
@pytest.mark.slow
def test_labels_have_the_version_of_their_day(tracker: Tracker, db: Path) -> None:
    now = labels(db, "2016-01-01")
    assert now[MARLOW] == (3, 3.0), "one snapshot alone has the phase of today"
    assert now[OSTRAVA] == (3, 3.0), "and the conditions"
    before = ledger(db)
    refreshed(tracker)
    assert ledger(db) == before, "past versions are no news, and alter no event"
    with pytest.raises(Exception, match="shows no pair by 2015-01-09"):
        labels(db, "2015-01-09")
    other = {("Ostrava fever", "davolimus"): (2, 2.0)}
    assert labels(db, "2015-01-10") == {MARLOW: (1, 1.0), **other}, "posted, not only submitted"
    assert labels(db, "2017-03-01") == {MARLOW: (1, 1.0), **other}
    assert labels(db, "2017-03-02") == {MARLOW: (2, 2.0), **other}
    assert labels(db, "2020-05-02") == {MARLOW: (2, 2.0), **other}
    assert labels(db, "2020-05-03") == {MARLOW: (3, 3.0), OSTRAVA: (3, 3.0), **other}


@pytest.mark.slow
def test_a_refresh_with_nothing_new_asks_for_nothing(
    followed: World,
    tracker: Tracker,
) -> None:
    refreshed(tracker)
    assert versions() == [(FIRST, 0, True), (FIRST, 1, True), (FIRST, 2, True), (SECOND, 0, True)]
    asked = [request.path.removeprefix(PATH) for request in followed.requests]
    assert asked == [
        *(f"/{FIRST}/history{end}" for end in ("", "/0", "/1", "/2")),
        *(f"/{SECOND}/history{end}" for end in ("", "/0")),
    ]
    followed.requests.clear()
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    assert statuses(fetch(tracker)) == ["unchanged"]
    assert followed.requests == []
    (path,) = Path("fetched").glob("trial-history-*.jsonl")
    again = tracker("ingest", "trials", path)
    assert "is already in the store; nothing was added" in again.stdout
    # The same versions in another file: a release that adds nothing.
    lines = path.read_text().splitlines(keepends=True)
    Path("trial-history-2021-01-01.jsonl").write_text("".join(reversed(lines)))
    other = ok(tracker("ingest", "trials", "trial-history-2021-01-01.jsonl"))
    assert "4 studies, 0 new or changed" in other.stdout
    # A folder that was emptied is not filled again with what the store has.
    for found in Path("fetched").iterdir():
        found.unlink()
    assert statuses(fetch(tracker)) == ["unchanged"]
    assert [request.path.removeprefix(PATH) for request in followed.requests] == [
        f"/{FIRST}/history",
        f"/{SECOND}/history",
    ]


@pytest.mark.slow
def test_only_versions_that_are_new_are_asked_for(
    followed: World, tracker: Tracker, db: Path
) -> None:
    refreshed(tracker)
    followed.as_of = "2025-10-01T09:00:05"
    followed.studies[0] = one(FIRST, status="COMPLETED", phases=["PHASE3"], updated="2025-09-20")
    edited = past(FIRST, status="COMPLETED", phases=["PHASE3"], updated="2025-09-20")
    followed.histories[FIRST].append(("2025-09-18", edited))
    configure(followed, "clinicaltrials")
    refreshed(tracker)
    configure(followed)
    followed.requests.clear()
    refreshed(tracker)
    asked = [request.path.removeprefix(PATH) for request in followed.requests]
    assert asked == [f"/{FIRST}/history", f"/{FIRST}/history/3"]
    assert labels(db, "2025-09-19")[OSTRAVA] == (3, 3.0)
    assert OSTRAVA not in labels(db, "2025-09-20")


@pytest.mark.slow
def test_what_the_registry_does_not_have(followed: World, tracker: Tracker, db: Path) -> None:
    del followed.histories[SECOND]
    day, _ = followed.histories[FIRST][1]
    followed.histories[FIRST][1] = (day, None)
    done = refreshed(tracker)
    assert versions() == [(FIRST, 0, True), (FIRST, 1, False), (FIRST, 2, True)]
    assert f"did not deliver, {FIRST} version 1 for one" in done.output + done.stderr
    assert labels(db, "2019-01-01") == {
        MARLOW: (1, 1.0),
        ("Ostrava fever", "davolimus"): (2, 2.0),
    }, "the version before stands until the next; the other study has its events"
    followed.requests.clear()
    assert statuses(fetch(tracker)) == ["unchanged"]
    assert followed.requests == []


@pytest.mark.slow
def test_too_many_requests_are_waited_for(followed: World, tracker: Tracker) -> None:
    followed.faults[f"{PATH}/{FIRST}/history/1"] = [servers.status(429, {"Retry-After": "1"})]
    followed.faults[f"{PATH}/{SECOND}/history"] = [servers.status(503)]
    assert statuses(fetch(tracker)) == ["fetched"]
    assert len(versions()) == 4


UNREADABLE = {
    "no JSON": (f"{PATH}/{FIRST}/history/1", b"{", "is not JSON"),
    "a login page": (f"{PATH}/{FIRST}/history/1", b"<html>", "is not JSON"),
    "a version of another study": (
        f"{PATH}/{FIRST}/history/1",
        json.dumps({"study": past(SECOND)}).encode(),
        f"is not a version of {FIRST}",
    ),
    "no list": (f"{PATH}/{FIRST}/history", b"{}", "lists no versions"),
    "a list of words": (f"{PATH}/{FIRST}/history", b'{"changes": ["a"]}', "without a number"),
    "a version twice": (
        f"{PATH}/{FIRST}/history",
        json.dumps({"changes": [{"version": 0, "date": "2015-01-01"}] * 2}).encode(),
        "without a number of its own",
    ),
    "no date": (
        f"{PATH}/{FIRST}/history",
        b'{"changes": [{"version": 0, "date": "2015-02-30"}]}',
        "is not a date",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNREADABLE)
def test_a_study_that_cannot_be_read_does_not_keep_others_out(
    followed: World, tracker: Tracker, name: str
) -> None:
    path, content, problem = UNREADABLE[name]
    followed.faults[path] = [servers.body(content, "application/json")]
    done = exited(3, fetch(tracker))
    (row,) = json.loads(done.stdout)
    assert row["status"] == "not fetched"
    assert problem in row["problem"]
    assert (SECOND, 0, True) in versions()
    assert statuses(fetch(tracker)) == ["fetched"]
    assert sorted(versions()) == [
        *((FIRST, number, True) for number in range(3)),
        (SECOND, 0, True),
    ]


@pytest.mark.slow
def test_one_broken_study_is_left_for_the_next_run(followed: World, tracker: Tracker) -> None:
    followed.faults[f"{PATH}/{FIRST}/history/2"] = servers.always(servers.status(500), 6)
    exited(3, fetch(tracker))
    assert versions() == [(FIRST, 0, True), (FIRST, 1, True), (SECOND, 0, True)]
    followed.requests.clear()
    assert statuses(fetch(tracker)) == ["fetched"]
    asked = [request.path.removeprefix(PATH) for request in followed.requests]
    assert asked == [f"/{FIRST}/history", f"/{FIRST}/history/2"]


@pytest.mark.slow
def test_a_killed_fetch_goes_on(
    followed: World, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    used, n_asked = history._used, 0

    def killed(*given: Any) -> dict[str, Any]:
        nonlocal n_asked
        n_asked += 1
        if n_asked == 3:
            raise KeyboardInterrupt
        return used(*given)

    monkeypatch.setattr(history, "_used", killed)
    assert fetch(tracker).exit_code != 0
    assert versions() == []
    with Path("fetched", history._PART).open("ab") as part:
        part.write(b'{"nctId": "NCT0000')
    followed.requests.clear()
    assert statuses(fetch(tracker)) == ["fetched"]
    asked = [request.path.removeprefix(PATH) for request in followed.requests]
    assert asked == [
        f"/{FIRST}/history",
        f"/{FIRST}/history/2",
        f"/{SECOND}/history",
        f"/{SECOND}/history/0",
    ]
    assert versions() == [(FIRST, 0, True), (FIRST, 1, True), (FIRST, 2, True), (SECOND, 0, True)]


@pytest.mark.usefixtures("followed")
@pytest.mark.slow
def test_a_run_takes_so_many_and_the_next_goes_on(
    tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_REQUESTS", 3)
    assert statuses(fetch(tracker)) == ["fetched"]
    assert versions() == [(FIRST, 0, True), (FIRST, 1, True)]
    assert statuses(fetch(tracker)) == ["fetched"]
    assert sorted(versions())[2:] == [(FIRST, 2, True)]
    assert statuses(fetch(tracker)) == ["fetched"]
    assert sorted(versions())[3:] == [(SECOND, 0, True)]
    assert statuses(fetch(tracker)) == ["unchanged"]


@pytest.mark.slow
def test_studies_of_followed_slates_alone(followed: World, tracker: Tracker, db: Path) -> None:
    Path("other.csv").write_text("disease_name,drug_name,score\nOstrava fever,davolimus,0.5\n")
    with store.writer(db) as connection:
        loads.load_candidates(connection, Path("other.csv"), "other", "m2")
        slate = freezing.freeze(connection, candidates="other", labels=None)
    configure(followed, "clinicaltrials-history", studies='studies = "followed", ')
    content = Path("tracker.toml").read_text()
    Path("tracker.toml").write_text(f'slates = "{slate.slate.slate_id}"\n{content}')
    assert statuses(fetch(tracker)) == ["fetched"]
    assert versions() == [(SECOND, 0, True)]


@pytest.mark.usefixtures("followed")
@pytest.mark.slow
def test_a_replay_rebuilds_past_versions(tracker: Tracker, db: Path) -> None:
    refreshed(tracker)
    done = ok(tracker("replay", "--sources", "fetched"))
    with store.writer(db) as connection:
        connection.execute(text("update trial set phase = 'PHASE4' where version_number = 1"))
    done = exited(4, tracker("replay", "--sources", "fetched"))
    assert f"{FIRST} version 1 as of" in done.output


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a number": ({"version": -1}, "is not a number of a version"),
    "a date": ({"date": "2015-1-5"}, "is not a date"),
    "an NCT id": ({"nctId": "1"}, "'1' is not an NCT id"),
    "another study": ({"nctId": SECOND}, f"is of another study, {FIRST}"),
    "later than its release": ({"date": "2024-06-01"}, "was submitted on 2024-06-01, after"),
}


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_no_history_are_refused(tracker: Tracker, name: str) -> None:
    changed, problem = REFUSED[name]
    line = {"nctId": FIRST, "version": 0, "date": "2015-01-05", "study": past(FIRST)}
    Path("trial-history-2024-01-01.jsonl").write_text(json.dumps({**line, **changed}) + "\n")
    done = exited(3, tracker("ingest", "trials", "trial-history-2024-01-01.jsonl"))
    assert problem in done.output


@pytest.mark.usefixtures("world")
def test_past_versions_and_snapshots_are_ingested_apart(tracker: Tracker) -> None:
    line = {"nctId": FIRST, "version": 0, "date": "2015-01-05", "study": past(FIRST)}
    Path("a.jsonl").write_text(json.dumps(line) + "\n")
    Path("b.jsonl").write_text(json.dumps(one(FIRST)) + "\n")
    both = tracker("ingest", "trials", "a.jsonl", "b.jsonl")
    assert "ingest them apart from snapshots" in both.output
    whole = tracker("ingest", "trials", "a.jsonl", "--complete")
    assert "no complete snapshot" in whole.output


@pytest.mark.usefixtures("world")
def test_words_are_as_in_the_api(tracker: Tracker, db: Path) -> None:
    """The history has its texts escaped for HTML."""
    escaped = past(FIRST, conditions=["Marlow&#39;s &amp; Ostrava&#x27;s fever"])
    line = {"nctId": FIRST, "version": 0, "date": "2015-01-05", "study": escaped}
    Path("a.jsonl").write_text(json.dumps(line) + "\n")
    ok(tracker("ingest", "trials", "a.jsonl"))
    with store.reader(db) as connection:
        found = connection.execute(text("select name from trial_condition")).scalars().all()
    assert found == ["Marlow's & Ostrava's fever"]
