"""A simulated world followed by real refreshes: the store, the watched folder, the ledger."""

import json
import multiprocessing
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import recorded
import simulated_history
import simulated_slates
import simulated_truth
from simulated_history import World
from simulated_slates import Cast
from simulated_truth import USES, Outcome, Pair, Timed, Watch
from simulated_world import Release
from sqlalchemy import text

from tracker import store
from tracker.extras import refresh
from tracker.store import catalog

CONFIGURATION = """settle_seconds = 0
store = "store.duckdb"

[[source]]
kind = "chembl"
path = "drop/chembl_*"

[[source]]
kind = "trials"
path = "drop/ctgov_*"
complete = true

[[source]]
kind = "fda"
path = "drop/drugsatfda_*"
"""
# None is a plan without the setting, as plans were frozen before there was one.
_REPLAN = text(
    """
update slate
set plan = if(
    :uses is null,
    json_merge_patch(plan, '{"studies": null}'),
    json_merge_patch(plan, json_object('studies', json_object('uses', cast(:uses as json))))
)
where :name = if(origin = 'published', 'published', description)
"""
)
# A slate, disease, drug, setting, type of outcome, record and the day by which it was public.
SettingOutcome = tuple[str, str, str, str, str, str, date | None]
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tracker.extras.refresh.running"])


