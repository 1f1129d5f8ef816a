"""The expected ledger of a simulated world, worked out pair by pair and release by release.

Deliberately naive, only from docs/metrics.md#detection: it reads the world's plain records, never
the store, and shares no code with the views it judges.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from simulated_world import Indication, Release, Study, Submission

ENDS = ("COMPLETED", "TERMINATED", "WITHDRAWN")
Pair = tuple[str, str]
# Slate, disease, drug, outcome type, source, date of the event, timing.
Timed = tuple[str, str, str, str, str, date | None, str]


class Outcome(NamedTuple):
    """A row of the ledger, by names; `detail` as sorted pairs."""

    slate: str
    disease: str
    drug: str
    outcome_type: str
    event_date: date | None
    first_public_on: date | None
    source: str
    version: str
    detail: tuple[tuple[str, object], ...]


# An outcome, and the release whose arrival reveals it: not always the one that shows it first.
Told = tuple[Outcome, Release]


@dataclass(frozen=True)
class Watch:
    """The names by which evidence is matched to a slate, and what was known at its freeze."""

    name: str
    frozen_on: date
    pairs: frozenset[Pair]
    known: Mapping[Pair, float]
    drug_keys: Mapping[str, frozenset[str]]
    disease_keys: Mapping[str, frozenset[str]]
    is_drug_level: bool = False

    def matches(self, drugs: set[str], diseases: set[str]) -> list[tuple[Pair, str, str]]:
        """Return the pairs so called, each with the first of its drug's and disease's keys."""
        return [
            ((disease, drug), min(drug_keys & drugs), min(disease_keys & diseases))
            for disease, disease_keys in self.disease_keys.items()
            if not disease_keys.isdisjoint(diseases)
            for drug, drug_keys in self.drug_keys.items()
            if not drug_keys.isdisjoint(drugs) and (disease, drug) in self.pairs
        ]


@dataclass
class _Highest:
    """The highest phase seen of each pair so far."""

    watch: Watch
    seen: dict[Pair, float] = field(default_factory=dict)

    def of(self, pair: Pair) -> float:
        return max(self.seen.get(pair, 0), self.watch.known.get(pair, 0))

    def see(self, pair: Pair, phase: float) -> None:
        self.seen[pair] = max(self.seen.get(pair, 0), phase)


def fold(name: str) -> str:
    """Return a name as names are compared."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def outcomes(watch: Watch, releases: Sequence[Release]) -> dict[Outcome, Release]:
    """Return a slate's outcomes, each with the release whose arrival reveals it."""
    by_source = {
        source: sorted(
            (release for release in releases if release.source == source),
            key=lambda release: release.day,
        )
        for source in ("chembl", "ctgov", "fda")
    }
    found = [
        *_chembl_advances(watch, by_source["chembl"]),
        *_first_trials(watch, by_source["ctgov"]),
        *_trial_advances(watch, by_source["ctgov"]),
        *_transitions(watch, by_source["ctgov"]),
        *(_drug_level(watch, by_source["fda"]) if watch.is_drug_level else ()),
    ]
    assert len({outcome for outcome, _ in found}) == len(found)
    return dict(found)


def timings(found: Iterable[Outcome], watch: Watch, releases: Sequence[Release]) -> set[Timed]:
    """Return slate, pair, type, source, dated event and timing of each outcome."""
    chembl = sorted(r.day for r in releases if r.source == "chembl")
    actions = _actions(watch, [r for r in releases if r.source == "fda"])
    timed = set()
    for outcome in found:
        event, public = outcome.event_date, outcome.first_public_on
        if outcome.outcome_type == "fda_approved" and outcome.source == "chembl":
            shown = next(r.day for r in releases if _is_of(r, outcome))
            before = [day for day in chembl if day < shown]
            days = {
                action.status_date
                for action, drugs in actions
                if outcome.drug in drugs and before and before[-1] < action.status_date <= shown
            }
            if len(days) == 1:
                event = public = days.pop()
        timed.add((*outcome[:4], outcome.source, event, _timing(watch.frozen_on, event, public)))
    return timed


