"""Tracks many simulated worlds, in many orders and under many kills, against their known truth.

For each seed: all releases in one refresh, then in other orders and in batches, then with
refreshes killed at random. Prints a line per run and exits with 1 if any ledger differs.

    python tests/speed/simulated_worlds.py --worlds 5 --orders 2 --kills 4
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import say

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import simulated_run
from simulated_run import Scene


def main() -> int:
    """Run what the arguments ask for; return 1 if a ledger was not the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=3, help="how many seeds")
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--releases", type=int, default=40, help="20 or more")
    parser.add_argument("--orders", type=int, default=2, help="interleavings of each world")
    parser.add_argument("--kills", type=int, default=3, help="kills before each batch is done")
    options = parser.parse_args()
    n_wrong = 0
    for seed in range(options.first_seed, options.first_seed + options.worlds):
        with tempfile.TemporaryDirectory() as folder:
            base = simulated_run.prepare(Path(folder) / "base", seed, options.releases)
            say(f"world {seed}: {len(base.truth):,} true outcomes")
            for scene, label in _runs(base, Path(folder), seed, options.orders, options.kills):
                ledger = scene.ledger()
                n_missing = len(scene.truth - ledger)
                n_false = len(ledger - scene.truth)
                unsound = ", ".join(scene.unsound()) or "none"
                n_wrong += bool(n_missing or n_false or unsound != "none")
                say(f"  {label}: {n_missing} missing, {n_false} false, unsound checks: {unsound}")
    return 1 if n_wrong else 0


def _runs(
    base: Scene, folder: Path, seed: int, n_orders: int, n_kills: int
) -> Iterator[tuple[Scene, str]]:
    """Yield each finished scene with a description of how it was followed."""
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    whole = base.moved_to(folder / "whole")
    whole.drop(whole.world.releases)
    yield whole, _timed("in one refresh", whole)
    for number in range(n_orders):
        scene = base.moved_to(folder / f"order {number}")
        batches = simulated_run.interleavings(scene.world.releases, chance, most=12)
        for batch in batches[:-1]:
            scene.drop(batch)
            scene.refresh()
        scene.drop(batches[-1])
        yield scene, _timed(f"order {number} in {len(batches)} batches, the last", scene)
    scene = base.moved_to(folder / "killed")
    batches = simulated_run.interleavings(scene.world.releases, chance, most=8)
    n_killed = simulated_run.follow_killed(scene, batches, chance, n_kills)
    yield (
        scene,
        f"{n_killed} of {n_kills * len(batches)} refreshes killed in {len(batches)} batches",
    )


def _timed(label: str, scene: Scene) -> str:
    started = time.monotonic()
    scene.refresh()
    return f"{label} ({time.monotonic() - started:.1f} s)"


if __name__ == "__main__":
    sys.exit(main())