@dataclass(frozen=True)
class Scene:
    """A world, what its users know of it, and a folder with a store and a watched folder."""

    world: World
    cast: Cast
    watches: Sequence[Watch]
    folder: Path
    _known: dict[frozenset[tuple[str, int]], set[Outcome]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def truth(self) -> set[Outcome]:
        """The outcomes of all slates once all releases are there."""
        return self.known_after(self.world.releases)

    @property
    def db(self) -> Path:
        """The store."""
        return self.folder / "store.duckdb"

    @property
    def drops(self) -> Path:
        """The watched folder."""
        return self.folder / "drop"

    @property
    def happened(self) -> Counter[str]:
        """How often each kind of thing happened in the world, or to one of its slates."""
        releases = self.world.releases
        return sum(
            (simulated_truth.happenings(watch, releases) for watch in self.watches),
            self.world.happened,
        )

    def moved_to(self, folder: Path) -> "Scene":
        """Return a copy of all of it in another folder."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return replace(self, folder=folder)

    def drop(self, releases: Iterable[Release]) -> None:
        """Put releases into the watched folder, each at once, as a careful download does."""
        making = self.folder / "making"
        making.mkdir(exist_ok=True)
        for release in releases:
            made = release.write(making)
            made.replace(self.drops / made.name)

    def refresh(self) -> refresh.Refreshed:
        """Run a refresh here; refuses nothing."""
        done = refresh.run(self.folder / "tracker.toml")
        assert [found.problem for found in done.sources if found.problem] == []
        return done

    def refresh_killed(self, seconds: float) -> bool:
        """Run a refresh elsewhere and kill it after so long; True if it was still running."""
        process = _processes.Process(target=refresh.run, args=(self.folder / "tracker.toml",))
        process.start()
        process.join(seconds)
        process.kill()
        process.join()
        return process.exitcode != 0

    def ledger(self) -> set[Outcome]:
        """Return the ledger by names; every row of it differs from every other."""
        with store.reader(self.db) as connection:
            return recorded.outcomes(connection)

    def timings(self) -> set[Timed]:
        """Return the outcomes of the ledger with their timing."""
        with store.reader(self.db) as connection:
            return recorded.timings(connection)

    def true_timings(self) -> set[Timed]:
        """Return what `timings` must return once all releases are there."""
        return simulated_truth.timings(self.truth, self.watches, self.world.releases)

    def known_phases(self) -> dict[tuple[str, Pair], float]:
        """Return the pairs known at each freeze, with 0 where no phase is."""
        with store.reader(self.db) as connection:
            return recorded.known_phases(connection)

    def settings(self) -> tuple[set[tuple[str, ...]], list[SettingOutcome]]:
        """Return the pairs that a setting changes, by slate, and all outcomes by setting."""
        with store.reader(self.db) as connection:
            pairs = set(recorded.rows(connection, "pair_study_setting", "study_setting"))
            columns = "study_setting, outcome_type, recorded.detail ->> 'record', public_by"
            found = recorded.rows(connection, "setting_outcome", columns)
        return pairs, sorted(found)

    def true_settings(self) -> tuple[set[tuple[str, ...]], list[SettingOutcome]]:
        """Return what `settings` must return once all releases are there."""
        releases = self.world.releases
        pairs: set[tuple[str, ...]] = set()
        found: list[SettingOutcome] = []
        for watch in self.watches:
            for pair, setting in simulated_truth.pair_settings(watch, releases):
                pairs.add((watch.name, *pair, setting))
            for setting, one in simulated_truth.setting_outcomes(watch, releases):
                record = str(dict(one.detail)["record"])
                found.append((*one[:3], setting, one.outcome_type, record, one.public_by))
        return pairs, sorted(found)

    def replanned(self, uses: Mapping[str, frozenset[str] | None]) -> "Scene":
        """Return the scene with other uses in the plans of slates; the store is changed.

        None is a plan that was frozen before uses were a setting: every study counts.
        """
        with store.writer(self.db) as connection:
            for name, listed in uses.items():
                written = None if listed is None else json.dumps(sorted(listed))
                connection.execute(_REPLAN, {"name": name, "uses": written})
            # No command changes a plan, so all that is kept is made anew.
            connection.exec_driver_sql("delete from state.made_from")
        watches = [
            replace(watch, uses=USES if listed is None else listed)
            for watch in self.watches
            for listed in [uses.get(watch.name, watch.uses)]
        ]
        return replace(self, watches=watches, _known={})

    def known_after(self, releases: Iterable[Release]) -> set[Outcome]:
        """Return the outcomes of all slates once these releases, and no others, are there."""
        present = list(releases)
        key = frozenset((release.source, release.number) for release in present)
        if key not in self._known:
            self._known[key] = set().union(
                *(simulated_truth.outcomes(watch, present) for watch in self.watches)
            )
        return self._known[key]

    def unsound(self) -> list[str]:
        """Return the names of the checks that the store violates."""
        with store.reader(self.db) as connection:
            return [
                check.name
                for check in catalog.read_checks()
                if store.violations(connection, check, limit=1)
            ]


def prepare(folder: Path, seed: int, n_releases: int = 40) -> Scene:
    """Return a scene whose store contains all slates of a world and none of its releases."""
    world = simulated_history.make(seed, n_releases)
    cast = simulated_slates.cast(world, seed)
    scene = Scene(world, cast, simulated_slates.watches(world, cast), folder)
    scene.drops.mkdir(parents=True)
    (folder / "tracker.toml").write_text(CONFIGURATION)
    simulated_slates.record(scene.db, world, cast)
    return scene


def interleavings(
    releases: Sequence[Release], chance: random.Random, most: int
) -> list[list[Release]]:
    """Return the releases in another order and in batches of up to `most`.

    Within a source the order stays.
    """
    waiting = {
        source: [release for release in releases if release.source == source]
        for source in ("chembl", "ctgov", "fda")
    }
    batches: list[list[Release]] = []
    while any(waiting.values()):
        size = chance.randint(1, most)
        batch: list[Release] = []
        while len(batch) < size and any(waiting.values()):
            # A source may run far ahead of the others.
            batch.append(waiting[chance.choice([key for key in waiting if waiting[key]])].pop(0))
        batches.append(batch)
    return batches


def follow_killed(
    scene: Scene,
    batches: Iterable[Sequence[Release]],
    chance: random.Random,
    n_kills: int,
    *,
    before: Iterable[Release] = (),
) -> int:
    """Refresh after each batch, killed `n_kills` times at random before it may end.

    Return how many refreshes were really cut short. What a killed one left behind is text_table,
    and its ledger is that of before the batch or that of after it. The releases of `before` are
    in the store already.
    """
    n_killed = 0
    duration = 3.0
    present = list(before)
    for batch in batches:
        truths = [scene.known_after(present), scene.known_after([*present, *batch])]
        present += batch
        scene.drop(batch)
        for _ in range(n_kills):
            n_killed += scene.refresh_killed(chance.uniform(0, duration))
            assert scene.ledger() in truths
        started = time.monotonic()
        scene.refresh()
        duration = 1.3 * max(time.monotonic() - started, 1.0)
    return n_killed
