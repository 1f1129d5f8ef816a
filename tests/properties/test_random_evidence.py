"""Random little histories of studies, indications and approvals, detected and compared with truth.

A store has many islands: two drugs and two diseases each, whose records name no others. They share
the releases and the slates, which differ in the freeze and in the aliases that were known. Unlike
the world of test_simulated_world, this one needs no files, so that far more histories fit in.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
import recorded
import simulated_truth
import worlds
from simulated_truth import Outcome, Watch
from simulated_world import Arm, Indication, Product, Release, Study, Submission
from support import sampled
from worlds import Row, World

from tracker.evidence import detection

N_ISLANDS = 40
START = date(2025, 1, 10)
# Aliases are known before the first slate is recorded, or only before the second kind of slate.
KNOWN = (datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC))
RECORDED = (datetime(2024, 2, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC))
PHASES = {(): None, ("EARLY_PHASE1",): 0.5, ("PHASE1",): 1.0, ("PHASE2",): 2.0, ("PHASE4",): 4.0}
TYPES = ("DRUG", "DRUG", "BIOLOGICAL", "BEHAVIORAL", "DEVICE")
PURPOSES = ("TREATMENT", "TREATMENT", "PREVENTION", None, "DIAGNOSTIC", "SUPPORTIVE_CARE")
STATUSES = (
    "NOT_YET_RECRUITING",
    "RECRUITING",
    "COMPLETED",
    "TERMINATED",
    "WITHDRAWN",
    "UNKNOWN",
    "RECRUITING",
)
START_TYPES = ("ACTUAL", "ACTUAL", None, None, "ESTIMATED", "ANTICIPATED")


class History:
    """What three sources report of all islands, release by release."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        # Of its own, so that the rest of a history is the same with references and without.
        self._of_references = random.Random(str(chance.getstate()))  # noqa: S311 - chance, not secrecy
        self.releases: list[Release] = []
        self._studies: dict[str, Study] = {}
        self._rows: dict[int, Indication] = {}
        self._acted: list[Submission] = []
        day = START
        for number in range(10):
            day += timedelta(days=chance.choice((20, 31, 45)))
            source = ("ctgov", "chembl", "ctgov", "chembl", "fda")[number % 5]
            self.releases.append(getattr(self, f"_{source}")(number, day))

    def day(self, about: date) -> date:
        return about + timedelta(
            days=self.chance.choice((-200, -60, -20, -5, -1, 0, 1, 10, 30, 60))
        )

    def _partial(self, day: date) -> str | None:
        return self.chance.choice((day.isoformat(), day.isoformat(), f"{day:%Y-%m}", None))

    def _names(self, island: int, kind: str) -> tuple[str, ...]:
        names = [f"{kind}{island}{one}{alias}" for one in "ab" for alias in ("", "old", "late")]
        return tuple(self.chance.sample(names, self.chance.choice((1, 1, 2, 3))))

    def _study(self, nct_id: str, island: int, day: date) -> Study:
        posted = min(self.day(day), day - timedelta(days=1))
        given = tuple((self.chance.choice(TYPES), name, ()) for name in self._names(island, "drug"))
        status, start = self.chance.choice(STATUSES), self._partial(self.day(day))
        last_known = self.chance.choice(("NOT_YET_RECRUITING", "RECRUITING", None))
        return Study(
            nct_id,
            "INTERVENTIONAL",
            self.chance.choice(tuple(PHASES)),
            status,
            start,
            self._partial(self.day(day)),
            posted,
            max(posted, day - timedelta(days=self.chance.choice((1, 9, 90)))),
            self._names(island, "disease"),
            (),
            given,
            self.chance.choice(PURPOSES),
            self._arms(len(given)),
            start_type=self.chance.choice(START_TYPES) if start else None,
            last_known=last_known if status == "UNKNOWN" else None,
        )

    def _arms(self, n_given: int) -> tuple[Arm, ...]:
        """Return arms in which the first of several is nothing, a comparator, or given to all."""
        first, everything = (0,), tuple(range(n_given))
        if n_given == 1 or self.chance.random() < 0.5:
            return ()
        tested = self.chance.choice((everything, everything[1:]))
        return (Arm("EXPERIMENTAL", tested), Arm("ACTIVE_COMPARATOR", first))

    def _ctgov(self, number: int, day: date) -> Release:
        for island in range(N_ISLANDS):
            for nth in range(3):
                nct_id = f"NCT{island:05d}{nth:03d}"
                chosen, known = self.chance.random(), self._studies.get(nct_id)
                if known is None or chosen < 0.3:
                    made = self._study(nct_id, island, day)
                    if known is None and chosen < 0.6:
                        continue
                    # What changes of a study: anything but its first posting.
                    keeps = known is not None and self.chance.random() < 0.5
                    self._studies[nct_id] = (
                        made
                        if known is None
                        else replace(
                            made,
                            posted=known.posted,
                            updated=max(known.posted, made.updated),
                            conditions=known.conditions if keeps else made.conditions,
                            interventions=known.interventions if keeps else made.interventions,
                            arms=known.arms if keeps else made.arms,
                        )
                    )
        shown = [study for study in self._studies.values() if self.chance.random() < 0.95]
        return Release("ctgov", number, day, studies=tuple(shown))

    def _chembl(self, number: int, day: date) -> Release:
        chance = self.chance
        for island in range(N_ISLANDS):
            for nth in range(3):
                key = island * 10 + nth
                if chance.random() < 0.4:
                    one, other = chance.choice("ab"), chance.choice("ab")
                    self._rows[key] = Indication(
                        key,
                        f"CHEMBL{island}{'12'['ab'.index(one)]}{chance.choice('01')}",
                        chance.choice((None, 0, 0.5, 1, 2, 3, 4)),
                        f"MESH:{island}{chance.choice('abc')}",
                        "heading",
                        f"EFO:{island}{other}{chance.choice('xy')}",
                        chance.choice((f"disease{island}{other}late", "a term")),
                        self._references(),
                    )
        shown = [row for row in self._rows.values() if chance.random() < 0.9]
        # A molecule that ends in 0 is the parent of the one that ends in 1.
        parents = {row.chembl_id: f"{row.chembl_id[:-1]}0" for row in shown}
        return Release("chembl", number, day, indications=tuple(shown), parents=parents)

    def _references(self) -> tuple[str, ...]:
        """Return numbers of some studies registered from 2024 on, or later than any known month."""
        numbers = range(6_250_000, 7_720_000)
        return tuple(
            f"NCT{self._of_references.choice(numbers):08d}"
            for _ in range(self._of_references.choice((0, 0, 0, 1, 1, 2)))
        )

    def _fda(self, number: int, day: date) -> Release:
        for island in range(0, N_ISLANDS, 2):
            self._acted.append(
                Submission(f"{island:06d}", "SUPPL", str(number), "AP", self.day(day), "EFFICACY")
            )
        products = tuple(
            Product(f"{island:06d}", f"brand{island}", (f"drug{island}a",))
            for island in range(N_ISLANDS)
        )
        return Release("fda", number, day, submissions=tuple(self._acted), products=products)


