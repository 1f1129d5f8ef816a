"""The facts of a simulated world, worked out pair by pair and release by release.

Which outcomes a slate's pairs have, and what was known of them at its freeze. Deliberately naive,
only from docs/metrics.md#detection: it reads the world's plain records, never the store, and shares
no code with the views it judges. An outcome is a function of the releases that are there: a later
one may add it, and may also show that it was none. What outcomes amount to, their timing among it,
tests/support/reference.py says.
"""

import functools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import NamedTuple

import reference
from simulated_world import Indication, Release, Study, Submission

from tracker.store import catalog

ENDS = ("COMPLETED", "TERMINATED", "WITHDRAWN")
# What a drug is used for in a study, by the registry's code of its primary purpose.
PURPOSES = {
    "TREATMENT": "treatment",
    "PREVENTION": "prevention",
    "SUPPORTIVE_CARE": "supportive care",
    "DIAGNOSTIC": "diagnostic",
    "SCREENING": "screening",
    "BASIC_SCIENCE": "basic science",
    "HEALTH_SERVICES_RESEARCH": "health services research",
    "DEVICE_FEASIBILITY": "device feasibility",
    "ECT": "education",
    "OTHER": "other purpose",
    None: "not stated",
}
USES = frozenset({*PURPOSES.values(), "background", "not as a drug"})
# The uses that count by the default plan, and by each setting but the plan's own.
DEFAULT_USES = frozenset({"treatment", "prevention", "not stated"})
SETTINGS = {"treatment alone": frozenset({"treatment", "not stated"}), "every study": USES}
# The types of an intervention that is given as something else than a drug.
NO_DRUG = ("PROCEDURE", "BEHAVIORAL", "DEVICE", "DIAGNOSTIC_TEST")
COMPARATORS = ("ACTIVE_COMPARATOR", "PLACEBO_COMPARATOR", "SHAM_COMPARATOR")
Pair = tuple[str, str]
# The keys of a drug or disease, each with its place in the order in which they became known.
Keys = Mapping[str, int]
Detail = tuple[tuple[str, object], ...]
# Slate, disease, drug, outcome type, source, date of the event, timing.
Timed = tuple[str, str, str, str, str, date | None, str]

_DAY = timedelta(days=1)


class Outcome(NamedTuple):
    """An outcome of a slate, by names; `detail` as sorted pairs."""

    slate: str
    disease: str
    drug: str
    outcome_type: str
    event_date: date | None
    public_after: date | None
    public_by: date | None
    source: str
    version: str
    detail: Detail


class Public(NamedTuple):
    """When something became public: not yet on `after`, and on `by`."""

    after: date | None
    by: date


@dataclass(frozen=True)
class Event:
    """What a source showed of a pair, or of a drug for every disease (None)."""

    kind: str
    disease: str | None
    drug: str
    day: date
    public: Public
    release: Release
    record: str
    phase: float | None
    detail: Detail
    # Of a study: what the drug is used for there.
    use: str | None = None
    # Of the end of a study: whether an earlier release had shown the study with the pair.
    is_followed: bool = False

    @property
    def pair(self) -> Pair:
        """The pair of an event that names a disease."""
        assert self.disease is not None
        return self.disease, self.drug


class Match(NamedTuple):
    """A pair that a record names, the aliases by which it does, and a study's use of the drug."""

    pair: Pair
    drug_alias: str
    disease_alias: str
    use: str | None = None