def _is_of(release: Release, outcome: Outcome) -> bool:
    return (release.source, release.version) == (outcome.source, outcome.version)


def _timing(frozen_on: date, event: date | None, public: date | None) -> str:
    if event is None:
        return "undated"
    if event < frozen_on:
        return "retrospective"
    if event == frozen_on:
        return "coincident"
    if public is None:
        return "unverified"
    return "announced" if public <= frozen_on else "prospective"


def _outcome(
    watch: Watch,
    pair: Pair,
    outcome_type: str,
    event_date: date | None,
    first_public_on: date | None,
    shown_by: Release,
    reported_in: Release,
    **detail: object,
) -> Told:
    outcome = Outcome(
        watch.name,
        *pair,
        outcome_type,
        event_date,
        first_public_on,
        shown_by.source,
        shown_by.version,
        tuple(sorted(detail.items())),
    )
    return outcome, reported_in


def _phase(phase: float | None) -> float:
    """The phase scale: none known is 0."""
    return 0 if phase is None or phase < 0 else phase


def _molecules(release: Release, entry: Indication) -> set[str]:
    parent = release.parents.get(entry.chembl_id) if release.has_hierarchy else None
    return {entry.chembl_id, *([parent] if parent else [])}


def _ids(entry: Indication) -> set[str]:
    return {
        written.replace("_", ":")
        for written in (entry.efo_id, entry.mesh_id)
        if written is not None
    }


def _chembl_advances(watch: Watch, releases: Sequence[Release]) -> Iterator[Told]:
    highest = _Highest(watch)
    # What any earlier release had of a molecule or its parent under an id of the disease.
    prior: dict[tuple[str, str], float] = {}
    for number, release in enumerate(releases):
        shown: dict[Pair, tuple[float, Indication, str, str]] = {}
        now: dict[tuple[str, str], float] = {}
        for entry in sorted(release.indications, key=lambda row: row.key):
            phase, molecules, ids = _phase(entry.phase), _molecules(release, entry), _ids(entry)
            stood = [(molecule, one) for molecule in molecules for one in ids]
            before = max(prior.get(key, 0) for key in stood)
            for key in stood:
                now[key] = max(now.get(key, 0), phase)
            terms = {fold(term) for term in (entry.term, entry.heading)}
            for pair, drug_key, disease_key in watch.matches(molecules, ids | terms):
                is_best = pair not in shown or phase > shown[pair][0]
                if phase > before and is_best:
                    shown[pair] = (phase, entry, drug_key, disease_key)
        for pair, (phase, entry, drug_key, disease_key) in shown.items():
            known = highest.of(pair)
            if release.day > watch.frozen_on and phase > known and phase >= 1:
                yield _outcome(
                    watch,
                    pair,
                    "fda_approved" if phase == 4 else "phase_advanced",
                    release.day,
                    release.day if number else None,
                    release,
                    release,
                    phase=float(phase),
                    known_phase=float(known),
                    record=str(entry.key),
                    chembl_id=entry.chembl_id,
                    efo_id=entry.efo_id.replace("_", ":"),
                    mesh_id=entry.mesh_id,
                    drug_alias=drug_key,
                    disease_alias=disease_key,
                )
        for entry in release.indications:
            called = _ids(entry) | {fold(term) for term in (entry.term, entry.heading)}
            for pair, _, _ in watch.matches(_molecules(release, entry), called):
                highest.see(pair, _phase(entry.phase))
        for key, phase in now.items():
            prior[key] = max(prior.get(key, 0), phase)


def _day(written: str | None) -> date | None:
    """A partial date is its first day."""
    if written is None:
        return None
    return date.fromisoformat(written if len(written) == 10 else f"{written}-01")