def aliases(kind: str, late: int) -> list[tuple[int, str, str, int]]:
    """Return id, kind, value and moment of every alias of the drugs or diseases.

    Half of them become known at the moment `late`: 1 is after the first slates were recorded.
    """
    found = []
    for island in range(N_ISLANDS):
        for place, one in enumerate("ab"):
            entity_id, name = entity(island, place), f"{kind}{island}{one}"
            found += [
                (entity_id, "name", name, 0),
                (entity_id, "synonym", f"{name}old", 0),
                (entity_id, "synonym", f"{name}late", late),
            ]
            if kind == "drug":
                found.append((entity_id, "chembl_id", f"CHEMBL{island}{place + 1}1", 0))
                found.append((entity_id, "parent_chembl_id", f"CHEMBL{island}{place + 1}0", late))
            else:
                found.append((entity_id, "efo_id", f"EFO:{island}{one}x", 0))
                found.append((entity_id, "mesh_id", f"MESH:{island}{one}", late))
    return found


def entity(island: int, place: int) -> int:
    return 1 + 2 * island + place


def watches(chance: random.Random, history: History, late: int) -> list[Watch]:
    """Return slates of several freezes, with the aliases of one moment or of the other."""
    keys = {
        kind: [
            {
                f"{kind}{island}{one}": {
                    value: number
                    for entity_id, _, value, number in aliases(kind, late)
                    if entity_id == entity(island, place) and number <= latest
                }
                for island in range(N_ISLANDS)
                for place, one in enumerate("ab")
            }
            for latest in (0, 1)
        ]
        for kind in ("drug", "disease")
    }
    pairs = [
        (f"disease{island}{one}", f"drug{island}{other}")
        for island in range(N_ISLANDS)
        for one in "ab"
        for other in "ab"
    ]
    known = {pair: float(chance.choice((1, 2, 3))) for pair in chance.sample(pairs, N_ISLANDS)}
    days = [release.day for release in history.releases]
    freezes = [START, days[2], days[3] + timedelta(days=4), days[6] - timedelta(days=1)]
    return [
        Watch(
            f"{number} {latest}",
            day,
            frozenset(pairs),
            known,
            keys["drug"][latest],
            keys["disease"][latest],
            uses=(simulated_truth.DEFAULT_USES, simulated_truth.USES)[number % 2],
        )
        for number, day in enumerate(freezes)
        for latest in (0, 1)
    ]


