"""What is recorded of starts does not depend on how often a store was refreshed.

Random histories of studies are followed release by release, and by a part of the releases that
keeps the last. A study plans, and moves what it plans, until a release shows that it began, if it
does; what it then says of its start stays, as do its phase, its drug and its disease.

- The events of registrations, starts and phases are the same: pair, study, phase, date, and the
  days between which they became public. Only the release that showed them may be a later one.
- So are the outcomes of a slate that rest on them, with their timing, and its hits, of pairs with
  one study.
- Of pairs with several the order of the releases decides which study is the first, so that an
  outcome stays what it was: whether there is a first trial is the same, and its timing.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
import worlds
from sqlalchemy import Connection, text
from support import sampled
from worlds import Row, World

from tracker.evidence import detection

FIRST, N_WEEKS, N_PAIRS = date(2025, 1, 6), 20, 60
FROZEN_ON = date(2025, 3, 12)
PLANNED = ("NOT_YET_RECRUITING", "NOT_YET_RECRUITING", "UNKNOWN", "RECRUITING", "WITHDRAWN")
BEGUN = ("RECRUITING", "ACTIVE_NOT_RECRUITING", "COMPLETED", "TERMINATED", "UNKNOWN", "SUSPENDED")
_EVENTS = """
select disease_id, drug_id, event_type, record, phase, event_date, public_after, public_by
from event
where event_type in ('trial_registered', 'trial_started', 'trial_phase')
"""
_OUTCOMES = """
select disease_id, outcome_type, record, event_date, timing, public_after, public_by
from outcome_timing
where outcome_type in ('first_trial_seen', 'phase_advanced')
"""
_HITS = "select disease_id, first_event_date from pair_outcome where is_hit"


class Version(NamedTuple):
    """What a study says from a week on."""

    week: int
    status: str
    start: date | None
    start_type: str | None
    last_known: str | None


@dataclass(frozen=True)
class Study:
    """A study, and its versions by week."""

    nct_id: str
    pair: int
    phase: float | None
    posted: date
    versions: Sequence[Version]

    def at(self, week: int) -> Version | None:
        """Return the version that a release of the week shows."""
        return max((one for one in self.versions if one.week <= week), default=None)


def day(week: int) -> date:
    return FIRST + timedelta(weeks=week)


def planned(chance: random.Random, week: int) -> Version:
    """Return a version that has not begun, whose date may be long past."""
    start = day(week) + timedelta(days=chance.choice((-90, -3, 2, 20, 70)))
    status = chance.choice(PLANNED)
    says_so = status in {"NOT_YET_RECRUITING", "WITHDRAWN", "UNKNOWN"}
    last_known = "NOT_YET_RECRUITING" if status == "UNKNOWN" else None
    if not says_so:
        return Version(week, status, start, "ESTIMATED", last_known)
    start_type = chance.choice(("ESTIMATED", "ESTIMATED", None))
    return Version(week, status, chance.choice((start, start, None)), start_type, last_known)


def begun(chance: random.Random, week: int, start: date | None, start_type: str | None) -> Version:
    status = chance.choice(BEGUN)
    return Version(week, status, start, start_type, "RECRUITING" if status == "UNKNOWN" else None)


def study(chance: random.Random, number: int, pair: int) -> Study:
    seen = chance.randrange(N_WEEKS - 2)
    begins = chance.choice((seen, *range(seen, N_WEEKS), N_WEEKS))
    weeks = sorted(chance.sample(range(seen, N_WEEKS), min(4, N_WEEKS - seen)))
    start = day(begins) - timedelta(days=chance.choice((-5, 0, 1, 4, 30, 120)))
    stays = chance.choice((start, start, start, None)), chance.choice(("ACTUAL", "ACTUAL", None))
    return Study(
        f"NCT{number:08d}",
        pair,
        chance.choice((None, 0.5, 1.0, 2.0, 3.0)),
        day(seen) - timedelta(days=chance.choice((0, 1, 3, 40))),
        [
            planned(chance, week) if week < begins else begun(chance, week, *stays)
            for week in sorted({seen, *weeks, *([begins] if begins < N_WEEKS else [])})
        ],
    )


def histories(chance: random.Random) -> list[Study]:
    pairs = [*range(1, N_PAIRS + 1), *range(1, N_PAIRS // 3)]
    return [study(chance, number, pair) for number, pair in enumerate(pairs, start=1)]


def world(studies: Sequence[Study], weeks: Sequence[int]) -> World:
    """Return a slate of all pairs and the releases of the weeks."""
    pairs = range(1, N_PAIRS + 1)
    rows: dict[str, list[Row]] = {
        "slate": [{"slate_id": UUID(int=1), "frozen_on": FROZEN_ON}],
        "release": [],
        "trial": [],
        "trial_condition": [],
        "trial_intervention": [],
        "prediction": [
            {"slate_id": UUID(int=1), "disease_id": one, "drug_id": one} for one in pairs
        ],
    }
    for kind in ("disease", "drug"):
        rows[f"{kind}_alias"] = [
            {f"{kind}_id": one, "kind": "name", "value": f"{kind} {one}"} for one in pairs
        ]
    shown: dict[str, Version] = {}
    for number, week in enumerate(weeks, start=1):
        on = {"released_on": day(week), "version": str(day(week))}
        rows["release"].append({"release_id": number, "source": "ctgov", **on})
        for one in studies:
            version = one.at(week)
            if version is not None and shown.get(one.nct_id) != version:
                shown[one.nct_id] = version
                _add(rows, number, one, version)
    return worlds.complete(rows)


def _add(rows: dict[str, list[Row]], release_id: int, one: Study, version: Version) -> None:
    trial_id = len(rows["trial"]) + 1
    made: dict[str, Any] = {
        "trial_id": trial_id,
        "release_id": release_id,
        "nct_id": one.nct_id,
        "overall_status": version.status,
        "last_known_status": version.last_known,
        "start_date": version.start,
        "start_precision": "day" if version.start else None,
        "start_type": version.start_type if version.start else None,
        "reached_phase": one.phase,
        "first_posted_on": one.posted,
        "last_update_posted_on": day(version.week),
    }
    rows["trial"].append(made)
    for table, kind in (("trial_condition", "disease"), ("trial_intervention", "drug")):
        name = f"{kind} {one.pair}"
        rows[table].append({"trial_id": trial_id, "position": 1, "folded_name": name})


def recorded(connection: Connection, query: str) -> set[tuple[Any, ...]]:
    return {tuple(row) for row in connection.execute(text(query))}


@pytest.mark.slow
def test_a_study_that_only_plans_has_no_start(store_path: Path) -> None:
    """Whatever it plans, and though a release is dated after the day."""
    plans = [Version(0, "NOT_YET_RECRUITING", day(1), "ESTIMATED", None)]
    plans.append(Version(5, "RECRUITING", day(4), "ESTIMATED", None))
    plans.append(Version(8, "UNKNOWN", day(4), None, "NOT_YET_RECRUITING"))
    began = Version(10, "RECRUITING", day(9), "ACTUAL", None)
    studies = [
        Study("NCT00000001", 1, 2.0, FIRST, plans),
        Study("NCT00000002", 2, 2.0, FIRST, [*plans, began]),
    ]
    with worlds.scratch(store_path) as connection:
        worlds.insert(connection, world(studies, range(N_WEEKS)))
        detection.detect(connection, [])
        found = {(one[1], one[2], one[5]) for one in recorded(connection, _EVENTS)}
    assert found == {
        (1, "trial_registered", FIRST),
        (2, "trial_registered", FIRST),
        (2, "trial_started", day(9)),
        (2, "trial_phase", day(9)),
    }


@pytest.mark.parametrize("seed", sampled(range(8), 8, slow=True))
def test_how_often_one_refreshed_changes_no_start(store_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    studies = histories(chance)
    last = N_WEEKS - 1
    some = sorted({*chance.sample(range(last), chance.choice((0, 0, 1, 4, 10))), last})
    found = []
    for weeks in (range(N_WEEKS), some):
        with worlds.scratch(store_path) as connection:
            worlds.insert(connection, world(studies, weeks))
            detection.detect(connection, [])
            found.append([recorded(connection, query) for query in (_EVENTS, _OUTCOMES, _HITS)])
    (all_events, all_outcomes, all_hits), (events, outcomes, hits) = found
    assert events == all_events
    of_studies = [one.pair for one in studies]
    lonely = {pair for pair in of_studies if of_studies.count(pair) == 1}
    assert _of(outcomes, lonely) == _of(all_outcomes, lonely) != set()
    assert _of(hits, lonely) == _of(all_hits, lonely) != set()
    assert _first(outcomes) == _first(all_outcomes)


def _of(rows: set[tuple[Any, ...]], pairs: set[int]) -> set[tuple[Any, ...]]:
    return {row for row in rows if row[0] in pairs}


def _first(outcomes: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    return {(row[0], row[4]) for row in outcomes if row[1] == "first_trial_seen"}
