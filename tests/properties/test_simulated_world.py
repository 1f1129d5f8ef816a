"""A world of 40 releases with known truth is tracked without one false or missing outcome.

After every refresh the outcomes are those that the releases in the store show: a later release may
also show that an earlier outcome was none.
"""

import hashlib
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import simulated_history
import simulated_run
import simulated_slates
import simulated_truth
from simulated_run import Scene
from simulated_truth import Outcome, fold
from simulated_world import Release, Study
from sqlalchemy import text
from support import ok, tracker_on

from tracker import store
from tracker.slates import freezing, plans

SEED = 1
HALFWAY = 20
# How many times all slates are given other uses that count.
N_PLANS = 8
# Events that must occur in the world for the comparison to be meaningful.
HAPPENINGS = {
    "new indication",
    "advance",
    "jump to 4",
    "recoded to 0.5",
    "row gains an early phase",
    "EFO renumbered to MONDO",
    "drugind_id renumbered",
    "indication of a salt",
    "indication of a parent",
    "phase down",
    "up again",
    "row vanished",
    "row returned",
    "release without change",
    "release without hierarchy",
    "ambiguous name",
    "brand name",
    "brand name added after a freeze",
    "planned trial",
    "start moved",
    "month-only date",
    "multi-condition trial",
    "multi-intervention trial",
    "observational study",
    "condition added",
    "trial phase changed",
    "status reversed",
    "suspended",
    "PHASE1|PHASE2",
    "EARLY_PHASE1",
    "NA",
    "trial vanished",
    "trial returned",
    "original approved",
    "efficacy supplement",
    "labeling supplement",
    "tentative approval",
    "tentative approval made final",
    "combination product",
    "trial registered after its start",
    "planned start moved",
    "withdrawn before it began",
    "begun by date, estimated by type",
    "unknown after not yet recruiting",
    "ChEMBL release straddles a freeze",
    "trial before a freeze, left out by the labels",
    "second trial after a freeze",
    "advance of what only evidence knew",
    "phase of a pair unknown",
    "submission vanished",
    "submission returned",
    "no arms",
    "arms: by chance",
    "arms: add-on",
    "arms: standard alone",
    "arms: crossover",
    "arms: each its own",
    "arms: comparator",
    "arms changed",
    "drug in two interventions",
    "type of an intervention changed",
    "purpose changed",
    "drug of comparators alone",
    "use of a drug changes within a study",
    "outcome of a study that does not count",
    "outcome only where another study does not count",
    "known by a study that does not count",
    *(f"purpose {purpose}" for purpose in simulated_truth.PURPOSES),
    *(f"use: {use}" for use in simulated_truth.USES),
    *(f"intervention {kind}" for kind in (*simulated_truth.NO_DRUG, "DRUG", "BIOLOGICAL")),
    "intervention DIETARY_SUPPLEMENT",
    "intervention OTHER",
}


# Minutes each: a world of forty releases.
pytestmark = [pytest.mark.exhaustive, pytest.mark.simulation]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A world and a store that contains only the slates."""
    return simulated_run.prepare(tmp_path_factory.mktemp("simulated") / "base", SEED)


@pytest.fixture(scope="module")
def halfway(prepared: Scene, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The same with the first half of the releases, refreshed once."""
    scene = prepared.moved_to(tmp_path_factory.mktemp("halfway"))
    scene.drop(scene.world.releases[:HALFWAY])
    scene.refresh()
    return scene


def test_the_world_is_full_of_traps(prepared: Scene) -> None:
    happened = prepared.happened
    assert [name for name in sorted(HAPPENINGS) if not happened[name]] == []
    kinds_seen = {
        (outcome.slate, outcome.outcome_type, outcome.source) for outcome in prepared.truth
    }
    types = {
        ("first_trial_seen", "ctgov"),
        ("phase_advanced", "ctgov"),
        ("phase_advanced", "chembl"),
        ("fda_approved", "chembl"),
        ("status_transition", "ctgov"),
    }
    assert {(kind, source) for slate, kind, source in kinds_seen if slate == "first"} == types
    assert {slate for slate, kind, source in kinds_seen if source == "fda"} == {"planned"}
    assert {slate for slate, _, _ in kinds_seen} == {watch.name for watch in prepared.watches}
    # The earliest slate was frozen before the first release, so the first has none before it.
    assert any(outcome.public_after is None for outcome in prepared.truth)


