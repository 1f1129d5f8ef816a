"""Turns published rankings of drugs for COVID-19 into files of candidates, one for each ranking.

    python covid_rankings.py RANKS FOLDER

RANKS is the table of Gysi et al. 2021 (github.com/Barabasi-Lab/COVID-19), or one of its form: text
separated by tabs, also with .gz, with a line for each drug, its DrugBank id and name in the first
two columns, and its rank in each of the others, 1 being the best. FOLDER gets a CSV for each
ranking, and names.csv, the spellings of the disease in the registries' records of that spring.
"""

import csv
import gzip
import sys
from collections.abc import Sequence
from pathlib import Path

DISEASE = "COVID-19"
NAME = "DrugBank_name"
# The others, and the rank of the consensus that is made of the rankings.
NOT_RANKINGS = ("DrugBank_ID", NAME, "acRank")
# As conditions were written in WHO's export of 7 April 2020; case makes no difference.
SPELLINGS = (
    "2019-nCoV",
    "2019-nCoV pneumonia",
    "SARS-CoV-2",
    "SARS-CoV-2 infection",
    "COVID-19 infection",
    "COVID-19 pneumonia",
    "COVID-19 (SARS-CoV-2 infection)",
    "Novel coronavirus pneumonia",
    "Novel coronavirus pneumonia (COVID-19)",
    "Novel coronavirus pneumonia (NCP)",
    "Coronavirus disease 2019",
    "Coronavirus",
    "Coronavirus infection",
    "Coronavirus infections",
    "Corona virus infection",
)


def read(path: Path) -> list[dict[str, str]]:
    """Return the lines of a table by column, those of drugs without a name left out."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as handle:
        table = csv.DictReader(handle, delimiter="\t")
        missing = {*NOT_RANKINGS[:2]} - {*(table.fieldnames or ())}
        if missing:
            sys.exit(f"{path}: no column {', '.join(sorted(missing))}")
        lines = list(table)
    named = [line for line in lines if line[NAME]]
    sys.stdout.write(f"{len(lines):,} drugs, {len(lines) - len(named):,} left out without a name\n")
    return named


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a CSV."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([header, *rows])


def main(ranks: Path, folder: Path) -> None:
    """Write the files, and print how many drugs each ranking has."""
    lines = read(ranks)
    (folder / "rankings").mkdir(parents=True, exist_ok=True)
    for ranking in sorted({*lines[0]} - {*NOT_RANKINGS}):
        # A drug that the ranking leaves out has no rank, and is no candidate of it.
        rows = [(DISEASE, line[NAME], line[ranking]) for line in lines if line[ranking]]
        write(folder / "rankings" / f"{ranking}.csv", ("disease_name", "drug_name", "score"), rows)
        sys.stdout.write(f"{ranking}: {len(rows):,} drugs\n")
    synonyms = [("disease", DISEASE, "synonym", spelling) for spelling in SPELLINGS]
    write(folder / "names.csv", ("entity", "name", "kind", "value"), synonyms)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
