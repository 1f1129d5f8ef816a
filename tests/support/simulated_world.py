"""A world of invented drugs and diseases, reported release by release by three sources.

Each release is what its source states on a day, as plain records: simulated_truth works out from
them what a slate's ledger must hold, and `Release.write` makes the source's official file.
"""

import csv
import json
import zipfile
from calendar import month_name, monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
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
    """A row of ChEMBL's drug_indication, its molecule by ChEMBL id.

    `references` are numbers of studies that no registry of the world has.
    """

    key: int
    chembl_id: str
    phase: float | None
    mesh_id: str
    heading: str
    efo_id: str
    term: str
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arm:
    """An arm of a study: its type, None where none is stated, and the places of what it is given.

    A place is that of an intervention in its study's list.
    """

    kind: str | None
    members: tuple[int, ...]


@dataclass(frozen=True)
class Study:
    """A study; an intervention is its type, its name and its other names.

    `meshes` are the registry's terms of the conditions, `drug_meshes` those of the interventions.
    """

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
    purpose: str | None = None
    arms: tuple[Arm, ...] = ()
    drug_meshes: tuple[tuple[str, str], ...] = ()
    start_type: str | None = None
    # Of a study of unknown status, where the registry states it.
    last_known: str | None = None


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

    @property
    def is_aact(self) -> bool:
        """Whether the registry's studies are written as AACT's files."""
        return self.source == "ctgov" and self.number % 5 == 4

    @property
    def stated_studies(self) -> tuple[Study, ...]:
        """The studies as the file states them: AACT has the MeSH terms without their ids."""
        if not self.is_aact:
            return self.studies
        return tuple(
            replace(
                study,
                meshes=tuple(("", term) for _, term in study.meshes),
                drug_meshes=tuple(("", term) for _, term in study.drug_meshes),
            )
            for study in self.studies
        )

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
        name = f"ctgov_{self.day}{mark}"
        if self.is_aact:
            return _write_aact(folder / name, self.studies)
        studies = [_api_study(study) for study in self.studies]
        form = self.number % 5
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
    made = evidence.study(
        study.nct_id,
        status=study.status,
        phases=study.phases,
        start=study.start,
        start_type=study.start_type,
        last_known=study.last_known,
        conditions=study.conditions,
        interventions=[
            {
                "type": kind,
                "name": name,
                **({"otherNames": list(others)} if others else {}),
                **({"armGroupLabels": _labels(study, place)} if _labels(study, place) else {}),
            }
            for place, (kind, name, others) in enumerate(study.interventions)
        ],
        updated=study.updated.isoformat(),
        study_type=study.study_type,
        completion=study.completion,
        posted=study.posted.isoformat(),
        meshes=study.meshes,
        purpose=study.purpose,
        arms=[
            {
                "label": f"Arm {number}",
                **({"type": arm.kind} if arm.kind else {}),
                "interventionNames": [
                    f"{_words(study.interventions[place][0])}: {study.interventions[place][1]}"
                    for place in arm.members
                ],
            }
            for number, arm in enumerate(study.arms)
        ],
    )
    if study.drug_meshes:
        made["derivedSection"]["interventionBrowseModule"] = {
            "meshes": [{"id": mesh_id, "term": term} for mesh_id, term in study.drug_meshes]
        }
    return made


def _labels(study: Study, place: int) -> list[str]:
    return [f"Arm {number}" for number, arm in enumerate(study.arms) if place in arm.members]


# What AACT calls a code of the registry where that is more than the words of the code.
_AACT_WORDS = {
    "ECT": "Educational/Counseling/Training",
    "ACTIVE_NOT_RECRUITING": "Active, not recruiting",
    "NOT_YET_RECRUITING": "Not yet recruiting",
    "ENROLLING_BY_INVITATION": "Enrolling by invitation",
    "UNKNOWN": "Unknown status",
    "EARLY_PHASE1": "Early Phase 1",
    "PHASE1": "Phase 1",
    "PHASE2": "Phase 2",
    "PHASE3": "Phase 3",
    "PHASE4": "Phase 4",
    "NA": "N/A",
}