@dataclass(frozen=True)
class Watch:
    """The names by which evidence is matched to a slate, and what its labels knew."""

    name: str
    frozen_on: date
    pairs: frozenset[Pair]
    known: Mapping[Pair, float]
    drug_keys: Mapping[str, Keys]
    disease_keys: Mapping[str, Keys]
    is_drug_level: bool = False
    uses: frozenset[str] = DEFAULT_USES
    # Whether the registry's terms of interventions count, which are no aliases but a kind of match.
    reads_terms: bool = False
    _studied: dict[tuple[object, ...], list[Match]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def matches(self, drugs: set[str], diseases: set[str]) -> list[Match]:
        """Return the pairs so called."""
        return [
            Match((disease, drug), first_known(drug_keys, drugs), first_known(keys, diseases))
            for disease, keys in self.disease_keys.items()
            if keys.keys() & diseases
            for drug, drug_keys in self.drug_keys.items()
            if drug_keys.keys() & drugs and (disease, drug) in self.pairs
        ]

    def trials(self, study: Study) -> list[Match]:
        """Return the pairs of which this version of a study is a trial.

        An interventional study is a trial of every disease that it names, and of every drug that
        it names elsewhere than in comparator arms.
        """
        if study.study_type != "INTERVENTIONAL":
            return []
        naming = (
            study.interventions,
            study.arms,
            study.drug_meshes,
            study.conditions,
            study.meshes,
            study.purpose,
        )
        if naming not in self._studied:
            diseases = {fold(name) for name in study.conditions}
            diseases |= {f"MESH:{mesh_id}" for mesh_id, _ in study.meshes}
            diseases |= {fold(term) for _, term in study.meshes}
            drugs = _texts(study, range(len(study.interventions)))
            drugs |= _derived(study) if self.reads_terms else set()
            found = [
                self._trial(study, match.pair, diseases) for match in self.matches(drugs, diseases)
            ]
            self._studied[naming] = [match for match in found if match]
        return self._studied[naming]

    def _trial(self, study: Study, pair: Pair, diseases: set[str]) -> Match | None:
        """Return the match of a study with a pair by the fewest names, those known first.

        Names that came later neither hide nor change what the earlier ones showed.
        """
        disease_keys, drug_keys = self.disease_keys[pair[0]], self.drug_keys[pair[1]]
        mentions = {
            text
            for text in _texts(study, range(len(study.interventions)))
            if f" {fold(pair[1])} " in f" {text} "
        }
        for moment in sorted({*disease_keys.values(), *drug_keys.values()}):
            drug_names = {key for key, known in drug_keys.items() if known <= moment}
            disease_names = {key for key, known in disease_keys.items() if known <= moment}
            named = tested_names(study, drug_names, reads_terms=self.reads_terms)
            if named and disease_names & diseases:
                return Match(
                    pair,
                    first_known(drug_keys, named),
                    first_known(disease_keys, disease_names & diseases),
                    # The use is that of the drug, by whatever kind of match a text names it.
                    study_use(study, drug_names | mentions),
                )
        return None

    def knew(self, event: Event) -> bool:
        """Return whether the event was public by the freeze."""
        return event.public.by <= self.frozen_on


def first_known(keys: Keys, called: set[str]) -> str:
    """Return the key that was known first, and of several the lowest."""
    return min(keys.keys() & called, key=lambda key: (keys[key], key))


def fold(name: str) -> str:
    """Return a name as names are compared."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


# Uses of a drug in a study


def _texts(study: Study, places: Iterable[int]) -> set[str]:
    """Return what the study calls these interventions."""
    named = [study.interventions[place] for place in places]
    return {fold(text) for _, name, others in named for text in (name, *others)}


def _derived(study: Study) -> set[str]:
    """Return the terms that the registry derived from the interventions."""
    return {fold(term) for _, term in study.drug_meshes}


def is_comparator(study: Study, place: int) -> bool:
    """Return whether others are compared with this intervention, and it with none."""
    arms = [arm for arm in study.arms if place in arm.members]
    return (
        bool(arms)
        and all(arm.kind in COMPARATORS for arm in arms)
        and any(arm.kind == "EXPERIMENTAL" for arm in study.arms)
    )


def _places(study: Study, names: set[str]) -> list[int]:
    """Return the places of the interventions so called, without those of comparator arms alone."""
    return [
        place
        for place in range(len(study.interventions))
        if _texts(study, [place]) & names and not is_comparator(study, place)
    ]


def tested_names(study: Study, names: set[str], *, reads_terms: bool) -> set[str]:
    """Return the texts by which a study names a drug so called that is more than a comparator.

    A term that the registry derived counts, where terms do, unless it stands for texts of
    comparators alone.
    """
    places = _places(study, names)
    if not places and _texts(study, range(len(study.interventions))) & names:
        return set()
    return (_texts(study, places) | (_derived(study) if reads_terms else set())) & names


def study_use(study: Study, names: set[str]) -> str:
    """Return what a study uses a drug so called for, by the first row of the contract that fits."""
    places = _places(study, names)
    as_drug = [place for place in places if study.interventions[place][0] not in NO_DRUG]
    if places and not as_drug:
        return "not as a drug"
    if places and all(is_background(study, place) for place in as_drug):
        return "background"
    return PURPOSES[study.purpose]


def is_background(study: Study, place: int) -> bool:
    """Return whether all participants are given it, and something else is tested."""
    experimental = [arm for arm in study.arms if arm.kind == "EXPERIMENTAL"]
    return (
        all(place in arm.members for arm in study.arms)
        and all(set(arm.members) != {place} for arm in experimental)
        and any(
            other != place and any(other not in arm.members for arm in study.arms)
            for tested in experimental
            for other in tested.members
        )
    )


def outcomes(
    watch: Watch, releases: Iterable[Release], uses: frozenset[str] | None = None
) -> set[Outcome]:
    """Return a slate's outcomes once these releases, and no others, are there.

    Of a study they are made where its use of the drug is one of `uses`, the slate's own if None.
    Studies of other uses have no part in them, as if they were none of the pair; but what was known
    at the freeze is what any study showed.
    """
    return outcomes_of(watch, events(watch, releases), watch.uses if uses is None else uses)


def outcomes_of(watch: Watch, found: Sequence[Event], uses: frozenset[str]) -> set[Outcome]:
    """Return the outcomes that these events make where studies of these uses count."""
    known, approved = known_phases(watch, found), approved_pairs(watch, found)
    counting = [event for event in found if event.use is None or event.use in uses]
    told = [
        *_first_trials(watch, counting),
        *_trial_advances(watch, known, counting),
        *_chembl_advances(watch, known, approved, found),
        *_transitions(watch, counting),
        *_drug_level(watch, approved, found),
    ]
    assert len(set(told)) == len(told)
    return set(told)


def pair_settings(watch: Watch, releases: Iterable[Release]) -> set[tuple[Pair, str]]:
    """Return the pairs with a study that counts in a setting and not by the plan, or vice versa."""
    return {
        (event.pair, setting)
        for event in events(watch, releases)
        if event.use is not None
        for setting, uses in SETTINGS.items()
        if (event.use in uses) != (event.use in watch.uses)
    }


def setting_outcomes(watch: Watch, releases: Iterable[Release]) -> set[tuple[str, Outcome]]:
    """Return the outcomes by setting: the plan's, and those of the pairs that another changes."""
    present = list(releases)
    settings = pair_settings(watch, present)
    return {("plan", outcome) for outcome in outcomes(watch, present)} | {
        (setting, outcome)
        for setting, uses in SETTINGS.items()
        for outcome in outcomes(watch, present, uses)
        if ((outcome.disease, outcome.drug), setting) in settings
    }


def events(watch: Watch, releases: Iterable[Release]) -> list[Event]:
    """Return the events that the releases show of the slate's pairs and drugs."""
    by_source: dict[str, list[Release]] = defaultdict(list)
    for release in sorted(releases, key=lambda release: release.day):
        by_source[release.source].append(release)
    return [
        *_trial_events(watch, by_source["ctgov"]),
        *_indication_facts(watch, by_source["chembl"]),
        *_approval_events(watch, by_source["fda"]),
    ]


def known_phases(watch: Watch, found: Iterable[Event]) -> dict[Pair, float]:
    """Return the pairs known at the freeze with their highest phase, 0 where none is known.

    The start of a trial became public with its registration, but the phase that the study had by
    then need not have: that is dated by the events of its phases.
    """
    known = {pair: phase for pair, phase in watch.known.items() if phase > 0}
    for event in found:
        if event.disease is not None and watch.knew(event):
            phase = 0 if event.kind == "trial_started" else _phase(event.phase)
            known[event.pair] = max(known.get(event.pair, 0), phase)
    return known


def known_at_freezes(
    watches: Iterable[Watch], releases: Sequence[Release]
) -> dict[tuple[str, Pair], float]:
    """Return the known pairs of each slate, as known_phases does."""
    return {
        (watch.name, pair): phase
        for watch in watches
        for pair, phase in known_phases(watch, events(watch, releases)).items()
    }


def approved_pairs(watch: Watch, found: Iterable[Event]) -> set[Pair]:
    """Return the pairs approved at the freeze; a trial of phase 4 is not an approval."""
    shown = {
        event.pair
        for event in found
        if event.kind == "indication_phase" and event.phase == 4 and watch.knew(event)
    }
    return shown | {pair for pair, phase in watch.known.items() if phase == 4}


def timings(
    found: Iterable[Outcome], watches: Iterable[Watch], releases: Sequence[Release]
) -> set[Timed]:
    """Return slate, pair, type, source, dated event and timing of each outcome."""
    watch_of = {watch.name: watch for watch in watches}
    acted = {
        name: [one for one in events(watch, releases) if one.kind == "drug_approval"]
        for name, watch in watch_of.items()
    }
    timed = set()
    for outcome in found:
        watch, day = watch_of[outcome.slate], outcome.event_date
        after, by = outcome.public_after, outcome.public_by
        if outcome.outcome_type in ("fda_approved", "approved") and outcome.source == "chembl":
            decided = {one.day for one in acted[outcome.slate] if one.drug == outcome.drug}
            within = [one for one in decided if after and by and after < one <= by]
            if len(within) == 1:
                day, after, by = within[0], within[0] - _DAY, within[0]
            elif dict(outcome.detail)["references"] and min(decided, default=date.max) <= (
                watch.frozen_on
            ):
                # The row may show an approval from before the freeze.
                after = None
        timed.add((*outcome[:4], outcome.source, day, timing(watch, day, after, by)))
    return timed


def happenings(watch: Watch, releases: Iterable[Release]) -> Counter[str]:
    """Count what the freeze makes of the world's events."""
    found = events(watch, releases)
    told = outcomes(watch, releases)
    registered = {event.pair for event in found if event.kind == "trial_registered"}
    known = known_phases(watch, found)
    first = {
        outcome[1:3]: dict(outcome.detail)["record"]
        for outcome in told
        if outcome.outcome_type == "first_trial_seen"
    }
    advanced = {outcome[1:3] for outcome in told if outcome.outcome_type != "status_transition"}
    uses = Counter(f"use: {event.use}" for event in found if event.use)
    uses_of: dict[tuple[str, Pair], set[str]] = defaultdict(set)
    for event in found:
        if event.use:
            uses_of[event.record, event.pair].add(event.use)
    counting = [event for event in found if event.use is None or event.use in watch.uses]
    every = outcomes_of(watch, found, USES)
    return uses + Counter(
        {
            "use of a drug changes within a study": sum(len(held) > 1 for held in uses_of.values()),
            "outcome of a study that does not count": len(every - told),
            "outcome only where another study does not count": len(told - every),
            "known by a study that does not count": len(
                known.keys() - known_phases(watch, counting).keys()
            ),
            "drug of comparators alone": _n_compared(watch, releases),
            "ChEMBL release straddles a freeze": sum(
                outcome.source == "chembl" and timing(watch, *outcome[4:7]) == "straddles"
                for outcome in told
            ),
            "trial before a freeze, left out by the labels": len(
                registered & known.keys() - watch.known.keys()
            ),
            "second trial after a freeze": len(
                {
                    event.pair
                    for event in found
                    if event.kind == "trial_started"
                    and event.day > watch.frozen_on
                    and first.get(event.pair) != event.record
                }
            ),
            "advance of what only evidence knew": len(
                advanced & {pair for pair in known if watch.known.get(pair, 0) <= 0}
            ),
            "phase of a pair unknown": sum(phase == 0 for phase in known.values()),
        }
    )


def _n_compared(watch: Watch, releases: Iterable[Release]) -> int:
    """Count the studies that name a drug in comparator arms alone."""
    return sum(
        any(
            drug_keys.keys() & _texts(study, range(len(study.interventions)))
            and not _places(study, set(drug_keys))
            for drug_keys in watch.drug_keys.values()
        )
        for release in releases
        for study in release.studies
    )


def timing(watch: Watch, day: date | None, after: date | None, by: date | None) -> str:
    """Return the timing of an outcome of the slate."""
    dates = {"event_date": day, "public_after": after, "public_by": by}
    return reference.timing_of({"frozen_on": watch.frozen_on}, dates)


# Events of trials


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


def _on(day: date) -> Public:
    """What is dated to the day."""
    return Public(day - _DAY, day)


def _within(after: date | None, by: date) -> Public:
    """An interval: of two releases of one day, the second became public on that day."""
    return Public(None if after is None else min(after, by - _DAY), by)


@dataclass
class _Standing:
    """What the registry has shown so far of a study and a pair."""

    registered: Public
    phases: dict[float | None, Public] = field(default_factory=dict)
    has_started: bool = False
    reached: set[float] = field(default_factory=set)


def _trial_events(watch: Watch, releases: Sequence[Release]) -> Iterator[Event]:
    versions: dict[str, list[tuple[Study, Public]]] = defaultdict(list)
    standing: dict[tuple[str, Pair], _Standing] = {}
    ended: set[tuple[str, str]] = set()
    stated: dict[str, str] = {}
    for number, release in enumerate(releases):
        before = releases[number - 1].day if number else None
        for study in release.stated_studies:
            if study.status != "UNKNOWN":
                stated[study.nct_id] = study.status
            has_begun = _has_begun(study, stated.get(study.nct_id), release.day)
            history = versions[study.nct_id]
            if not history or history[-1][0] != study:
                is_first = not history
                history.append((study, _version_public(study, release, before, is_first)))
                if study.status in ENDS and (study.nct_id, study.status) not in ended:
                    ended.add((study.nct_id, study.status))
                    for event in _ended(watch, study, release, None if is_first else before):
                        is_followed = (study.nct_id, event.pair) in standing
                        yield replace(event, is_followed=is_followed)
            for match in watch.trials(study):
                yield from _shown(
                    standing, match, study, release, history[-1][1], has_begun=has_begun
                )


def _version_public(study: Study, release: Release, before: date | None, is_first: bool) -> Public:
    if is_first:
        return _on(study.posted)
    assert before is not None
    is_dated = before < study.updated <= release.day
    return _within(before, study.updated if is_dated else release.day)


def _n_conditions(study: Study) -> int:
    return len({fold(name) for name in study.conditions})


def _has_begun(study: Study, stated: str | None, day: date) -> bool:
    """Whether a version shows on a day that the study began; `stated` is its last known status."""
    status = (study.last_known or stated) if study.status == "UNKNOWN" else study.status
    if status in {"NOT_YET_RECRUITING", "WITHDRAWN"}:
        return False
    if study.start_type in {"ESTIMATED", "ANTICIPATED"}:
        return False
    start = _day(study.start)
    return start is None or start <= day


def _shown(
    standing: dict[tuple[str, Pair], _Standing],
    match: Match,
    study: Study,
    release: Release,
    public: Public,
    *,
    has_begun: bool,
) -> Iterator[Event]:
    """Yield what a release that shows a study of a pair adds to what is known of the two."""
    start, phase = _day(study.start), _reached(study)
    key = (study.nct_id, match.pair)
    if key not in standing:
        standing[key] = _Standing(public)
        yield _trial_event("trial_registered", match, study, release, study.posted, public)
    own = standing[key]
    # The first version that shows the phase need not be one that has started.
    own.phases.setdefault(phase, public)
    if not has_begun:
        return
    if start is not None and not own.has_started:
        own.has_started = True
        yield _trial_event("trial_started", match, study, release, start, own.registered)
    if phase is not None and phase not in own.reached:
        own.reached.add(phase)
        day = start or study.posted
        yield _trial_event("trial_phase", match, study, release, day, own.phases[phase])


def _trial_event(
    kind: str, match: Match, study: Study, release: Release, day: date, public: Public
) -> Event:
    return _event(
        kind,
        match,
        day,
        public,
        release,
        study.nct_id,
        phase=_reached(study),
        status=study.status,
        start_precision=_precision(study.start),
        start_type=study.start_type,
        n_conditions=_n_conditions(study),
    )


def _ended(watch: Watch, study: Study, release: Release, before: date | None) -> Iterator[Event]:
    """Yield the end of a study; `before` is the preceding release, if the study is not new."""
    completion = _day(study.completion)
    # A withdrawn study completed nothing; a future day is only a plan.
    if completion and (study.status == "WITHDRAWN" or completion > release.day):
        completion = None
    not_yet = [study.posted, *([completion] if completion else [])]
    after = max([day - _DAY for day in not_yet] + ([before] if before else []))
    is_dated = after < study.updated <= release.day
    public = _within(after, study.updated if is_dated else release.day)
    for match in watch.trials(study):
        yield _event(
            "trial_ended",
            match,
            completion or public.by,
            public,
            release,
            study.nct_id,
            status=study.status,
            completion_precision=_precision(study.completion),
            n_conditions=_n_conditions(study),
        )


def _event(
    kind: str,
    match: Match,
    day: date,
    public: Public,
    release: Release,
    record: str,
    *,
    phase: float | None = None,
    **shown: object,
) -> Event:
    detail = {
        "record": record,
        "drug_alias": match.drug_alias,
        "disease_alias": match.disease_alias,
        **({} if kind == "trial_ended" else {"phase": phase}),
        **({} if match.use is None else {"use": match.use}),
        **shown,
    }
    disease, drug = match.pair
    return Event(
        kind,
        disease,
        drug,
        day,
        public,
        release,
        record,
        phase,
        tuple(sorted(detail.items())),
        match.use,
    )


# Events of indications


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


def _identities(release: Release, entry: Indication) -> list[tuple[str, str]]:
    """What recognises the row in another release; a row without any id is known by its term."""
    ids = _ids(entry) or {fold(entry.term)}
    return [(molecule, one) for molecule in _molecules(release, entry) for one in ids]


def _indication_facts(watch: Watch, releases: Sequence[Release]) -> Iterator[Event]:
    """Yield what each moment's names show of a pair and a phase, the record that counts of each.

    A row that only a later name finds does not hide the lower phase of one that was found before.
    """
    facts: dict[tuple[Pair, float | None], Event] = {}
    moments = {
        known
        for keys in (*watch.drug_keys.values(), *watch.disease_keys.values())
        for known in keys.values()
    }
    for moment in sorted(moments):
        early = replace(
            watch,
            drug_keys=_until(moment, watch.drug_keys),
            disease_keys=_until(moment, watch.disease_keys),
        )
        for event in (*_indication_events(early, releases), *_first_study_events(early, releases)):
            fact = (event.pair, event.phase)
            if fact not in facts or _precedence(event) < _precedence(facts[fact]):
                facts[fact] = event
    yield from facts.values()


def _until(moment: int, keys: Mapping[str, Keys]) -> dict[str, Keys]:
    return {
        name: {key: known for key, known in held.items() if known <= moment}
        for name, held in keys.items()
    }


def _precedence(event: Event) -> tuple[date, bool, timedelta, date, str]:
    """Of several records of a fact the lowest counts: public first, dated, then most narrowly."""
    after = event.public.after or date.min
    is_undated = dict(event.detail).get("dated_by") is None
    return event.public.by, is_undated, event.public.by - after, event.release.day, event.record


@functools.cache
def _months() -> list[tuple[int, date]]:
    """Return the highest number of a study that was registered by the end of each month.

    The list itself is data, and the same here and there.
    """
    select = next(view.select for view in catalog.read_views() if view.name == "registry_month")
    rows = re.findall(r"\('(\d{4}-\d\d-\d\d)', (\d+)\)", select)
    return sorted((int(number), date.fromisoformat(day)) for day, number in rows)


def _numbered(nct_id: str) -> tuple[date, date | None]:
    """Return the last day without a study, and one by which it was public, None if not known."""
    number, months = int(nct_id.removeprefix("NCT")), _months()
    later = [day for highest, day in months if highest >= number]
    earlier = [day for highest, day in months if highest < number]
    return max(earlier), min(later) + timedelta(days=31) if later else None


def _dated(entry: Indication) -> tuple[date, date | None] | None:
    """Return when the phase of a row became public by its references; no study dates approvals."""
    if not entry.references or entry.phase == 4:
        return None
    days = [_numbered(one) for one in entry.references]
    last = [by for _, by in days]
    return min(after for after, _ in days), None if None in last else max(filter(None, last))


def _first_study_events(watch: Watch, releases: Sequence[Release]) -> Iterator[Event]:
    """Yield of each pair the study that was public first, of those that any release gives."""
    first: dict[Pair, tuple[date, int, str, date, Match, Indication]] = {}
    for place, release in enumerate(releases):
        for entry in release.indications:
            called = _ids(entry) | {fold(term) for term in (entry.term, entry.heading)}
            for match in watch.matches(_molecules(release, entry), called):
                for one in entry.references:
                    after, by = _numbered(one)
                    study = (min(by or release.day, release.day), place, one, after, match, entry)
                    first[match.pair] = min(
                        first.get(match.pair, study), study, key=lambda s: s[:3]
                    )
    for by, place, _, after, match, entry in first.values():
        yield _event(
            "indication_phase",
            match,
            by,
            _within(after, by),
            releases[place],
            str(entry.key),
            phase=0.0,
            dated_by="number",
        )


def _indication_events(watch: Watch, releases: Sequence[Release]) -> Iterator[Event]:
    # The highest phase that each release had of a molecule or its parent under an identifier.
    held: list[dict[tuple[str, str], float]] = []
    highest: dict[Pair, float] = {}
    for release in releases:
        held.append({})
        for entry in release.indications:
            for identity in _identities(release, entry):
                held[-1][identity] = max(held[-1].get(identity, 0), _phase(entry.phase))
        shown: dict[Pair, list[tuple[_Shown, Indication, Match]]] = defaultdict(list)
        for entry in release.indications:
            called = _ids(entry) | {fold(term) for term in (entry.term, entry.heading)}
            for match in watch.matches(_molecules(release, entry), called):
                first = _first_shown(held, _identities(release, entry), _phase(entry.phase))
                public = _within(releases[first - 1].day if first else None, releases[first].day)
                if dated := _dated(entry):
                    public = _within(dated[0], min(dated[1] or date.max, releases[first].day))
                one = _Shown(-_phase(entry.phase), public.by, not dated, first, entry.key, public)
                shown[match.pair].append((one, entry, match))
        for pair, rows in shown.items():
            # By phase, the highest first; of each the row that was public first.
            of_phase = {row[0].fallen: row for row in sorted(rows, reverse=True)}
            known, public_by = highest.get(pair, -1), date.max
            for one, entry, match in sorted(of_phase.values()):
                is_highest = public_by == date.max
                is_told = is_highest or (not one.is_undated and one.by < public_by)
                public_by = min(public_by, one.by)
                if -one.fallen <= known or not is_told:
                    continue
                yield _event(
                    "indication_phase",
                    match,
                    one.by,
                    one.public,
                    release,
                    str(entry.key),
                    phase=float(-one.fallen),
                    chembl_id=entry.chembl_id,
                    efo_id=entry.efo_id.replace("_", ":"),
                    mesh_id=entry.mesh_id,
                    references="ClinicalTrials" if entry.references else None,
                    dated_by=None if one.is_undated else "number",
                )
            highest[pair] = max(known, *(-one.fallen for one, *_ in rows))


class _Shown(NamedTuple):
    """A row of a pair in a release, by what decides which one counts: its phase below zero first.

    `first` is the place of the release that first had the phase.
    """

    fallen: float
    by: date
    is_undated: bool
    first: int
    key: int
    public: Public


def _first_shown(
    held: Sequence[Mapping[tuple[str, str], float]],
    identities: Iterable[tuple[str, str]],
    phase: float,
) -> int:
    """Return the first release that had the phase or a higher one under one of the identities."""
    known_as = list(identities)
    return next(
        number
        for number, phases in enumerate(held)
        if any(phases.get(identity, -1) >= phase for identity in known_as)
    )


# Events of approvals


def _approval_events(watch: Watch, releases: Sequence[Release]) -> Iterator[Event]:
    """Yield the approving actions, each once, for every drug that they name."""
    seen: set[Submission] = set()
    for release in releases:
        for entry in release.submissions:
            approves = entry.submission_class in ("TYPE 1", "EFFICACY")
            if entry.status != "AP" or not approves or entry in seen:
                continue
            seen.add(entry)
            names = {
                fold(name)
                for product in release.products
                if product.application == entry.application
                for name in (
                    product.brand,
                    *(product.ingredients if len(product.ingredients) == 1 else ()),
                )
            }
            record = f"NDA{entry.application}/{entry.kind}/{entry.number}"
            for drug, keys in watch.drug_keys.items():
                if keys.keys() & names:
                    detail = {
                        "record": record,
                        "phase": 4,
                        "drug_alias": first_known(keys, names),
                    }
                    yield Event(
                        "drug_approval",
                        None,
                        drug,
                        entry.status_date,
                        _on(entry.status_date),
                        release,
                        record,
                        4,
                        tuple(sorted(detail.items())),
                    )


# Outcomes


def _outcome(watch: Watch, pair: Pair, outcome_type: str, event: Event) -> Outcome:
    return Outcome(
        watch.name,
        *pair,
        outcome_type,
        event.day,
        *event.public,
        event.release.source,
        event.release.version,
        event.detail,
    )


def _by_pair(found: Iterable[Event], kind: str) -> dict[Pair, list[Event]]:
    events_of: dict[Pair, list[Event]] = defaultdict(list)
    for event in found:
        if event.kind == kind:
            events_of[event.pair].append(event)
    return events_of


def _first_trials(watch: Watch, found: Sequence[Event]) -> Iterator[Outcome]:
    registered = _by_pair(found, "trial_registered")
    for pair, starts in _by_pair(found, "trial_started").items():
        later = [event for event in starts if event.day > watch.frozen_on]
        # A trial that was registered by the freeze is the first, unless it started only later.
        earlier = {event.record for event in registered[pair] if watch.knew(event)}
        if later and not earlier - {event.record for event in later}:
            first = min(
                later,
                key=lambda event: (
                    not watch.knew(event),
                    event.release.day,
                    event.day,
                    event.record,
                ),
            )
            yield _outcome(watch, pair, "first_trial_seen", first)


def _trial_advances(
    watch: Watch, known: Mapping[Pair, float], found: Sequence[Event]
) -> Iterator[Outcome]:
    for pair, shown in _by_pair(found, "trial_phase").items():
        highest = 0.0
        for day in sorted({event.release.day for event in shown}):
            best = min(
                (event for event in shown if event.release.day == day),
                key=lambda event: (-_phase(event.phase), event.day, event.record),
            )
            phase = _phase(best.phase)
            if phase > max(highest, known.get(pair, 0)) and phase >= 1 and not watch.knew(best):
                yield _outcome(watch, pair, "phase_advanced", best)
            highest = max(highest, phase)


def _chembl_advances(
    watch: Watch, known: Mapping[Pair, float], approved: set[Pair], found: Sequence[Event]
) -> Iterator[Outcome]:
    """Of what became public together, the highest phase counts, even if it is named only later."""
    for pair, shown in _by_pair(found, "indication_phase").items():
        highest = 0.0
        for event in sorted(shown, key=lambda event: (event.public.by, -_phase(event.phase))):
            phase = _phase(event.phase)
            # An approval need not exceed a trial of phase 4.
            is_news = pair not in approved if phase == 4 else phase > known.get(pair, 0)
            if is_news and phase > highest and phase >= 1 and not watch.knew(event):
                # References to studies name no agency.
                approval = "approved" if dict(event.detail)["references"] else "fda_approved"
                outcome_type = approval if phase == 4 else "phase_advanced"
                yield _outcome(watch, pair, outcome_type, event)
            highest = max(highest, phase)


def _transitions(watch: Watch, found: Sequence[Event]) -> Iterator[Outcome]:
    for pair, ends in _by_pair(found, "trial_ended").items():
        for event in ends:
            after = event.public.after
            is_new = after is not None and after >= watch.frozen_on
            is_later = event.is_followed and event.day > watch.frozen_on
            if is_new or (is_later and not watch.knew(event)):
                yield _outcome(watch, pair, "status_transition", event)


def _drug_level(watch: Watch, approved: set[Pair], found: Sequence[Event]) -> Iterator[Outcome]:
    acted: dict[str, list[Event]] = defaultdict(list)
    for event in found:
        if event.kind == "drug_approval" and event.day > watch.frozen_on and watch.is_drug_level:
            acted[event.drug].append(event)
    for drug, actions in acted.items():
        first = min(actions, key=lambda event: (event.release.day, event.day, event.record))
        for pair in watch.pairs:
            if pair[1] == drug and pair not in approved:
                yield _outcome(watch, pair, "fda_approved", first)