def evidence_rows(releases: Sequence[Release]) -> World:
    """Return the rows that an ingestion of the releases would leave in the store."""
    world: World = {
        name: []
        for name in (
            "release",
            "record_presence",
            "indication",
            "indication_reference",
            "trial",
            "trial_condition",
            "trial_intervention",
            "approval",
            "approval_product",
            "product_ingredient",
        )
    }
    last: dict[str, Study] = {}
    standing: set[str] = set()
    acted: set[Submission] = set()
    for release_id, release in enumerate(releases, start=1):
        world["release"].append(
            {
                "release_id": release_id,
                "source": release.source,
                "version": release.version,
                "released_on": release.day,
                "ingested_at": RECORDED[1] + timedelta(days=release_id),
            }
        )
        present = {study.nct_id for study in release.studies}
        if release.source == "ctgov":
            for nct_id in (standing ^ present) & last.keys():
                world["record_presence"].append(
                    {
                        "release_id": release_id,
                        "kind": "trial",
                        "record_key": nct_id,
                        "is_present": nct_id in present,
                    }
                )
            standing = present
        for study in release.studies:
            if last.get(study.nct_id) != study:
                last[study.nct_id] = study
                _add_study(world, release_id, study)
        for row in sorted(release.indications, key=lambda row: row.key):
            world["indication_reference"] += [
                {"indication_id": len(world["indication"]) + 1, "ref_type": kind, "ref_id": number}
                for kind, number in zip(
                    ("ClinicalTrials", "not stated"), row.references, strict=False
                )
            ]
            world["indication"].append(
                _indication(len(world["indication"]), release_id, release, row)
            )
        for entry in release.submissions:
            if entry not in acted:
                acted.add(entry)
                world["approval"].append(_approval(len(acted), release_id, entry))
        if release.source == "fda" and not world["approval_product"]:
            for product_id, product in enumerate(release.products, start=1):
                _add_product(world, product_id, release_id, product)
    return world


def _dated(name: str, written: str | None) -> Row:
    precision = {None: None, 7: "month", 10: "day"}[len(written) if written else None]
    day = date.fromisoformat(f"{written}-01"[:10]) if written else None
    return {f"{name}_date": day, f"{name}_precision": precision}


def _add_study(world: World, release_id: int, study: Study) -> None:
    trial_id = len(world["trial"]) + 1
    world["trial"].append(
        {
            "trial_id": trial_id,
            "release_id": release_id,
            "nct_id": study.nct_id,
            "study_type": study.study_type,
            "primary_purpose": study.purpose,
            "phase": "|".join(study.phases) or None,
            "reached_phase": PHASES[study.phases],
            "overall_status": study.status,
            **_dated("start", study.start),
            "start_type": study.start_type,
            "last_known_status": study.last_known,
            **_dated("completion", study.completion),
            "first_posted_on": study.posted,
            "last_update_posted_on": study.updated,
            "content_sha256": f"{trial_id}",
        }
    )
    world["trial_condition"] += [
        {"trial_id": trial_id, "position": number, "folded_name": name}
        for number, name in enumerate(study.conditions, start=1)
    ]
    world["trial_intervention"] += [
        {
            "trial_id": trial_id,
            "position": place + 1,
            "folded_name": name,
            "intervention_type": kind,
            "arm_role": _role(study, place),
        }
        for place, (kind, name, _) in enumerate(study.interventions)
    ]


def _role(study: Study, place: int) -> str | None:
    """Return the role that an ingestion would find."""
    if not study.arms:
        return None
    if simulated_truth.is_comparator(study, place):
        return "comparator"
    return "background" if simulated_truth.is_background(study, place) else "experimental"