def _precision(written: str | None) -> str | None:
    return None if written is None else {4: "year", 7: "month", 10: "day"}[len(written)]


def _reached(study: Study) -> float | None:
    """Combined phases take the higher one."""
    scale = {"EARLY_PHASE1": 0.5, "PHASE1": 1.0, "PHASE2": 2.0, "PHASE3": 3.0, "PHASE4": 4.0}
    return max((scale[phase] for phase in study.phases if phase in scale), default=None)


def _matches(watch: Watch, study: Study) -> list[tuple[Pair, str, str]]:
    """An interventional study is a trial of every drug and every disease that it names."""
    if study.study_type != "INTERVENTIONAL":
        return []
    drugs = {fold(name) for _, name, _ in study.interventions}
    drugs |= {fold(other) for _, _, others in study.interventions for other in others}
    diseases = {fold(name) for name in study.conditions}
    diseases |= {f"MESH:{mesh_id}" for mesh_id, _ in study.meshes}
    diseases |= {fold(term) for _, term in study.meshes}
    return watch.matches(drugs, diseases)


def _first_trials(watch: Watch, releases: Sequence[Release]) -> Iterator[Told]:
    """The registry at the freeze is examined first, then each snapshot after it.

    Until a snapshot after the freeze is there, an older one may yet come and change that state.
    """
    last_changed: dict[str, tuple[Study, Release]] = {}
    standing: Sequence[Study] = ()
    seen: set[Pair] = set()
    is_passed = False
    for release in releases:
        stood = {study.nct_id: last_changed[study.nct_id] for study in standing}
        for study in release.studies:
            if last_changed.get(study.nct_id, (None,))[0] != study:
                last_changed[study.nct_id] = (study, release)
        now = {study.nct_id: last_changed[study.nct_id] for study in release.studies}
        standing = release.studies
        if release.day <= watch.frozen_on:
            continue
        for state in [now] if is_passed else [stood, now]:
            for pair, study, shown_by, drug_key, disease_key in _earliest(watch, state):
                if pair not in seen:
                    seen.add(pair)
                    yield _outcome(
                        watch,
                        pair,
                        "first_trial_seen",
                        _day(study.start),
                        study.posted,
                        shown_by,
                        release,
                        record=study.nct_id,
                        phase=_reached(study),
                        status=study.status,
                        start_precision=_precision(study.start),
                        start_type="ESTIMATED",
                        drug_alias=drug_key,
                        disease_alias=disease_key,
                    )
        is_passed = True


def _earliest(
    watch: Watch, state: Mapping[str, tuple[Study, Release]]
) -> list[tuple[Pair, Study, Release, str, str]]:
    """Return the study of each pair that starts first after the freeze."""
    first: dict[Pair, tuple[date, str, str, str]] = {}
    for study, _ in state.values():
        start = _day(study.start)
        if start is not None and start > watch.frozen_on:
            for pair, drug_key, disease_key in _matches(watch, study):
                entry = (start, study.nct_id, drug_key, disease_key)
                first[pair] = min(entry, first.get(pair, entry))
    return [
        (pair, *state[nct_id], drug_key, disease_key)
        for pair, (_, nct_id, drug_key, disease_key) in first.items()
    ]


