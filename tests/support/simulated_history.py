"""The events of a simulated world and how its three sources report them.

The events are those that real releases contain and that mislead naive tools.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TypeVar

from simulated_world import (
    Arm,
    Disease,
    Drug,
    Indication,
    Product,
    Release,
    Study,
    Submission,
)

N_DISEASES, N_DRUGS = 12, 40
FIRST_DAY = date(2022, 4, 4)
# Names that two drugs of the store have, before every freeze or after the first ones, and one of
# two diseases.
AMBIGUOUS = ("Commonol", "Laterol")
COMMON_CONDITION = "Common fever"
_STEMS = ("vel", "tor", "cam", "dri", "nex", "pol", "quo", "sab")
_ENDINGS = ("atinib", "Óxime", "umab", "ipine", "azole")
_PLACES = ("Arden", "Boréal", "Calder", "Dunmore", "Elbe", "Fenwick")
_KINDS = ("fever", "Syndrome")
# The statuses a study may change to.
_NEXT = {
    "NOT_YET_RECRUITING": ("RECRUITING", "RECRUITING", "WITHDRAWN", "UNKNOWN"),
    "RECRUITING": ("ACTIVE_NOT_RECRUITING", "SUSPENDED", "TERMINATED", "UNKNOWN", "COMPLETED"),
    "ENROLLING_BY_INVITATION": ("ACTIVE_NOT_RECRUITING", "COMPLETED"),
    "ACTIVE_NOT_RECRUITING": ("COMPLETED", "RECRUITING", "TERMINATED"),
    "SUSPENDED": ("RECRUITING", "TERMINATED"),
    "UNKNOWN": ("RECRUITING", "COMPLETED"),
    "COMPLETED": ("COMPLETED", "RECRUITING", "TERMINATED"),
    "TERMINATED": ("TERMINATED", "RECRUITING"),
    "WITHDRAWN": ("WITHDRAWN", "NOT_YET_RECRUITING"),
}
_PHASES = (
    ("PHASE1",),
    ("PHASE2",),
    ("PHASE3",),
    ("PHASE4",),
    ("PHASE1", "PHASE2"),
    ("PHASE2", "PHASE3"),
    ("EARLY_PHASE1",),
    ("NA",),
    (),
)
# Purposes, and types of interventions and arms, the frequent ones more than once.
_PURPOSES = (
    *("TREATMENT",) * 7,
    "PREVENTION",
    "PREVENTION",
    "DIAGNOSTIC",
    "SUPPORTIVE_CARE",
    "SCREENING",
    "BASIC_SCIENCE",
    "HEALTH_SERVICES_RESEARCH",
    "DEVICE_FEASIBILITY",
    "ECT",
    "OTHER",
    None,
    None,
)
_TYPES = (
    *("DRUG",) * 6,
    "BIOLOGICAL",
    "BIOLOGICAL",
    "PROCEDURE",
    "DEVICE",
    "DIAGNOSTIC_TEST",
    "BEHAVIORAL",
    "DIETARY_SUPPLEMENT",
    "OTHER",
)
_ARMS = (
    *("EXPERIMENTAL",) * 3,
    "ACTIVE_COMPARATOR",
    "ACTIVE_COMPARATOR",
    "PLACEBO_COMPARATOR",
    "SHAM_COMPARATOR",
    "NO_INTERVENTION",
    "OTHER",
    None,
)
_DESIGNS = (
    "none",
    "none",
    "by chance",
    "by chance",
    "add-on",
    "add-on",
    "standard alone",
    "crossover",
    "each its own",
    "comparator",
)
# Interventions that are no drug of the store.
_ELSE = (
    ("DRUG", "Placebo"),
    ("PROCEDURE", "Surgery"),
    ("BEHAVIORAL", "Counselling"),
    ("DRUG", "Standard of care"),
)


_Entity = TypeVar("_Entity", Disease, Drug)


@dataclass(frozen=True)
class World:
    """Releases in the order of their days, and how often each kind of thing happened."""

    diseases: Sequence[Disease]
    drugs: Sequence[Drug]
    releases: Sequence[Release]
    happened: Counter[str]


def make(seed: int, n_releases: int = 40) -> World:
    """Return the world of a seed; a third of its releases are each source's."""
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    diseases = [_disease(number) for number in range(N_DISEASES)]
    drugs = [_drug(number) for number in range(N_DRUGS)]
    happened: Counter[str] = Counter()
    registry = _Registry(chance, diseases, drugs, happened)
    makers = (_Chembl(chance, diseases, drugs, happened), registry, _Fda(chance, drugs, happened))
    releases = []
    day = FIRST_DAY
    for number in range(n_releases):
        # Two sources may publish on one day, a source never twice.
        day += timedelta(days=chance.choice((0, 5, 20, 30, 45)) if number % 3 else 15)
        releases.append(makers[number % 3].release(number // 3, day))
    return World(diseases, drugs, releases, happened)


def condition_names(disease: Disease) -> tuple[str, ...]:
    """Return what studies call a disease: plainly, inverted, or a narrower one."""
    place, kind = disease.name.split(" ")
    return (
        disease.name,
        disease.name.upper(),
        f" {disease.name.replace(' ', '  ').lower()}",
        f"{disease.name} of old",
        f"{disease.name} of late",
        f"Refractory {disease.name}",
        f"{kind}, {place}",
    )


def intervention_names(drug: Drug) -> tuple[str, ...]:
    """Return what studies call a drug: plainly, or with its salt, dose and form."""
    return (
        drug.name,
        drug.name.upper(),
        f"{drug.name} 10 mg",
        f"Old {drug.name}",
        f"Late {drug.name}",
        f"{drug.name} SALT 1",
        f"{drug.name.title()} hydrochloride",
        f"{drug.name} sodium 250 mg tablets",
    )


def misspelt(name: str) -> str:
    """Return a name with its last letters exchanged."""
    return f"{name[:-2]}{name[-1]}{name[-2]}"


def _disease(number: int) -> Disease:
    name = f"{_PLACES[number // 2]} {_KINDS[number % 2]}"
    efo_id, mondo_id, mesh_id = (
        f"EFO:{1000 + number}",
        f"MONDO:{2000 + number}",
        f"D0{10 + number}000",
    )
    given = (efo_id.replace(":", "_"), mondo_id, mesh_id, None)[number % 4]
    return Disease(name, efo_id, mondo_id, f"MESH:{mesh_id}", f"{name}, Primary", given)


def _drug(number: int) -> Drug:
    name = _STEMS[number % 8] + _ENDINGS[number // 8]
    base = 1000 + 10 * number
    salts = tuple(f"CHEMBL{base + nth}" for nth in range(1, 3) if number % (3 * nth) == 0)
    # Some drugs are salts themselves, two of each parent.
    parent = f"CHEMBL{1005 + 10 * (number - number % 2)}" if number % 10 in (4, 5) else None
    return Drug(name, f"CHEMBL{base}", number % 5 != 2, parent, salts)


def _studied(chance: random.Random, entities: Sequence[_Entity]) -> Sequence[_Entity]:
    """Return all of them, or the third that is studied most, of which all sources tell."""
    return entities[: len(entities) // 3] if chance.random() < 0.5 else entities


class _Chembl:
    """ChEMBL's indications as they are renumbered, recoded, advanced and dropped."""

    def __init__(
        self,
        chance: random.Random,
        diseases: Sequence[Disease],
        drugs: Sequence[Drug],
        happened: Counter[str],
    ) -> None:
        self._chance, self._diseases, self._drugs = chance, diseases, drugs
        self._happened = happened
        self._rows: list[Indication] = []
        self._gone: list[Indication] = []
        self._lowered: set[str] = set()
        self._next_key = 1
        self._synonyms: list[tuple[str, str]] = []
        self._renumbered: set[str] = set()
        for _ in range(70):
            self._add(chance.choice((None, 0, 1, 2, 3, 4)))

    def release(self, number: int, day: date) -> Release:
        """Let events happen, then report the state."""
        is_tie = number == 6
        if number and not is_tie:
            self._change(number)
        drug = self._chance.choice(self._drugs)
        if not is_tie:
            self._synonyms.append((drug.chembl_id, f"Brand{number} {drug.name}"))
        self._happened["release without change"] += is_tie
        self._happened["release without hierarchy"] += number == 8
        old = number < 4
        return Release(
            "chembl",
            30 + number,
            day,
            indications=tuple(self._recoded(entry, old) for entry in self._rows),
            parents={} if number == 8 else self._parents(),
            names=self._names(),
            synonyms=tuple(self._synonyms),
            has_hierarchy=number != 8,
            has_old_phases=old,
        )

    def _recoded(self, entry: Indication, old: bool) -> Indication:
        """An early phase 1 is 0 in old releases; no phase is 0 there and NULL or -1 later."""
        if old:
            whole = entry.phase if entry.phase in (1, 2, 3, 4) else 0
            return replace(entry, phase=int(whole or 0))
        self._happened["recoded to 0.5"] += entry.phase == 0.5
        return entry

    def _names(self) -> dict[str, str]:
        named = {drug.chembl_id: drug.name.upper() for drug in self._drugs}
        for drug in self._drugs:
            if drug.parent:
                named[drug.parent] = f"{drug.parent} BASE"
            named.update({salt: f"{drug.name} SALT {salt[-1]}".upper() for salt in drug.salts})
        return named

    def _parents(self) -> dict[str, str]:
        found = {drug.chembl_id: drug.parent for drug in self._drugs if drug.parent}
        return found | {salt: drug.chembl_id for drug in self._drugs for salt in drug.salts}

    def _add(self, phase: float | None) -> None:
        drug = self._chance.choice(_studied(self._chance, self._drugs))
        disease = self._chance.choice(_studied(self._chance, self._diseases))
        family = [drug.chembl_id, drug.chembl_id, *drug.salts, drug.parent or drug.chembl_id]
        chembl_id = self._chance.choice(family)
        self._happened["indication of a salt"] += chembl_id in drug.salts
        self._happened["indication of a parent"] += chembl_id == drug.parent
        chosen = self._chance.random()
        mesh_id, heading = disease.mesh_id, disease.heading
        efo_id = disease.efo_id.replace(":", "_")
        # A term that no alias has leaves the ids alone to tie the row.
        term = self._chance.choice((disease.name.lower(), f"{disease.name} disease"))
        if disease.name in self._renumbered:
            efo_id = disease.mondo_id
        if chosen < 0.15:
            # A narrower disease that only the MeSH id ties to this one.
            efo_id, term = f"EFO_7{disease.efo_id[-3:]}", f"familial {disease.name}"
        elif chosen < 0.3:
            mesh_id, heading = f"MESH:D09{disease.mesh_id[-4:]}", "Rare Diseases"
        elif chosen < 0.35:
            efo_id, term = "EFO_0009999", "unknown to the store"
            mesh_id, heading = "MESH:D099999", "Unknown to the Store"
        row = Indication(self._next_key, chembl_id, phase, mesh_id, heading, efo_id, term)
        held = {(entry.chembl_id, entry.mesh_id, entry.efo_id) for entry in self._rows}
        if (row.chembl_id, row.mesh_id, row.efo_id) not in held:
            self._next_key += 1
            self._rows.append(row)

    def _change(self, number: int) -> None:
        chance = self._chance
        for _ in range(8):
            phase = chance.choice((None, -1, 0.5, 0.5, 1, 2, 3, 4))
            self._happened["new indication"] += 1
            self._add(phase)
        for index, entry in enumerate(self._rows):
            chosen = chance.random()
            if chosen < 0.05 and (entry.phase or 0) < 3:
                self._happened["advance"] += 1
                self._happened["up again"] += f"{entry.chembl_id} {entry.mesh_id}" in self._lowered
                self._rows[index] = replace(entry, phase=max(1, int(entry.phase or 0) + 1))
            elif chosen < 0.07:
                self._happened["jump to 4"] += entry.phase != 4
                self._rows[index] = replace(entry, phase=4)
            elif chosen < 0.11 and (entry.phase or 0) > 1:
                self._happened["phase down"] += 1
                self._lowered.add(f"{entry.chembl_id} {entry.mesh_id}")
                self._rows[index] = replace(entry, phase=int(entry.phase or 0) - 1)
            elif chosen < 0.13:
                self._happened["row gains an early phase"] += entry.phase in (None, 0)
                self._rows[index] = replace(entry, phase=entry.phase or 0.5)
        for entry in chance.sample(self._rows, 3):
            self._happened["row vanished"] += 1
            self._rows.remove(entry)
            self._gone.append(entry)
        if number > 2:
            entry = self._gone.pop(chance.randrange(len(self._gone)))
            self._happened["row returned"] += 1
            self._rows.append(replace(entry, key=self._next_key))
            self._next_key += 1
        if number in (3, 7, 10):
            self._renumber_diseases()
        if number % 5 == 2:
            self._happened["drugind_id renumbered"] += 1
            chance.shuffle(self._rows)
            self._rows = [
                replace(entry, key=number * 10_000 + place)
                for place, entry in enumerate(self._rows)
            ]
            self._next_key = number * 10_000 + len(self._rows)

    def _renumber_diseases(self) -> None:
        """Give a third of the diseases MONDO ids for their EFO ids, and other terms."""
        for disease in self._chance.sample(list(self._diseases), 4):
            self._renumbered.add(disease.name)
            for index, entry in enumerate(self._rows):
                if entry.efo_id == disease.efo_id.replace(":", "_"):
                    self._happened["EFO renumbered to MONDO"] += 1
                    self._rows[index] = replace(
                        entry, efo_id=disease.mondo_id.replace(":", "_"), term=f"{disease.name} (m)"
                    )


class _Registry:
    """A registry of trials, planned, moved, ended, reopened, withdrawn from view."""

    def __init__(
        self,
        chance: random.Random,
        diseases: Sequence[Disease],
        drugs: Sequence[Drug],
        happened: Counter[str],
    ) -> None:
        self._chance, self._diseases, self._drugs = chance, diseases, drugs
        self._happened = happened
        self._studies: list[Study] = []
        self._gone: list[Study] = []
        self._n_studies = 0
        for _ in range(60):
            self._register(FIRST_DAY)

    def release(self, number: int, day: date) -> Release:
        """Let events happen up to the day, then report the state."""
        if number:
            self._change(day)
        # The API returns studies in no particular order.
        self._chance.shuffle(self._studies)
        return Release("ctgov", number, day, studies=tuple(self._studies))

    def _register(self, day: date) -> None:
        chance = self._chance
        self._n_studies += 1
        diseases = chance.sample(_studied(chance, self._diseases), chance.choice((1, 1, 2)))
        drugs = chance.sample(_studied(chance, self._drugs), chance.choice((1, 1, 2, 3)))
        self._happened["multi-condition trial"] += len(diseases) > 1
        self._happened["multi-intervention trial"] += len(drugs) > 1
        meshes = tuple(
            (disease.mesh_id.removeprefix("MESH:"), disease.heading)
            for disease in diseases
            if chance.random() < 0.5
        )
        phases = chance.choice(_PHASES)
        self._happened["|".join(phases) or "no phase"] += 1
        status = chance.choice(tuple(_NEXT))
        posted = day - timedelta(days=chance.choice((1, 3, 100, 400)))
        start = posted + timedelta(days=chance.choice((-200, 10, 150, 500, 900)))
        lately = day - timedelta(days=12)
        self._happened["planned trial"] += start > day
        self._happened["trial registered after its start"] += start < posted
        study_type = chance.choice(("INTERVENTIONAL",) * 6 + ("OBSERVATIONAL",))
        interventions = self._interventions(drugs)
        purpose = chance.choice(_PURPOSES)
        self._happened[f"purpose {purpose}"] += 1
        for kind, _, _ in interventions:
            self._happened[f"intervention {kind}"] += 1
        self._happened["observational study"] += study_type == "OBSERVATIONAL"
        self._studies.append(
            Study(
                f"NCT{chance.randrange(1000):03d}{self._n_studies:05d}",
                study_type,
                phases if study_type == "INTERVENTIONAL" else (),
                status,
                self._partial(start),
                # Some are registered when they are over.
                self._partial(
                    chance.choice((*(start + timedelta(days=n) for n in (100, 300, 900)), lately))
                ),
                posted,
                day - timedelta(days=1),
                tuple(self._condition(disease) for disease in diseases),
                meshes,
                interventions,
                purpose,
                self._arms(len(interventions)),
                tuple(
                    (f"D08{number:04d}", drug.name.title())
                    for number, drug in enumerate(self._drugs)
                    if drug in drugs and chance.random() < 0.25
                ),
            )
        )
        self._studies[-1] = self._with_start_type(self._studies[-1], "RECRUITING")

    def _with_start_type(self, study: Study, before: str | None) -> Study:
        """Return the study with what the registry says of its start, and of an unknown status.

        `before` is the status that it had, which the registry need not state.
        """
        chance = self._chance
        planned = ("ESTIMATED", "ESTIMATED", "ANTICIPATED", None)
        begun = (*("ACTUAL",) * 4, "ESTIMATED", None, None)
        is_planned = study.status == "NOT_YET_RECRUITING"
        start_type = chance.choice(planned if is_planned else begun) if study.start else None
        is_known = study.status != "UNKNOWN" or before == "UNKNOWN" or chance.random() < 0.3
        self._happened["begun by date, estimated by type"] += (
            not is_planned and start_type == "ESTIMATED"
        )
        self._happened["unknown after not yet recruiting"] += (
            study.status == "UNKNOWN" and before == "NOT_YET_RECRUITING"
        )
        return replace(study, start_type=start_type, last_known=None if is_known else before)

    def _interventions(self, drugs: Sequence[Drug]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """Return the drugs, one of them perhaps in a second form, and perhaps something else."""
        chance = self._chance
        given = [self._intervention(drug) for drug in drugs]
        if chance.random() < 0.25:
            self._happened["drug in two interventions"] += 1
            given.append(self._intervention(drugs[0]))
        if chance.random() < 0.35:
            given.append((*chance.choice(_ELSE), ()))
        # The registry tells interventions apart by type and name.
        return tuple({one[:2]: one for one in given}.values())

    def _arms(self, n_given: int) -> tuple[Arm, ...]:
        """Return the arms of a study of so many interventions."""
        chance = self._chance
        design = chance.choice(_DESIGNS)
        everything = tuple(range(n_given))
        if design == "none" or (n_given == 1 and design in ("add-on", "standard alone")):
            self._happened["no arms"] += 1
            return ()
        self._happened[f"arms: {design}"] += 1
        if design == "crossover":
            return (Arm("EXPERIMENTAL", everything), Arm(chance.choice(_ARMS), everything))
        if design == "each its own":
            kinds = ("EXPERIMENTAL", chance.choice(_ARMS))
            return tuple(Arm(chance.choice(kinds), (place,)) for place in everything)
        if design == "comparator":
            compared = chance.choice(("ACTIVE_COMPARATOR", "PLACEBO_COMPARATOR", "SHAM_COMPARATOR"))
            return (Arm("EXPERIMENTAL", everything[:-1]), Arm(compared, everything[-1:]))
        if design in ("add-on", "standard alone"):
            # Of the last one an arm knows nothing; the first is given to all.
            first = (0,) if design == "standard alone" else everything[:-1]
            kind = "EXPERIMENTAL" if design == "standard alone" else chance.choice(_ARMS)
            return (Arm(kind, first), Arm("EXPERIMENTAL", everything))
        return tuple(
            Arm(
                chance.choice(_ARMS),
                tuple(place for place in everything if chance.random() < 0.65),
            )
            for _ in range(chance.choice((1, 2, 2, 3, 4)))
        )

    def _partial(self, day: date) -> str | None:
        """Write a date as the registry does: to the day, to the month, or not at all."""
        chosen = self._chance.random()
        self._happened["month-only date"] += 0.5 <= chosen < 0.9
        if chosen < 0.5:
            return day.isoformat()
        return f"{day:%Y-%m}" if chosen < 0.9 else None

    def _condition(self, disease: Disease) -> str:
        wrong = misspelt(disease.name)
        return self._chance.choice(
            (*condition_names(disease), disease.heading, wrong, COMMON_CONDITION)
        )

    def _intervention(self, drug: Drug) -> tuple[str, str, tuple[str, ...]]:
        wrong = misspelt(drug.name)
        name = self._chance.choice((*intervention_names(drug), wrong, *AMBIGUOUS))
        others = (drug.name.title(), "Placebo") if self._chance.random() < 0.3 else ()
        self._happened["ambiguous name"] += name in AMBIGUOUS
        self._happened["brand name"] += name.startswith("Old")
        self._happened["brand name added after a freeze"] += name.startswith("Late")
        return self._chance.choice(_TYPES), name, others

    def _change(self, day: date) -> None:
        chance = self._chance
        for _ in range(11):
            self._register(day)
        for index, study in enumerate(self._studies):
            changed = self._changed(study, is_planned=(study.start or "") > day.isoformat())
            if changed != study:
                updated = day - timedelta(days=chance.randrange(1, 9))
                self._studies[index] = replace(changed, updated=max(study.updated, updated))
        for study in chance.sample(self._studies, 2):
            self._happened["trial vanished"] += 1
            self._studies.remove(study)
            self._gone.append(study)
        if len(self._gone) > 3:
            self._happened["trial returned"] += 1
            self._studies.append(self._gone.pop(chance.randrange(len(self._gone))))

    def _changed(self, study: Study, *, is_planned: bool) -> Study:
        chosen = self._chance.random()
        if chosen < 0.25:
            status = self._chance.choice(_NEXT[study.status])
            ends = {"COMPLETED", "TERMINATED", "WITHDRAWN"}
            self._happened["status reversed"] += study.status in ends and status not in ends
            self._happened["suspended"] += status == "SUSPENDED"
            self._happened["withdrawn before it began"] += is_planned and status == "WITHDRAWN"
            return self._with_start_type(replace(study, status=status), study.status)
        if chosen < 0.32 and study.start:
            moved = study.posted + timedelta(days=self._chance.choice((5, 300, 700, 1000)))
            self._happened["start moved"] += 1
            self._happened["planned start moved"] += is_planned
            moved_study = replace(study, start=self._partial(moved))
            return self._with_start_type(moved_study, study.last_known)
        if chosen < 0.37 and study.study_type == "INTERVENTIONAL":
            phases = self._chance.choice(_PHASES)
            self._happened["trial phase changed"] += phases != study.phases
            return replace(study, phases=phases)
        if chosen < 0.40:
            disease = self._chance.choice(list(self._diseases))
            self._happened["condition added"] += 1
            return replace(study, conditions=(*study.conditions, self._condition(disease)))
        if chosen < 0.42:
            self._happened["completion corrected"] += 1
            return replace(study, completion=self._partial(study.posted + timedelta(days=350)))
        if chosen < 0.46:
            purpose = self._chance.choice(_PURPOSES)
            self._happened["purpose changed"] += purpose != study.purpose
            return replace(study, purpose=purpose)
        if chosen < 0.50:
            arms = self._arms(len(study.interventions))
            self._happened["arms changed"] += arms != study.arms
            return replace(study, arms=arms)
        if chosen < 0.53:
            return self._retyped(study)
        if is_planned and chosen > 0.985:
            self._happened["withdrawn before it began"] += 1
            return replace(study, status="WITHDRAWN")
        return study

    def _retyped(self, study: Study) -> Study:
        """Return the study with its first intervention under another type."""
        _, name, others = study.interventions[0]
        given = ((self._chance.choice(_TYPES), name, others), *study.interventions[1:])
        if len({one[:2] for one in given}) < len(given):
            return study
        self._happened["type of an intervention changed"] += given != study.interventions
        return replace(study, interventions=given)


class _Fda:
    """The FDA's applications: originals, supplements, tentative approvals, corrections."""

    def __init__(
        self, chance: random.Random, drugs: Sequence[Drug], happened: Counter[str]
    ) -> None:
        self._chance, self._drugs, self._happened = chance, drugs, happened
        self._products: list[Product] = []
        self._submissions: list[Submission] = []
        self._gone: list[Submission] = []
        for _ in range(6):
            self._apply(FIRST_DAY)

    def release(self, number: int, day: date) -> Release:
        """Let the FDA act up to the day, then report its actions."""
        if number:
            self._act(day)
        self._chance.shuffle(self._submissions)
        return Release(
            "fda",
            number,
            day,
            submissions=tuple(self._submissions),
            products=tuple(self._products),
        )

    def _apply(self, day: date) -> None:
        chance = self._chance
        drugs = chance.sample(list(self._drugs), chance.choice((1, 1, 1, 2)))
        application = f"{len(self._products) + 1:06d}"
        self._happened["combination product"] += len(drugs) > 1
        brand = chance.choice((f"Old {drugs[0].name}", f"Late {drugs[0].name}", "Brandol"))
        self._products.append(
            Product(application, brand.upper(), tuple(drug.name.upper() for drug in drugs))
        )
        status = chance.choice(("AP", "AP", "TA"))
        self._happened["tentative approval"] += status == "TA"
        self._happened["original approved"] += status == "AP"
        self._submit(Submission(application, "ORIG", "1", status, self._lately(day), "TYPE 1"))

    def _submit(self, submission: Submission) -> None:
        self._submissions.append(submission)

    def _lately(self, day: date) -> date:
        return day - timedelta(days=self._chance.choice((1, 10, 40, 200)))

    def _act(self, day: date) -> None:
        chance = self._chance
        self._apply(day)
        for _ in range(3):
            product = chance.choice(self._products)
            kind = chance.choice(("EFFICACY", "EFFICACY", "LABELING"))
            status = chance.choice(("AP", "AP", "TA"))
            self._happened[f"{kind.lower()} supplement"] += status == "AP"
            number = str(1 + sum(product.application == s.application for s in self._everything()))
            self._submit(
                Submission(product.application, "SUPPL", number, status, self._lately(day), kind)
            )
        tentative = [entry for entry in self._submissions if entry.status == "TA"]
        if tentative:
            self._happened["tentative approval made final"] += 1
            entry = chance.choice(tentative)
            self._submissions.remove(entry)
            self._submit(replace(entry, status="AP", status_date=self._lately(day)))
        gone = chance.choice(self._submissions)
        self._happened["submission vanished"] += 1
        self._submissions.remove(gone)
        self._gone.append(gone)
        if len(self._gone) > 2:
            self._happened["submission returned"] += 1
            self._submit(self._gone.pop(0))

    def _everything(self) -> list[Submission]:
        return [*self._submissions, *self._gone]
