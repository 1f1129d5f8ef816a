"""Speed and memory of ingesting exports of ICTRP, by simulation.

    .venv/bin/python tests/speed/bench_registries.py [--studies 3000] [--megabytes 70]
        [--whole 900000]

Writes the XML of a search with as much text as real studies of cancer have, and the CSV of a whole
platform, with half of the studies in ClinicalTrials.gov and one in ten in two registries. Prints
the seconds and the peak of memory of each ingestion into an empty store, each in a process of its
own, and the ratio to Python alone reading the bytes of the same file.
"""

import csv
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from measuring import read_options

from tracker import evidence, store

_COLUMNS = (
    "TrialID",
    "Public_title",
    "Date_registration3",
    "Export_date",
    "Source_Register",
    "Recruitment_Status",
    "Date_enrollement",
    "Study_type",
    "Study_design",
    "Phase",
    "Inclusion_Criteria",
    "Condition",
    "Intervention",
    "Secondary_ID",
    "Internal_Number",
)


def main() -> None:
    """Write the two exports, ingest each and print what it took."""
    options = read_options(__doc__, studies=3_000, megabytes=70, whole=900_000)
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        padding = options.megabytes * 1_000_000 // options.studies
        _measured(_write_xml(folder / "search.xml", options.studies, padding))
        _measured(_write_csv(folder / "whole.csv", options.whole))


def _records(n_studies: int, padding: int) -> Iterator[tuple[str, ...]]:
    for number in range(n_studies):
        is_american = number % 2 == 0
        own = f"NCT{number:08}" if is_american else f"ISRCTN{number:08}"
        other = f"NCT{number - 1:08}" if number % 10 == 1 else ""
        yield (
            own,
            f"Alphanib and betamab in condition {number % 5_000}",
            "20260110",
            "3/2/2026 10:40:56 AM",
            "ClinicalTrials.gov" if is_american else "ISRCTN",
            "Recruiting",
            "January 15, 2026" if is_american else "15/01/2026",
            "Interventional",
            "Primary purpose: Treatment. ",
            "Phase 2/Phase 3",
            "eligible " * (padding // 9),
            f"Condition {number % 5_000};Gout",
            f"Drug: Drug {number % 3_000};Drug: Placebo"
            if is_american
            else f"experimental group:drug {number % 3_000} 5 mg+usual care;control group:placebo",
            other,
            str(number),
        )


def _write_xml(path: Path, n_studies: int, padding: int) -> Path:
    with path.open("w") as handle:
        handle.write('<?xml version="1.0"?><Trials_downloaded_from_ICTRP>')
        for record in _records(n_studies, padding):
            cells = zip(_COLUMNS, record, strict=True)
            body = "".join(f"<{name}>{escape(text)}</{name}>\n" for name, text in cells)
            handle.write(f"<Trial>{body}</Trial>")
        handle.write("</Trials_downloaded_from_ICTRP>")
    return path


def _write_csv(path: Path, n_studies: int) -> Path:
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(_COLUMNS)
        writer.writerows(_records(n_studies, 900))
    return path


def _measured(path: Path) -> None:
    n_bytes = path.stat().st_size / 1e6
    bare, _ = _in_a_process(_read, path)
    seconds, peak = _in_a_process(_ingest, path)
    print(  # noqa: T201 - prints what it measures
        f"{path.name}: {n_bytes:,.0f} MB, {seconds:.1f} s, {peak:,.0f} MB of memory, "
        f"{seconds / bare:,.0f} times reading its bytes"
    )


def _in_a_process(work: Callable[[Path], object], path: Path) -> tuple[float, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_timed, (work, path))


def _timed(work: Callable[[Path], object], path: Path) -> tuple[float, float]:
    begun = time.perf_counter()
    work(path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return time.perf_counter() - begun, peak


def _read(path: Path) -> None:
    with path.open("rb") as handle:
        while handle.read(1 << 20):
            pass


def _ingest(path: Path) -> None:
    with store.writer(path.with_suffix(".duckdb")) as connection:
        evidence.ingest_ictrp(connection, [path])


if __name__ == "__main__":
    main()
