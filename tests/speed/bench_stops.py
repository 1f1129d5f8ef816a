"""Reasons for stopping studies, measured against labels: precision and recall by reason.

    .venv/bin/python tests/speed/bench_stops.py

The labels are those of tests/evidence/stop_labels.csv, the texts those of the real data. The
patterns were written with the half 'develop'; the half 'held out' was read after them. Intervals
are Clopper and Pearson's. The second table counts labels (rows) by what the view gives (columns).
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import stop_reasons

from tracker import store
from tracker.uncertainty import stats


def main() -> None:
    """Classify the labelled texts in a new store and print the tables."""
    with (
        tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name,
        store.writer(Path(name) / "store.duckdb") as connection,
    ):
        compared = stop_reasons.pairs(connection)
    lines: list[str] = []
    for half in stop_reasons.HALVES:
        counted = stop_reasons.confusion(compared, half)
        lines.append(f"{half:10}{'labelled':>9}{'given':>7}{'precision':>20}{'recall':>20}")
        for reason in stop_reasons.REASONS:
            n_right, n_given, n_labelled = stop_reasons.right(counted, reason)
            shares = "".join(f"{share(n_right, n):>20}" for n in (n_given, n_labelled))
            lines.append(f"{reason:10}{n_labelled:>9}{n_given:>7}{shares}")
        lines.append("")
        lines.append(f"{half:10}" + "".join(f"{given:>10}" for given in stop_reasons.REASONS))
        for reason in stop_reasons.REASONS:
            row = "".join(f"{counted[reason, given]:>10}" for given in stop_reasons.REASONS)
            lines.append(f"{reason:10}{row}")
        lines.append("")
    print("\n".join(lines).rstrip())  # noqa: T201 - prints what it measures


def share(n_right: int, n: int) -> str:
    """Return a share with its interval, as in '0.95 (0.83-0.99)'."""
    interval = stats.clopper_pearson(n_right, n)
    if interval.estimate is None:
        return "-"
    return f"{interval.estimate:.2f} ({interval.low:.2f}-{interval.high:.2f})"


if __name__ == "__main__":
    main()
