"""How long a site takes to publish, how big it is, and how fast its pages open.

    python tests/speed/bench_site.py [--diseases 22000] [--drugs 3000] [--keep DIR]

publishes one slate of 50 predictions per disease. The time is given next to that of the slate's
report as one page, which any publication includes, and of a bare COPY of the predictions to CSV;
seconds of CPU show how busy the machine was with other things. Pages are opened in Chromium where
there is one. Needs about 6 GB of disk.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from whole_matrix import make_files

from tracker import slates, store
from tracker.extras.site import publishing
from tracker.reports import build
from tracker.reports.pages import formats, slate_page
from tracker.slates import freezing, loads, outcomes
from tracker.store.state import scope

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import browser

MOST_SECONDS, MOST_OPEN_SECONDS = 60, 1.0


def main() -> None:
    """Make the store, publish it, open its pages; print seconds and bytes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--diseases", type=int, default=22_000)
    parser.add_argument("--drugs", type=int, default=3_000)
    parser.add_argument("--keep", type=Path, help="where store and site stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = options.keep or Path(name)
        folder.mkdir(exist_ok=True)
        db = folder / "store.duckdb"
        if not db.exists():
            _make_store(folder, db, options.diseases, options.drugs)
        _measure(db, folder)
        if browser.EXECUTABLE is not None:
            _open_pages(folder / "site")


def _make_store(folder: Path, db: Path, n_diseases: int, n_drugs: int) -> None:
    make_files(folder, n_diseases, n_drugs)
    with store.writer(db) as connection:
        loads.load_candidates(connection, folder / "candidates.parquet", "whole", "v1")
    with store.writer(db) as connection:
        loads.load_labels(connection, folder / "labels.parquet", "known")
        freezing.freeze(connection, candidates="whole", labels="known")
    with store.writer(db) as connection:
        slate = slates.all_slates(connection)[0]
        outcomes.load(connection, folder / "outcomes.parquet", slate)


def _measure(db: Path, folder: Path) -> None:
    def copy() -> None:
        with duckdb.connect(str(db), read_only=True) as connection:
            connection.execute("copy prediction to '/dev/null' (format csv)")

    def report() -> None:
        with store.reader(db) as connection:
            slate = slates.all_slates(connection)[0]
            with scope.of_slates(connection, slate):
                drawn = slate_page.of_slate(connection, slate, build.build(connection, slate))
                formats.render(drawn, "html")

    def publish() -> None:
        done = publishing.publish(db, folder / "site", _print_step)
        _say(f"{done.n_files:,} files, {done.n_bytes / 1e6:,.0f} MB")

    _say("             seconds  of CPU")
    for name, step in (("bare copy", copy), ("one page", report), ("site", publish)):
        before = time.process_time()
        took = _seconds(step)
        _say(f"{name:12s} {took:7.1f} {time.process_time() - before:7.1f}")
    _say(f"a site may take {MOST_SECONDS} seconds on two idle cores")
    _say(f"peak memory  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2:8.1f} GB")
    biggest = sorted(
        (path for path in (folder / "site").rglob("*") if path.is_file()),
        key=lambda path: -path.stat().st_size,
    )
    pages_alone = [path for path in biggest if "downloads" not in path.parts][:3]
    for path in pages_alone:
        _say(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(folder / 'site')}")


def _open_pages(folder: Path) -> None:
    """Open the biggest page of each kind, and time a search and the verification."""
    with browser.started() as running:
        for kind in ("", "slates", "diseases", "drugs", "downloads"):
            path = max((folder / kind).glob("*.html"), key=lambda page: page.stat().st_size)
            with browser.visit(running, path) as visited:
                took = visited.page.evaluate(
                    "performance.getEntriesByType('navigation')[0].loadEventEnd / 1000"
                )
            _say(f"opening {path.relative_to(folder)}: {took:.2f} s   "
                 f"at most {MOST_OPEN_SECONDS:.0f} s")  # fmt: skip
        with browser.visit(running, next((folder / "slates").glob("*/audit.html"))) as visited:
            searched = _seconds(lambda: _search(visited, "disease 777"))
            verified = _seconds(lambda: _verify(visited))
            verdict = visited.page.inner_text("#verify-result")
        _say(f"search {searched:.2f} s, verification {verified:.1f} s: {verdict[:60]}")


def _search(visited: browser.Visit, words: str) -> None:
    visited.page.fill("#query", words)
    visited.page.wait_for_selector("#found a")


def _verify(visited: browser.Visit) -> None:
    visited.page.click("#verify-button")
    visited.page.wait_for_selector(".match, .mismatch", timeout=120_000)


def _print_step(step: str) -> None:
    _say(f"{time.perf_counter() - _STARTED:8.1f} s  {step}")


def _seconds(step: Callable[[], None]) -> float:
    started = time.perf_counter()
    step()
    return time.perf_counter() - started


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


_STARTED = time.perf_counter()

if __name__ == "__main__":
    main()
