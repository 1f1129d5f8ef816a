"""Random histories of EMA's table, detected and compared with docs/metrics.md#ema_approved.

The reference keeps every version of every product in memory and walks through them, one pair at a
time. Products, substances and areas share a few names, so that pairs have several products.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
import worlds
from sqlalchemy import text
from support import sampled
from worlds import Row, World

from tracker.evidence import detection

N_RELEASES, N_PRODUCTS, N_DRUGS, N_DISEASES = 5, 40, 4, 5
FIRST = date(2025, 1, 10)
GIVEN = ("Authorised", "Suspended", "Withdrawn", "Lapsed", "Expired", "Revoked")
ENDED = (*GIVEN[2:], "Application withdrawn", "Withdrawn from rolling review")
STATUSES = (*GIVEN, *ENDED[-2:], "Refused", "Opinion")
PLANS = (None, {"ema_approvals": True}, {"ema_approvals": False}, {"fda_drug_level": True})
Pair = tuple[int, int]


@dataclass(frozen=True)
class Version:
    """A product as one release has it: the place of the release, counted from 0, and its cells."""

    release: int
    cells: Row
    areas: tuple[int, ...]
    drugs: tuple[int, ...]


@dataclass(frozen=True)
class Event:
    """A decision as the ledger has it."""

    kind: str
    status: str | None
    event_date: date
    public_after: date | None
    public_by: date
    record: str


# The type of an outcome, and the event that makes it.
Counted = tuple[str, Event]


@dataclass
class History:
    """The days of the releases, and the versions of each product that changed, in order."""

    days: list[date]
    products: dict[str, list[Version]] = field(default_factory=dict)


def history_of(chance: random.Random) -> History:
    days = [FIRST]
    for _ in range(N_RELEASES - 1):
        days.append(days[-1] + timedelta(days=chance.choice((0, 20, 40))))
    history = History(days)
    for number in range(N_PRODUCTS):
        cells = {
            "category": chance.choice(("human",) * 9 + ("veterinary",)),
            "is_generic": chance.random() < 0.1,
            "is_biosimilar": chance.random() < 0.1,
            "n_substances": chance.choice((1, 1, 1, 1, 2)),
        }
        drugs = tuple(chance.sample(range(1, N_DRUGS + 1), int(cells["n_substances"])))
        versions: list[Version] = []
        for release in range(N_RELEASES):
            # Absent from the first releases, or unchanged.
            if chance.random() < 0.4:
                continue
            changed = cells | {
                "status": chance.choice(STATUSES),
                "indication": chance.choice((None, "a", "b")),
                "name": f"version {release}",
                **{name: _day(chance, days[release]) for name in DAYS},
            }
            # The table may write the substances otherwise in one release.
            named = drugs if chance.random() < 0.8 else drugs[:1] or (1,)
            areas = tuple(chance.sample(range(1, N_DISEASES + 1), chance.randint(0, 3)))
            changed["n_substances"] = len(named)
            versions.append(Version(release, changed, areas, named))
        history.products[f"P{number}"] = versions
    return history


DAYS = ("authorised_on", "refused_on", "application_withdrawn_on", "authorisation_ended_on")


def _day(chance: random.Random, released_on: date) -> date | None:
    """Return a day long before or around a release, sometimes after it, or none."""
    days = (None, *(released_on - timedelta(days=n) for n in (4000, 35, 10, 0, -3)))
    return chance.choice(days)


def decision(version: Version, kind: str, day: date) -> tuple[str | None, date | None] | None:
    """Return the status and the date of the decision that a version shows of a kind, if any."""
    cells, status = version.cells, version.cells["status"]
    if kind == "ema_authorised":
        found = (None, cells["authorised_on"])
        is_shown = status in GIVEN and cells["authorised_on"] is not None
    elif kind == "ema_refused":
        found, is_shown = (status, cells["refused_on"]), status == "Refused"
    else:
        of_application = status in ENDED[-2:]
        column = "application_withdrawn_on" if of_application else "authorisation_ended_on"
        found, is_shown = (status, cells[column]), status in ENDED
    return found if is_shown and (found[1] is None or found[1] <= day) else None


def before(history: History, release: int) -> date | None:
    """Return the day of the release before, the day before its own if both are of one day."""
    if release == 0:
        return None
    return min(history.days[release - 1], history.days[release] - timedelta(days=1))


def last_shown_on(history: History, versions: Sequence[Version], place: int) -> date:
    """Return the day of the last release that shows a version of a product."""
    later = versions[place + 1 :]
    return history.days[later[0].release - 1 if later else -1]


def events_of(history: History, pair: Pair) -> Iterator[Event]:
    for record, versions in history.products.items():
        if not versions:
            continue
        cells = versions[0].cells
        if cells["category"] != "human" or cells["is_generic"] or cells["is_biosimilar"]:
            continue
        for kind in ("ema_authorised", "ema_refused", "ema_withdrawn"):
            shown = [
                (place, version, found)
                for place, version in enumerate(versions)
                if (found := decision(version, kind, last_shown_on(history, versions, place)))
                is not None
            ]
            told: set[str | None] = set()
            for place, version, (status, day) in shown:
                if pair[0] not in version.areas or version.drugs != (pair[1],) or status in told:
                    continue
                told.add(status)
                release = version.release
                after = before(history, release) if place else None
                if kind == "ema_authorised":
                    # Where the area stood first, whatever the substances were then.
                    start = next(at for at, one, _ in shown if pair[0] in one.areas)
                    while start and (
                        versions[start - 1].cells["indication"]
                        == versions[start].cells["indication"]
                    ):
                        start -= 1
                    if start > shown[0][0]:
                        # An extension of the indication, public with its text.
                        release, day = versions[start].release, None
                        after = before(history, release)
                if day is None:
                    yield Event(
                        kind, status, history.days[release], after, history.days[release], record
                    )
                else:
                    yield Event(kind, status, day, day - timedelta(days=1), day, record)


def outcomes_of(history: History, slate: Row, pair: Pair, label: int | None) -> set[Counted]:
    plan, frozen_on = slate["plan"], slate["frozen_on"]
    events = list(events_of(history, pair))
    later = [one for one in events if one.public_by > frozen_on]
    if plan is not None and plan.get("ema_approvals") is not True:
        return set()
    found: set[Counted] = set()
    authorised = [one for one in events if one.kind == "ema_authorised"]
    is_approved = label == 4 or any(one.public_by <= frozen_on for one in authorised)
    first = min(
        (one for one in later if one.kind == "ema_authorised"),
        key=lambda one: (one.public_by, one.event_date, one.record),
        default=None,
    )
    if first is not None and not is_approved:
        found.add(("ema_approved", first))
    for one in later:
        if one.kind == "ema_authorised" or one.public_after is None:
            continue
        if not any(_stands(events, other, one) for other in authorised):
            kind = "approval_refused" if one.kind == "ema_refused" else "approval_withdrawn"
            found.add((kind, one))
    return found


def _stands(events: Sequence[Event], other: Event, end: Event) -> bool:
    """Whether another product has the pair authorised on the day of an end."""
    ends = [
        one.event_date
        for one in events
        if one.record == other.record and one.kind == "ema_withdrawn"
    ]
    return (
        other.record != end.record
        and other.event_date <= end.event_date
        and (not ends or end.event_date < min(ends))
    )


def world_of(history: History, slates: Sequence[Row], labels: dict[Pair, int]) -> World:
    """Return the rows of the evidence, and slates that predict every pair."""
    rows: World = {
        "release": [
            {"release_id": number, "source": "ema", "version": str(number), "released_on": day}
            for number, day in enumerate(history.days, start=1)
        ],
        "drug_alias": [
            {"drug_id": n, "kind": "name", "value": f"drug {n}"} for n in range(1, N_DRUGS + 1)
        ],
        "disease_alias": [
            {"disease_id": n, "kind": "name", "value": f"area {n}"}
            for n in range(1, N_DISEASES + 1)
        ],
        "labeled_pair": [
            {"label_set_id": 1, "disease_id": disease, "drug_id": drug, "label": label}
            for (disease, drug), label in labels.items()
        ],
        "slate": [dict(slate) for slate in slates],
        "prediction": [
            {"slate_id": slate["slate_id"], "disease_id": disease, "drug_id": drug}
            for slate in slates
            for disease in range(1, N_DISEASES + 1)
            for drug in range(1, N_DRUGS + 1)
        ],
        "medicine": [],
        "medicine_area": [],
        "medicine_substance": [],
    }
    ordered = [
        (version.release, record, version)
        for record, versions in history.products.items()
        for version in versions
    ]
    for number, (release, record, version) in enumerate(
        sorted(ordered, key=lambda one: one[:2]), start=1
    ):
        rows["medicine"].append(
            version.cells
            | {"medicine_id": number, "release_id": release + 1, "product_number": record}
        )
        for table, name, listed in (
            ("medicine_area", "area", version.areas),
            ("medicine_substance", "drug", version.drugs),
        ):
            rows[table] += [
                {"medicine_id": number, "position": place, "folded_name": f"{name} {one}"}
                for place, one in enumerate(listed, start=1)
            ]
    return worlds.complete(rows)


@pytest.mark.parametrize("seed", sampled(range(12), 6))
def test_events_and_outcomes_are_those_of_the_rules(store_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    history = history_of(chance)
    slates = [
        {
            "slate_id": UUID(int=number),
            "label_set_id": 1,
            "frozen_on": chance.choice(history.days) + timedelta(days=chance.choice((-30, 0, 9))),
            "recorded_at": datetime(2026, 1, 1, tzinfo=UTC),
            "plan": plan,
        }
        for number, plan in enumerate(PLANS, start=1)
    ]
    pairs = [(disease, drug) for disease in range(1, 6) for drug in range(1, 5)]
    labels = {pair: chance.choice((2, 4)) for pair in chance.sample(pairs, 4)}
    with worlds.scratch(store_path) as connection:
        worlds.insert(connection, world_of(history, slates, labels))
        detection.detect(connection, [])
        recorded = connection.execute(
            text(
                "select disease_id, drug_id, event_type, detail ->> 'status', event_date, "
                "public_after, public_by, record from event"
            )
        ).all()
        counted = connection.execute(
            text(
                "select slate_id, disease_id, drug_id, outcome_type, detail ->> 'status', "
                "event_date, public_after, public_by, record from outcome"
            )
        ).all()
    expected = [(*pair, *vars(one).values()) for pair in pairs for one in events_of(history, pair)]
    assert sorted(map(str, recorded)) == sorted(map(str, expected))
    assert len(expected) > 20
    true = [
        (slate["slate_id"], *pair, kind, *list(vars(one).values())[1:])
        for slate in slates
        for pair in pairs
        for kind, one in outcomes_of(history, slate, pair, labels.get(pair))
    ]
    assert sorted(map(str, counted)) == sorted(map(str, true))