def _words(code: str) -> str:
    return _AACT_WORDS.get(code, code.replace("_", " ").title())


def _aact_date(written: str | None) -> tuple[str, str]:
    """Return a date as AACT writes it: the day, the month's last if none is stated, and a month."""
    if written is None:
        return "", ""
    if len(written) == 10:
        return written, written
    year, month = int(written[:4]), int(written[5:7])
    return f"{written}-{monthrange(year, month)[1]}", f"{month_name[month]} {year}"


def _write_aact(folder: Path, studies: Sequence[Study]) -> Path:
    """Write the pipe-delimited files of AACT, whose numbers of rows are those of this export."""
    folder.mkdir()
    tables: dict[str, tuple[str, list[Sequence[object]]]] = {
        "studies.txt": (
            "nct_id|brief_title|study_type|phase|overall_status|start_date|start_month_year|"
            "start_date_type|primary_completion_date|primary_completion_month_year|"
            "completion_date|completion_month_year|study_first_posted_date|"
            "last_update_posted_date|last_known_status",
            [
                (
                    study.nct_id,
                    "A study",
                    _words(study.study_type),
                    "/".join(map(_words, study.phases)),
                    _words(study.status),
                    *_aact_date(study.start),
                    (study.start_type or "").title(),
                    "",
                    "",
                    *_aact_date(study.completion),
                    study.posted,
                    study.updated,
                    _words(study.last_known) if study.last_known else "",
                )
                for study in studies
            ],
        ),
        "conditions.txt": (
            "id|nct_id|name",
            _numbered((study.nct_id, name) for study in studies for name in study.conditions),
        ),
        "browse_conditions.txt": (
            "id|nct_id|mesh_term|mesh_type",
            _numbered(
                (study.nct_id, term, "mesh-list") for study in studies for _, term in study.meshes
            ),
        ),
        "browse_interventions.txt": (
            "id|nct_id|mesh_term|mesh_type",
            _numbered(
                (study.nct_id, term, "mesh-list")
                for study in studies
                for _, term in study.drug_meshes
            ),
        ),
        "designs.txt": (
            "id|nct_id|primary_purpose",
            _numbered(
                (study.nct_id, _words(study.purpose) if study.purpose else "") for study in studies
            ),
        ),
    }
    rows: dict[str, list[Sequence[object]]] = {
        name: []
        for name in ("interventions", "other_names", "design_groups", "design_group_interventions")
    }
    for study in studies:
        first = len(rows["interventions"])
        for number, (kind, name, others) in enumerate(study.interventions, first):
            rows["interventions"].append((number, study.nct_id, _words(kind), name))
            for other in others:
                rows["other_names"].append((len(rows["other_names"]), study.nct_id, number, other))
        for arm in study.arms:
            group = len(rows["design_groups"])
            kind = _words(arm.kind) if arm.kind else ""
            rows["design_groups"].append((group, study.nct_id, kind))
            for place in arm.members:
                held = rows["design_group_interventions"]
                held.append((len(held), study.nct_id, group, first + place))
    tables |= {
        "interventions.txt": ("id|nct_id|intervention_type|name", rows["interventions"]),
        "intervention_other_names.txt": ("id|nct_id|intervention_id|name", rows["other_names"]),
        "design_groups.txt": ("id|nct_id|group_type", rows["design_groups"]),
        "design_group_interventions.txt": (
            "id|nct_id|design_group_id|intervention_id",
            rows["design_group_interventions"],
        ),
    }
    for name, (header, lines) in tables.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.write(f"{header}\n")
            csv.writer(file, delimiter="|", lineterminator="\n").writerows(lines)
    return folder


def _numbered(rows: Iterable[Sequence[object]]) -> list[Sequence[object]]:
    return [(number, *row) for number, row in enumerate(rows)]
