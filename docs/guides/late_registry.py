"""Makes the invented registry of docs/guides/case-late-curation.md: python late_registry.py FOLDER.

A model that has read every trial registered before the freeze, and has no foresight at all; and two
releases of ChEMBL, the first of which lacks many of these trials, which the second adds years
later. The folder `references` has them with the numbers of the trials, `releases` without.
"""

import csv
import random
import sqlite3
import sys
from pathlib import Path
from typing import NamedTuple

DISEASES = range(11, 36)
DRUGS = range(1, 301)
# Of a drug of average popularity: the chance of a trial in a disease before the freeze, and after.
BEFORE, AFTER = 0.05, 0.025
# How many of the trials before the freeze the first release has, and how many rows name a trial.
CURATED, REFERRED = 0.6, 7 / 8
# What a trial that the model has read adds to a score that is otherwise noise.
READ = 1.8
# Numbers that ClinicalTrials.gov gave from May 2012 to October 2018, and from July 2020 to
# October 2022.
OLD_NUMBERS, NEW_NUMBERS = (1_600_000, 3_700_000), (4_470_000, 5_600_000)
TABLES = """
create table version (name varchar(50), creation_date datetime, comments varchar(2000));
create table molecule_dictionary (
    molregno bigint, pref_name varchar(255), chembl_id varchar(20));
create table drug_indication (
    drugind_id bigint, record_id bigint, molregno bigint, max_phase_for_ind numeric(2, 1),
    mesh_id varchar(20), mesh_heading varchar(200), efo_id varchar(20), efo_term varchar(200));
create table indication_refs (
    indref_id bigint, drugind_id bigint, ref_type varchar(50), ref_id varchar(4000));
"""


class Pair(NamedTuple):
    """A pair that was tried, with the number of the trial where ChEMBL gives it."""

    drug: int
    disease: int
    is_old: bool
    is_curated: bool
    study: str | None


def main(folder: Path) -> None:
    """Write candidates.csv and the releases."""
    chance = random.Random(2020)  # noqa: S311 - invented data need no secrecy
    popularity = {drug: chance.lognormvariate(0, 1) for drug in DRUGS}
    pairs = []
    with (folder / "candidates.csv").open("w", encoding="utf-8", newline="") as handle:
        rows = csv.writer(handle)
        rows.writerow(["disease_name", "disease_id", "drug_name", "chembl_id", "score"])
        for disease in DISEASES:
            for drug in DRUGS:
                is_old = chance.random() < BEFORE * popularity[drug]
                is_new = not is_old and chance.random() < AFTER * popularity[drug]
                score = chance.gauss(0, 1) + (READ if is_old else 0)
                name, efo = f"invented disease {disease}", f"EFO:90000{disease}"
                named = f"invented drug {drug}", f"CHEMBL{9000000 + drug}"
                rows.writerow([name, efo, *named, round(score, 4)])
                if is_old or is_new:
                    number = chance.randrange(*(OLD_NUMBERS if is_old else NEW_NUMBERS))
                    study = f"NCT{number:08}" if chance.random() < REFERRED else None
                    is_curated = is_old and chance.random() < CURATED
                    pairs.append(Pair(drug, disease, is_old, is_curated, study))
    curated = [pair for pair in pairs if pair.is_curated]
    for name in ("releases", "references"):
        (folder / name).mkdir(exist_ok=True)
        has_references = name == "references"
        for version, day, shown in (("91", "2020-01-01", curated), ("92", "2023-01-01", pairs)):
            path = folder / name / f"chembl_{version}.db"
            _release(path, f"ChEMBL_{version}", day, shown, has_references=has_references)
    added = [pair for pair in pairs if not pair.is_curated]
    n_old = sum(pair.is_old for pair in added)
    sys.stdout.write(
        f"ChEMBL 92 adds {len(added)} pairs to the {len(curated)} of ChEMBL 91.\n"
        f"The trials of {n_old} of them were registered before 2019.\n"
    )


def _release(path: Path, name: str, day: str, pairs: list[Pair], *, has_references: bool) -> None:
    path.unlink(missing_ok=True)
    release = sqlite3.connect(path)
    release.executescript(TABLES)
    release.execute("insert into version values (?, ?, '')", (name, day))
    release.executemany(
        "insert into molecule_dictionary values (?1, 'invented drug ' || ?1, 'CHEMBL' || ?2)",
        [(drug, 9000000 + drug) for drug in DRUGS],
    )
    release.executemany(
        "insert into drug_indication values (?1, ?1, ?2, 2, 'D90000' || ?3, "
        "'invented disease ' || ?3, 'EFO:90000' || ?3, 'invented disease ' || ?3)",
        [(key, pair.drug, pair.disease) for key, pair in enumerate(pairs)],
    )
    if has_references:
        release.executemany(
            "insert into indication_refs values (?1, ?1, 'ClinicalTrials', ?2)",
            [(key, pair.study) for key, pair in enumerate(pairs) if pair.study],
        )
    release.commit()
    release.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
