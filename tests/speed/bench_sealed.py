"""Cost of sealed candidate sets: against stored ones, and a refresh with 100 sets against one.

    .venv/bin/python tests/speed/bench_sealed.py [--diseases 700] [--drugs 3000] [--sets 100]

With `--diseases 22000` it is a whole-matrix model of 66 million pairs, which needs about 5 GB of
disk; the further sets have `--others` diseases each, as many pairs as make a difference to a copy.
Prints the seconds of processor time of each step with a stored set and with a sealed one, which
other programs on the machine hardly change, their ratio, and the sizes on disk; then a refresh in
a store with one sealed set and in one with all of them.
"""

import resource
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
from measuring import peak_memory, read_options, say

from tracker import schema, slates, store
from tracker.api.stores import Store
from tracker.extras import refresh
from tracker.slates import freezing, loads, seals

WORLD = Path(__file__).parents[2] / "fixtures" / "world"


def main() -> None:
    """Make the files and the stores, run each step, print the ratios."""
    options = read_options(__doc__, diseases=700, drugs=3_000, sets=100, others=70)
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        file, other = folder / "candidates.parquet", folder / "other.parquet"
        _make_candidates(file, options.diseases, options.drugs)
        _make_candidates(other, options.others, options.drugs)
        stored, sealed = (_compare(folder, file, is_sealed) for is_sealed in (False, True))
        for step, seconds in sealed.items():
            _row(step, stored[step], seconds)
        _move(folder / "stored" / "store.duckdb")
        _refreshes(folder, file, other, options.sets)
    say(peak_memory())


def _compare(folder: Path, file: Path, is_sealed: bool) -> dict[str, float]:
    """Return the seconds of each step in a store of its own, and print what is on the disk."""
    place = folder / ("sealed" if is_sealed else "stored")
    place.mkdir()
    path = place / "store.duckdb"

    def load() -> None:
        with store.writer(path) as connection:
            loads.load_candidates(connection, file, "whole", "v1", sealed=is_sealed)

    def freeze() -> None:
        with store.writer(path) as connection:
            freezing.freeze(connection, candidates="whole", labels=None)

    def report() -> None:
        with Store(path) as opened:
            opened.slate(str(_slate(path))).report()

    with store.writer(path):
        pass
    found = {
        "load": _seconds(load),
        "freeze": _seconds(freeze),
        "refresh": _seconds(lambda: refresh.run(_config(folder), db=path)),
        "report": _seconds(report),
    }
    files = sum(one.stat().st_size for one in place.rglob("*.parquet"))
    kind = "sealed" if is_sealed else "stored"
    say(f"{kind}: store {_size(path.stat().st_size)}, files {_size(files)}")
    return found


def _slate(path: Path) -> object:
    with store.reader(path) as connection:
        return slates.all_slates(connection)[0].slate_id


def _move(path: Path) -> None:
    """Print what it costs to seal the stored set, and what is left of the store."""

    def seal() -> None:
        with store.writer(path) as connection:
            found = loads.find_set(connection, schema.candidate_set, "whole")
            seals.move(connection, found)

    seconds = _seconds(seal)
    say(f"candidates seal: {seconds:.1f} s; store afterwards {_size(path.stat().st_size)}")


def _refreshes(folder: Path, file: Path, other: Path, n_sets: int) -> None:
    """Print the first refresh of a store with one sealed set, and of one with `n_sets` of them."""
    few, many = folder / "few" / "store.duckdb", folder / "many" / "store.duckdb"
    few.parent.mkdir()
    with store.writer(few) as connection:
        loads.load_candidates(connection, file, "whole", "v1", sealed=True)
        freezing.freeze(connection, candidates="whole", labels=None)
    shutil.copytree(few.parent, many.parent)
    with store.writer(many) as connection:
        for number in range(2, n_sets + 1):
            loads.load_candidates(connection, other, f"set {number}", "v2", sealed=True)
    config = _config(folder)
    one = _seconds(lambda: refresh.run(config, db=few))
    _row(f"refresh, {n_sets} sets", one, _seconds(lambda: refresh.run(config, db=many)))
    sizes = _size(few.stat().st_size), _size(many.stat().st_size)
    say(f"store with one set {sizes[0]}, with {n_sets} {sizes[1]}")


def _config(folder: Path) -> Path:
    config = folder / "tracker.toml"
    config.write_text(
        f'settle_seconds = 0\n[[source]]\nkind = "chembl"\npath = "{WORLD}/chembl_91.db"\n'
        f'[[source]]\nkind = "trials"\npath = "{WORLD}/trials-2025-02-20.json"\n',
        encoding="utf-8",
    )
    return config


def _make_candidates(path: Path, n_diseases: int, n_drugs: int) -> None:
    with duckdb.connect(config={"memory_limit": "4GB"}) as maker:
        maker.execute("select setseed(0.5)")
        maker.execute("create table a as from range(?) a (d)", [n_diseases])
        maker.execute("create table b as from range(?) b (g)", [n_drugs])
        maker.sql(
            "select 'disease ' || d as disease_name, 'drug ' || g as drug_name, "
            "random() as score from a, b"
        ).to_parquet(str(path))


def _seconds(step: Callable[[], object]) -> float:
    """Return the processor time that a step took, of all threads."""
    begun = resource.getrusage(resource.RUSAGE_SELF)
    step()
    ended = resource.getrusage(resource.RUSAGE_SELF)
    return ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.0f} MB"


def _row(step: str, before: float, after: float) -> None:
    say(f"{step:22s} {after:8.2f} s = {after / before:5.2f} x ({before:.2f} s)")


if __name__ == "__main__":
    main()
