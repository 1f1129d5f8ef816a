"""Speed of ingesting ChEMBL from PostgreSQL and MariaDB, as multiples of the SQLite dump's time.

    .venv/bin/python tests/speed/bench_databases.py [--indications 60000] [--synonyms 300000]

The servers are Debian's, started on a socket of their own; one that is not installed is left out.
Prints for each the time, the multiple of the dump's, and the peak of memory of the process.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from measuring import read_options

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import databases
from evidence import chembl

from tracker import evidence, store

_MOLECULES = 100_000
_DISEASES = 2_000


def main() -> None:
    """Ingest the same release from each source."""
    options = read_options(__doc__, indications=60_000, synonyms=300_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dump = chembl(
            folder / "chembl_36.db",
            [
                (
                    one,
                    one % _MOLECULES + 1,
                    1 + one % 4,
                    f"D{one % _DISEASES:06}",
                    f"Disease {one % _DISEASES}",
                    f"EFO:{one % _DISEASES:07}",
                    f"disease {one % _DISEASES}",
                )
                for one in range(1, options.indications + 1)
            ],
            molecules=[(one, f"DRUG {one}", f"CHEMBL{one}") for one in range(1, _MOLECULES + 1)],
            synonyms=[
                (one % _MOLECULES + 1, one, f"Name {one} of a drug")
                for one in range(1, options.synonyms + 1)
            ],
            references=[
                (one, one, "ClinicalTrials", f"NCT{one:08}")
                for one in range(1, options.indications + 1)
            ],
        )
        of_dump = _seconds(folder / "dump.duckdb", str(dump))
        _say("the dump", of_dump, of_dump)
        for kind in ("postgresql", "mariadb"):
            if databases.missing(kind):
                continue
            place = folder / kind
            place.mkdir()
            with databases.running(kind, place) as server:
                databases.fill(server, dump)
                _say(kind, _seconds(folder / f"{kind}.duckdb", server.url), of_dump)


def _seconds(path: Path, target: str) -> float:
    with store.writer(path):
        pass
    started = time.perf_counter()
    with store.writer(path) as connection:
        evidence.ingest_chembl(connection, target)
    return time.perf_counter() - started


def _say(what: str, seconds: float, of_dump: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{what}: {seconds:.1f} s, {seconds / of_dump:.2f} times the dump, peak {peak:,.0f} MB")  # noqa: T201 - prints what it measures


if __name__ == "__main__":
    main()