@pytest.mark.exhaustive
def test_release_by_release(prepared: Scene, tmp_path: Path) -> None:
    """After each release the ledger is the truth, and a second refresh touches nothing."""
    scene = prepared.moved_to(tmp_path)
    for number, release in enumerate(scene.world.releases, start=1):
        scene.drop([release])
        scene.refresh()
        assert scene.ledger() == scene.known_after(scene.world.releases[:number])
        before = _sha256(scene.db)
        assert scene.refresh().is_unchanged
        assert _sha256(scene.db) == before
    assert scene.unsound() == []
    assert scene.timings() == scene.true_timings()
    exported = _export(scene)
    for path in list(scene.drops.iterdir()):
        again = path.with_name(f"{path.stem}_again{path.suffix}")
        (shutil.copytree if path.is_dir() else shutil.copy)(path, again)
    assert scene.refresh().is_unchanged
    detected = tracker_on(scene.db)("refresh", "detect")
    assert detected.stdout.startswith("detection finished: no new events\n")
    assert _export(scene) == exported


@pytest.mark.parametrize("order", ["by chance", "source by source"])
def test_another_order(order: str, prepared: Scene, tmp_path: Path) -> None:
    """However the sources interleave, and in batches of any size, the ledger is the same."""
    scene = prepared.moved_to(tmp_path)
    chance = random.Random(1)  # noqa: S311 - chance, not secrecy
    if order == "by chance":
        batches = simulated_run.interleavings(scene.world.releases, chance, most=12)
    else:
        batches = [
            [release for release in scene.world.releases if release.source == source]
            for source in ("fda", "chembl", "ctgov")
        ]
    releases: list[Release] = []
    told: set[Outcome] = set()
    for batch in batches:
        scene.drop(batch)
        scene.refresh()
        releases += batch
        assert scene.ledger() == scene.known_after(releases)
        told |= scene.known_after(releases)
    # Evidence of the time before a freeze that comes in late shows that some were none.
    assert order == "by chance" or told - scene.truth
    assert scene.timings() == scene.true_timings()
    assert scene.known_phases() == simulated_truth.known_at_freezes(scene.watches, releases)


def test_other_spellings_bring_no_false_event(prepared: Scene, tmp_path: Path) -> None:
    """Names that studies invert, salt, dose, qualify or misspell are found, or missed: never wrong.

    The truth is what the makers of the world meant by a text, not how it is spelled.
    """
    scene = prepared.moved_to(tmp_path)
    simulated_slates.freeze(scene.db, scene.world, scene.cast, "loose")
    scene.drop(scene.world.releases)
    scene.refresh()
    with store.reader(scene.db) as connection:
        shown = {tuple(row) for row in connection.execute(text(_TRIALS_OF_PAIRS))}
    found = {row[:3] for row in shown}
    assert found - _meant_pairs(scene, is_plain=False) == set()
    assert _meant_pairs(scene, is_plain=True) - found == set()
    assert {row[3] for row in shown} > {"name", "normalised_name", "descendant"}


def test_other_plans_count_other_studies(prepared: Scene, tmp_path: Path) -> None:
    """Whatever uses the plans list, or none, outcomes and those of other settings are the truth."""
    scene = prepared.moved_to(tmp_path)
    scene.drop(scene.world.releases)
    scene.refresh()
    chance = random.Random("plans")  # noqa: S311 - chance, not secrecy
    for number in range(N_PLANS):
        if number:
            scene = scene.replanned({watch.name: _uses(chance) for watch in scene.watches})
        assert scene.ledger() == scene.truth
        assert scene.settings() == scene.true_settings()
    assert scene.unsound() == []


def _uses(chance: random.Random) -> frozenset[str] | None:
    """Return the uses that a plan lists: mostly a few, or None for a plan without the setting."""
    if chance.random() < 0.1:
        return None
    uses = sorted(simulated_truth.USES)
    return frozenset(chance.sample(uses, chance.choice((1, 2, 4, 7))))


@pytest.mark.exhaustive
def test_killed_at_random_moments(halfway: Scene, tmp_path: Path) -> None:
    scene = halfway.moved_to(tmp_path)
    chance = random.Random("killed")  # noqa: S311 - chance, not secrecy
    batches = simulated_run.interleavings(scene.world.releases[HALFWAY:], chance, most=8)
    n_killed = simulated_run.follow_killed(
        scene, batches, chance, n_kills=3, before=scene.world.releases[:HALFWAY]
    )
    # Where every refresh ended in time, the moments were not random enough.
    assert n_killed > 0
    assert scene.ledger() == scene.truth
    assert scene.unsound() == []
    assert [path.name for path in tmp_path.iterdir() if ".part" in path.name] == []


