"""Matching measured against gold triples: what each kind of match adds, and how often it is right.

    .venv/bin/python tests/speed/bench_gold.py

The triples (study, drug, disease), the vocabularies and the studies are those of the real data,
ingested and matched by the product. A row has the figures of its kind together with all stronger
ones: the shares of triples of which the disease, the drug and both are found, and the shares of the
matches that the gold has as well. The gold omits much that records name, so that the latter are
lower bounds.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import real_matching

from tracker import store

_HEADER = ("kind", "disease", "drug", "both", "P disease", "P drug", "diseases", "drugs")


def main() -> None:
    """Match the gold's studies in a new store and print the table."""
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        with store.writer(folder / "store.duckdb") as connection:
            real_matching.match_gold(connection, folder)
            table = real_matching.gold_table(connection)
    print("{:22}{:>9}{:>9}{:>9}{:>11}{:>9}{:>10}{:>8}".format(*_HEADER))  # noqa: T201 - prints what it measures
    for row in table:
        figures = "".join(
            f"{'' if row[name] is None else format(row[name], '.3f'):>{width}}"
            for name, width in (
                ("disease_recall", 9),
                ("drug_recall", 9),
                ("both_recall", 9),
                ("disease_precision", 11),
                ("drug_precision", 9),
            )
        )
        print(f"{row['match_kind']:22}{figures}{row['n_diseases']:>10}{row['n_drugs']:>8}")  # noqa: T201 - prints what it measures


if __name__ == "__main__":
    main()