def _trial_advances(watch: Watch, releases: Sequence[Release]) -> Iterator[Told]:
    highest = _Highest(watch)
    for release in releases:
        running: dict[Pair, list[tuple[float, date, str, Study, str, str]]] = defaultdict(list)
        for study in release.studies:
            # Of several in one phase the first to start counts; one without a start comes last.
            start = _day(study.start) or date.max
            for pair, drug_key, disease_key in _matches(watch, study):
                phase = _reached(study) or 0
                running[pair].append((-phase, start, study.nct_id, study, drug_key, disease_key))
        for pair, found in running.items():
            lowest, _, nct_id, study, drug_key, disease_key = min(found, key=lambda one: one[:3])
            phase, known = -lowest, highest.of(pair)
            if release.day > watch.frozen_on and phase > known and phase >= 1:
                yield _outcome(
                    watch,
                    pair,
                    "phase_advanced",
                    _day(study.start) or study.posted,
                    study.posted,
                    release,
                    release,
                    phase=phase,
                    known_phase=float(known),
                    record=nct_id,
                    status=study.status,
                    start_precision=_precision(study.start),
                    start_type="ESTIMATED" if study.start else None,
                    drug_alias=drug_key,
                    disease_alias=disease_key,
                )
            highest.see(pair, phase)


def _transitions(watch: Watch, releases: Sequence[Release]) -> Iterator[Told]:
    ended: set[tuple[str, str]] = set()
    seen: dict[str, set[str]] = defaultdict(set)
    for release in releases:
        for study in release.studies:
            others = seen[study.nct_id] - {study.status}
            is_new = (study.nct_id, study.status) not in ended
            if study.status in ENDS and is_new:
                ended.add((study.nct_id, study.status))
                completion = _day(study.completion)
                # A withdrawn study completed nothing; a future day is only a plan.
                if completion and (study.status == "WITHDRAWN" or completion > release.day):
                    completion = None
                is_late = max(study.posted, completion or date.min) > watch.frozen_on
                if release.day > watch.frozen_on and (others or is_late):
                    yield from _ended(watch, release, study, completion)
            seen[study.nct_id].add(study.status)


def _ended(watch: Watch, release: Release, study: Study, completion: date | None) -> Iterator[Told]:
    for pair, drug_key, disease_key in _matches(watch, study):
        yield _outcome(
            watch,
            pair,
            "status_transition",
            completion or study.updated,
            study.updated,
            release,
            release,
            record=study.nct_id,
            status=study.status,
            completion_precision=_precision(study.completion),
            drug_alias=drug_key,
            disease_alias=disease_key,
        )


def _actions(watch: Watch, releases: Sequence[Release]) -> list[tuple[Submission, dict[str, str]]]:
    """Return the approving actions, each once, with the drugs it names and by which name."""
    found: dict[Submission, dict[str, str]] = {}
    for release in releases:
        for entry in release.submissions:
            approves = entry.kind == "ORIG" or entry.submission_class == "EFFICACY"
            if entry.status == "AP" and approves and entry not in found:
                names = {
                    fold(name)
                    for product in release.products
                    if product.application == entry.application
                    for name in (
                        product.brand,
                        *(product.ingredients if len(product.ingredients) == 1 else ()),
                    )
                }
                found[entry] = {
                    drug: min(keys & names)
                    for drug, keys in watch.drug_keys.items()
                    if keys & names
                }
    return list(found.items())


def _drug_level(watch: Watch, releases: Sequence[Release]) -> Iterator[Told]:
    seen: set[str] = set()
    for number, release in enumerate(releases):
        before = {action for action, _ in _actions(watch, releases[:number])}
        acted: dict[str, list[tuple[tuple[object, ...], Submission, str]]] = defaultdict(list)
        for action, named in _actions(watch, [release]):
            if action not in before and action.status_date > watch.frozen_on:
                order = (action.status_date, action.application, action.kind, action.number)
                for drug, key in named.items():
                    acted[drug].append((order, action, key))
        for drug, found in acted.items():
            if drug in seen:
                continue
            seen.add(drug)
            _, action, key = min(found, key=lambda one: one[0])
            for pair in watch.pairs:
                if pair[1] == drug and watch.known.get(pair, 0) < 4:
                    yield _outcome(
                        watch,
                        pair,
                        "fda_approved",
                        action.status_date,
                        action.status_date,
                        release,
                        release,
                        record=f"NDA{action.application}/{action.kind}/{action.number}",
                        phase=4,
                        drug_alias=key,
                    )
