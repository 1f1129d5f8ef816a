"""How long the page of a slate takes, and how big it is, against the same report as JSON.

    python tests/speed/bench_pages.py [PREDICTIONS PER DISEASE]

prints seconds of whole commands (the interpreter's start included) for a slate of seven diseases,
50 predictions each unless stated otherwise, with an outcome for every tenth prediction.
"""

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

N_DISEASES, N_DRUGS = 7, 1_000
MOST_SECONDS, MOST_BYTES = 3.0, 1_000_000


def tracker(folder: Path, *words: str) -> float:
    """Run a command on the store of the folder and return how many seconds it took."""
    main = "import tracker.cli, sys; sys.exit(tracker.cli.main(sys.argv[1:]))"
    start = time.perf_counter()
    command = [sys.executable, "-c", main, "--db", str(folder / "pages.duckdb"), *words]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return time.perf_counter() - start


def write(path: Path, header: list[str], rows: list[tuple[object, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows([header, *rows])


def make_world(folder: Path, n_predictions: int) -> None:
    """Freeze a slate with `n_predictions` for each disease, a tenth of them with an outcome."""
    pairs = [(d, g) for d in range(N_DISEASES) for g in range(N_DRUGS)]
    score = {pair: round(1 - (pair[0] * 37 + pair[1] * 613) % 1009 / 1009, 6) for pair in pairs}
    write(
        folder / "candidates.csv",
        ["disease_name", "drug_name", "score"],
        [(f"disease {d}", f"drug {g}", score[d, g]) for d, g in pairs],
    )
    write(
        folder / "labels.csv",
        ["disease_name", "drug_name", "label"],
        [(f"disease {d}", f"drug {g}", 1 + g % 4) for d, g in pairs if (g + d) % 23 == 0],
    )
    best = [
        (d, g)
        for d in range(N_DISEASES)
        for g in sorted(range(N_DRUGS), key=lambda drug: -score[d, drug])[:n_predictions]
    ]
    write(
        folder / "outcomes.csv",
        ["disease_name", "drug_name", "outcome_type", "source", "event_date", "first_public_on"],
        [
            (f"disease {d}", f"drug {g}", "first_trial_seen", "ctgov", "2099-03-01", "2099-02-01")
            for d, g in best[::10]
        ],
    )
    tracker(folder, "load", "candidates", "candidates.csv", "--set", "all", "--model", "m")
    tracker(folder, "load", "labels", "labels.csv", "--set", "known")
    tracker(
        folder,
        "slate",
        "freeze",
        "--candidates",
        "all",
        "--labels",
        "known",
        "--description",
        "measured",
        "--top-k",
        str(n_predictions),
        "--min-score",
        "0",
    )
    listed = subprocess.run(
        [
            sys.executable,
            "-c",
            "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True); "
            "print(c.execute('select slate_id from slate').fetchone()[0])",
            str(folder / "pages.duckdb"),
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    (folder / "slate").write_text(listed)
    tracker(folder, "load", "outcomes", "outcomes.csv", "--slate", listed)


if __name__ == "__main__":
    n_predictions = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_world(folder, n_predictions)
        report = ("report", (folder / "slate").read_text())
        as_json = min(tracker(folder, *report, "--format", "json") for _ in range(3))
        page = ("--format", "html", "-o", "page.html")
        as_page = min(tracker(folder, *report, *page) for _ in range(3))
        size = (folder / "page.html").stat().st_size
    lines = (
        f"slate of {N_DISEASES * n_predictions:,} predictions, best of three commands each",
        f"as JSON              {as_json:10.2f} s",
        f"as a page            {as_page:10.2f} s   {as_page / as_json:.2f}x   "
        f"at most {MOST_SECONDS:.0f} s",
        f"bytes of the page    {size:10,}     at most {MOST_BYTES:,}",
    )
    sys.stdout.write("".join(f"{line}\n" for line in lines))