def _indication(number: int, release_id: int, release: Release, row: Indication) -> Row:
    return {
        "indication_id": number + 1,
        "release_id": release_id,
        "source_key": str(row.key),
        "chembl_id": row.chembl_id,
        "parent_chembl_id": release.parents[row.chembl_id],
        "efo_id": row.efo_id,
        "efo_term": row.term,
        "folded_efo_term": row.term,
        "mesh_id": row.mesh_id,
        "mesh_heading": row.heading,
        "folded_mesh_heading": row.heading,
        "max_phase": row.phase,
    }


def _approval(number: int, release_id: int, entry: Submission) -> Row:
    return {
        "approval_id": number,
        "release_id": release_id,
        "source_key": f"NDA{entry.application}/{entry.kind}/{entry.number}",
        "application_number": f"NDA{entry.application}",
        "submission_type": entry.kind,
        "submission_number": entry.number,
        "submission_status": entry.status,
        "status_date": entry.status_date,
        "submission_class": entry.submission_class,
        "content_sha256": f"{number}",
    }


def _add_product(world: World, product_id: int, release_id: int, product: Product) -> None:
    world["approval_product"].append(
        {
            "product_id": product_id,
            "release_id": release_id,
            "application_number": f"NDA{product.application}",
            "drug_name": product.brand,
            "folded_drug_name": product.brand,
        }
    )
    world["product_ingredient"].append(
        {"product_id": product_id, "position": 1, "folded_name": product.ingredients[0]}
    )


def store_rows(history: History, slates: Sequence[Watch], late: int) -> World:
    """Return a complete world: names, slates and the evidence of the history."""
    rows = evidence_rows(history.releases)
    ids = {
        kind: {value: one for one, how, value, _ in aliases(kind, late) if how == "name"}
        for kind in ("drug", "disease")
    }
    for kind in ("drug", "disease"):
        rows[kind] = [{f"{kind}_id": one, "name": name} for name, one in ids[kind].items()]
        rows[f"{kind}_alias"] = [
            {f"{kind}_id": one, "kind": how, "value": value, "added_at": KNOWN[number]}
            for one, how, value, number in aliases(kind, late)
        ]
    rows["slate"] = [
        {
            "slate_id": UUID(int=number),
            "description": watch.name,
            "frozen_on": watch.frozen_on,
            "recorded_at": RECORDED[int(watch.name[-1])],
            # The contract of aliases: other kinds of match have their own tests.
            "plan": {"matching": {"kinds": []}, "studies": {"uses": sorted(watch.uses)}},
        }
        for number, watch in enumerate(slates, start=1)
    ]
    rows["prediction"] = [
        {
            "slate_id": UUID(int=number),
            "disease_id": ids["disease"][pair[0]],
            "drug_id": ids["drug"][pair[1]],
            "rank": rank,
            "known_max_phase": watch.known.get(pair),
        }
        for number, watch in enumerate(slates, start=1)
        for rank, pair in enumerate(sorted(watch.pairs), start=1)
    ]
    return worlds.complete(rows)


def true_outcomes(slates: Iterable[Watch], releases: Sequence[Release]) -> set[Outcome]:
    return set().union(*(simulated_truth.outcomes(watch, releases) for watch in slates))


@pytest.mark.parametrize("seed", sampled(range(6), 6, slow=True))
def test_outcomes_are_those_of_the_contract(store_path: Path, seed: int) -> None:
    assert_agreement(store_path, seed, late=0)


@pytest.mark.parametrize("seed", sampled(range(6), 6, slow=True))
def test_aliases_added_after_a_slate_change_nothing_of_it(store_path: Path, seed: int) -> None:
    assert_agreement(store_path, seed, late=1)


def assert_agreement(store_path: Path, seed: int, late: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    history = History(chance)
    slates = watches(chance, history, late)
    expected = true_outcomes(slates, history.releases)
    with worlds.scratch(store_path) as connection:
        worlds.insert(connection, store_rows(history, slates, late))
        detection.detect(connection, [])
        found, phases = recorded.outcomes(connection), recorded.known_phases(connection)
        timings = recorded.timings(connection)
    wrong = [f"false: {one}" for one in sorted(map(str, found - expected))]
    wrong += [f"missing: {one}" for one in sorted(map(str, expected - found))]
    assert not wrong, f"{len(wrong)} of {len(expected)}\n" + "\n".join(wrong[:5])
    assert phases == simulated_truth.known_at_freezes(slates, history.releases)
    assert timings == simulated_truth.timings(expected, slates, history.releases)