@pytest.mark.exhaustive
def test_a_slate_frozen_between_releases(halfway: Scene, tmp_path: Path) -> None:
    """It is matched by ChEMBL's names of the drugs at that time, and earlier slates are not."""
    scene = halfway.moved_to(tmp_path)
    day = scene.world.releases[HALFWAY - 1].day
    with store.writer(scene.db) as connection:
        freezing.freeze(
            connection,
            candidates="scored",
            labels="known",
            description="midway",
            plan=plans.parse({"matching": {"kinds": []}}, "aliases alone"),
            replay_as_of=day,
        )
    midway = replace(
        _watch(scene, "replay"),
        name="midway",
        frozen_on=day,
        drug_keys=_keys(scene, "drug"),
        disease_keys=_keys(scene, "disease"),
    )
    named = {
        key
        for drug, keys in midway.drug_keys.items()
        for key in keys.keys() - _watch(scene, "replay").drug_keys[drug].keys()
    }
    assert any(key.startswith("brand") for key in named)
    late = Scene(scene.world, scene.cast, [*scene.watches, midway], tmp_path)
    aliases = {
        dict(outcome.detail)["drug_alias"] for outcome in late.truth if outcome.slate == "midway"
    }
    assert aliases & named
    late.drop(late.world.releases[HALFWAY:])
    late.refresh()
    assert late.ledger() == late.truth


def _watch(scene: Scene, name: str) -> simulated_truth.Watch:
    return next(watch for watch in scene.watches if watch.name == name)


def _keys(scene: Scene, entity: str) -> dict[str, dict[str, int]]:
    """The aliases in the store of each drug or disease, in the order of their arrival.

    A name of two matches neither.
    """
    # Numbered over both: what a name shows of a study depends on what else was known by then.
    query = """
        with moment as (
            select added_at, dense_rank() over (order by added_at) as number
            from (select added_at from drug_alias union select added_at from disease_alias)
        )
        select entity.name, alias.value, alias.kind, moment.number
        from {0} as entity
        join {0}_alias as alias on entity.{0}_id = alias.{0}_id
        join moment on moment.added_at = alias.added_at
    """
    with store.reader(scene.db) as connection:
        rows = connection.execute(text(query.format(entity))).all()
    named = {(name, value) for name, value, kind, _ in rows if not kind.endswith("chembl_id")}
    bearers = Counter(value for _, value in named)
    keys: dict[str, dict[str, int]] = defaultdict(dict)
    for name, value, _, number in sorted(rows, key=lambda row: row[3]):
        if bearers[value] < 2:
            keys[name].setdefault(value, number)
    return keys


_TRIALS_OF_PAIRS = """
select slate_event.record, disease.name, drug.name, match_kind.match_kind
from slate_event
join slate using (slate_id) join disease using (disease_id) join drug using (drug_id)
join match_kind on slate_event.match_strength = match_kind.strength
where slate.description = 'loose' and slate_event.event_type = 'trial_registered'
"""


def _meant_pairs(scene: Scene, *, is_plain: bool) -> set[tuple[str, str, str]]:
    """Return each study with the scored pairs of which it is meant to be a trial.

    With `is_plain`, only by texts that a reader without a vocabulary would understand.
    """
    drugs: dict[str, str] = {}
    for drug in scene.world.drugs:
        called = [*simulated_history.intervention_names(drug)]
        called += [] if is_plain else [simulated_history.misspelt(drug.name)]
        drugs |= {fold(name): drug.name for name in called}
    diseases: dict[str, str] = {}
    for disease in scene.world.diseases:
        called = [*simulated_history.condition_names(disease)]
        wrong = simulated_history.misspelt(disease.name)
        called += [] if is_plain else [wrong, disease.heading, disease.mesh_id]
        diseases |= {fold(name): disease.name for name in called}
    return {
        (study.nct_id, diseases[condition], drug)
        for release in scene.world.releases
        for study in release.studies
        if study.study_type == "INTERVENTIONAL"
        for condition in map(
            fold, (*study.conditions, *(f"MESH:{mesh_id}" for mesh_id, _ in study.meshes))
        )
        if condition in diseases
        for drug in _meant_drugs(study, drugs, is_plain=is_plain)
        if (diseases[condition], drug) in scene.cast.candidates
    }


def _meant_drugs(study: Study, drugs: Mapping[str, str], *, is_plain: bool) -> set[str]:
    """Return the drugs that a study tests; a term stands for none that is a comparator there."""
    named: dict[bool, set[str]] = {True: set(), False: set()}
    for place, (_, first, others) in enumerate(study.interventions):
        called = {drugs[one] for one in map(fold, (first, *others)) if one in drugs}
        named[simulated_truth.is_comparator(study, place)] |= called
    derived = {drugs[fold(term)] for _, term in study.drug_meshes}
    return named[False] | (set() if is_plain else derived - named[True])


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _export(scene: Scene) -> bytes:
    query = "from outcome order by slate_id, outcome_id, disease_id"
    done = ok(tracker_on(scene.db)("sql", query, "--format", "csv"))
    assert len(done.stdout_bytes.splitlines()) == 1 + len(scene.truth)
    return done.stdout_bytes
