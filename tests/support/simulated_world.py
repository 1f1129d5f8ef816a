"""A world of invented drugs and diseases, reported release by release by three sources.

Each release is what its source states on a day, as plain records: simulated_truth works out from
them what a slate's ledger must hold, and `Release.write` makes the source's official file.
"""

import json
import zipfile
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import evidence


@dataclass(frozen=True)
class Disease:
    """A disease; `given` is the identifier in the candidates file, None for only a name."""

    name: str
    efo_id: str
    mondo_id: str
    mesh_id: str
    heading: str
    given: str | None


@dataclass(frozen=True)
class Drug:
    """A drug, its molecule in ChEMBL, and those of its salts; `parent` where it is a salt."""

    name: str
    chembl_id: str
    is_given: bool
    parent: str | None
    salts: tuple[str, ...]


@dataclass(frozen=True)
class Indication:
    """A row of ChEMBL's drug_indication, its molecule by ChEMBL id."""

    key: int
    chembl_id: str
    phase: float | None
    mesh_id: str
    heading: str
    efo_id: str
    term: str


@dataclass(frozen=True)
class Study:
    """A study; an intervention is its type, its name and its other names."""

    nct_id: str
    study_type: str
    phases: tuple[str, ...]
    status: str
    start: str | None
    completion: str | None
    posted: date
    updated: date
    conditions: tuple[str, ...]
    meshes: tuple[tuple[str, str], ...]
    interventions: tuple[tuple[str, str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Submission:
    """An FDA submission: kind ORIG or SUPPL, its class and status."""

    application: str
    kind: str
    number: str
    status: str
    status_date: date
    submission_class: str


@dataclass(frozen=True)
class Product:
    """An FDA product and its active ingredients."""

    application: str
    brand: str
    ingredients: tuple[str, ...]


@dataclass(frozen=True)
class Release:
    """The content of one source on a day; only the fields of its source are filled."""

    source: str
    number: int
    day: date
    indications: tuple[Indication, ...] = ()
    parents: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    synonyms: tuple[tuple[str, str], ...] = ()
    has_hierarchy: bool = True
    has_old_phases: bool = False
    studies: tuple[Study, ...] = ()
    submissions: tuple[Submission, ...] = ()
    products: tuple[Product, ...] = ()

    @property
    def version(self) -> str:
        """What the ledger of releases calls it."""
        return str(self.number) if self.source == "chembl" else self.day.isoformat()

    def write(self, folder: Path, mark: str = "") -> Path:
        """Make the release's file (or folder) in its official format; `mark` alters its name."""
        makers = {"chembl": self._write_chembl, "ctgov": self._write_trials, "fda": self._write_fda}
        return makers[self.source](folder, mark)

    def _write_chembl(self, folder: Path, mark: str) -> Path:
        numbers = {chembl_id: number for number, chembl_id in enumerate(sorted(self.names), 1)}
        rows = [
            (
                entry.key,
                numbers[entry.chembl_id],
                entry.phase,
                entry.mesh_id.removeprefix("MESH:"),
                entry.heading,
                entry.efo_id,
                entry.term,
            )
            for entry in self.indications
        ]
        return evidence.chembl(
            folder / f"chembl_{self.number}{mark}.db",
            rows,
            molecules=[(numbers[key], name, key) for key, name in sorted(self.names.items())],
            hierarchy=[
                (number, numbers[self.parents.get(key, key)]) for key, number in numbers.items()
            ]
            if self.has_hierarchy
            else None,
            synonyms=[
                (numbers[key], number, name) for number, (key, name) in enumerate(self.synonyms)
            ],
            version=(f"ChEMBL_{self.number}", self.day.isoformat()),
            phase="smallint check (max_phase_for_ind in (0,1,2,3,4))"
            if self.has_old_phases
            else "numeric(2, 1)",
        )

    def _write_trials(self, folder: Path, mark: str) -> Path:
        studies = [_api_study(study) for study in self.studies]
        name = f"ctgov_{self.day}{mark}"
        form = self.number % 4
        if form == 0:
            return evidence.write_json(folder / f"{name}.json", studies)
        if form == 1:
            path = folder / f"{name}.jsonl"
            path.write_text("".join(json.dumps(study) + "\n" for study in studies))
            return path
        if form == 2:
            path = folder / f"{name}.zip"
            with zipfile.ZipFile(path, "w") as archive:
                for study, made in zip(self.studies, studies, strict=True):
                    archive.writestr(f"studies/{study.nct_id}.json", json.dumps(made))
            return path
        path = folder / name
        path.mkdir()
        for page, first in enumerate(range(0, len(studies), 20)):
            document = {"studies": studies[first : first + 20], "nextPageToken": f"page {page}"}
            evidence.write_json(path / f"page_{page}.json", document)
        return path

    def _write_fda(self, folder: Path, mark: str) -> Path:
        classes = {"TYPE 1": "7", "EFFICACY": "2", "LABELING": "3"}
        numbers = sorted({entry.application for entry in self.products})
        rows = {
            "Applications.txt": [f"{number}\tNDA\t\tLaboratoire É" for number in numbers],
            "Products.txt": [
                f"{entry.application}\t001\tTABLET\t1MG\t0\t{entry.brand}\t"
                f"{'; '.join(entry.ingredients)}\t0"
                for entry in self.products
            ],
            "Submissions.txt": [
                f"{entry.application}\t{classes[entry.submission_class]}\t{entry.kind}\t"
                f"{entry.number}\t{entry.status}\t{entry.status_date} 00:00:00\t\tSTANDARD"
                for entry in self.submissions
            ],
            "SubmissionClass_Lookup.txt": [f"{key}\t{code}\t" for code, key in classes.items()],
        }
        return evidence.drugs_at_fda(
            folder / f"drugsatfda_{self.day:%Y%m%d}{mark}.zip",
            rows,
            self.day.year,
            self.day.month,
            self.day.day,
        )


def _api_study(study: Study) -> dict[str, object]:
    return evidence.study(
        study.nct_id,
        status=study.status,
        phases=study.phases,
        start=study.start,
        conditions=study.conditions,
        interventions=[
            {"type": kind, "name": name, **({"otherNames": list(others)} if others else {})}
            for kind, name, others in study.interventions
        ],
        updated=study.updated.isoformat(),
        study_type=study.study_type,
        completion=study.completion,
        posted=study.posted.isoformat(),
        meshes=study.meshes,
    )
