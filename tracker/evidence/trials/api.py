"""Reads studies in the JSON of the ClinicalTrials.gov API version 2 into the staged tables.

A file has a study, an array of them, a page of results or one study per line, alone or in a zip.
"""

import codecs
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection

from tracker import entities, temp_tables
from tracker.errors import InputRefused
from tracker.evidence.trials import numbers, staged
from tracker.files import archives, json_file

LINES = (".jsonl", ".ndjson")
SUFFIXES = (".json", *LINES)
CHUNK_STUDIES = 5_000
_MAX_LINE_BYTES = 100_000_000
# Where the first words of a file are.
_HEAD_BYTES = 4096
_FORMER_API = (b'"FullStudiesResponse"', b'"StudyFieldsResponse"', b'"FullStudy"')
_REMEDY = "download the studies as JSON, from the registry's site or its API version 2"
NCT_ID = re.compile(r"NCT[0-9]{8}")


def stage(
    connection: Connection,
    paths: Sequence[Path],
    progress: Callable[[str], None],
    *,
    is_complete: bool,
) -> None:
    """Read every study of the files; raises InputRefused naming file and record.

    If `is_complete`, no page of results may be missing.
    """
    batch = Batch()
    pages: list[Mapping[str, Any]] = []
    n_studies = 0
    for where, study in _studies(paths, pages):
        batch.add(study, where)
        n_studies += 1
        if len(batch.studies) == CHUNK_STUDIES:
            batch.insert(connection)
            progress(f"read {n_studies:,} studies")
    batch.insert(connection)
    if n_studies == 0:
        raise InputRefused(f"{paths[0].name}: contains no study")
    if is_complete:
        _refuse_missing_pages(paths[0].name, pages, n_studies)


def _refuse_missing_pages(origin: str, pages: Sequence[Mapping[str, Any]], n_studies: int) -> None:
    """Raise InputRefused if pages of results say that there are more studies than were read."""
    totals = [page["totalCount"] for page in pages if isinstance(page.get("totalCount"), int)]
    n_total = max(totals, default=0)
    # Of several pages, the last may have a token too: the registry gives one to each full page.
    is_cut = len(pages) == 1 and not totals and "nextPageToken" in pages[0]
    if n_studies < n_total or is_cut:
        of = f" of {n_total:,}" if n_total else ""
        raise InputRefused(
            f"{origin}: has {n_studies:,}{of} studies, not all pages of the results; give every "
            "page, or --partial"
        )


def _studies(paths: Sequence[Path], pages: list[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield each study with a unique name of its record; add pages of results to `pages`."""
    n_named = Counter(path.name for path in paths)
    for path in paths:
        place = path.name if n_named[path.name] == 1 else str(path)
        if archives.is_zip(path):
            n_members = 0
            for member in archives.zip_members(path, SUFFIXES):
                n_members += 1
                yield from _parse(f"{place}, {member.name}", member.content, pages)
            if n_members == 0:
                raise InputRefused(f"{place}: the zip contains no {', '.join(SUFFIXES)}; {_REMEDY}")
        elif path.name.lower().endswith(LINES):
            with path.open("rb") as handle:
                _refuse_other_form(place, handle.read(_HEAD_BYTES))
                handle.seek(0)
                yield from _parse_lines(place, _bounded_lines(place, handle))
        else:
            yield from _parse(place, archives.read_whole(path), pages)


def _parse(where: str, content: bytes, pages: list[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    _refuse_other_form(where, content)
    try:
        whole = json_file.document(where, content)
    except json_file.SeveralDocuments:
        yield from _parse_lines(where, io.BytesIO(content))
        return
    if isinstance(whole, dict) and "studies" in whole:
        pages.append({key: value for key, value in whole.items() if key != "studies"})
        whole = whole["studies"]
    if isinstance(whole, dict):
        yield where, whole
        return
    if not isinstance(whole, list):
        raise InputRefused(f"{where}: contains neither a study nor a list of studies")
    for number, study in enumerate(whole, start=1):
        yield f"{where}, study {number}", study


def lines_of(paths: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """Yield each line of files of JSON lines with the name of its place."""
    for path in paths:
        with path.open("rb") as handle:
            yield from _parse_lines(path.name, _bounded_lines(path.name, handle))


def _refuse_other_form(where: str, content: bytes) -> None:
    """Raise InputRefused for what else the registry offers: CSV, XML, its former API's JSON."""
    head = content[:_HEAD_BYTES].removeprefix(codecs.BOM_UTF8).lstrip()
    if head.startswith(b"<"):
        form = "XML, the registry's former form"
    elif b"NCT Number" in head.partition(b"\n")[0]:
        form = "the registry's table (CSV)"
    elif any(name in head for name in _FORMER_API):
        form = "an answer of the registry's former API"
    else:
        return
    raise InputRefused(f"{where}: is {form}; {_REMEDY}")


def _bounded_lines(where: str, handle: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file; raises InputRefused for one that is longer than any study."""
    number = 0
    while line := handle.readline(_MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > _MAX_LINE_BYTES:
            limit = _MAX_LINE_BYTES // 1_000_000
            raise InputRefused(f"{where}, line {number}: is longer than {limit} MB")
        yield line


def _parse_lines(where: str, lines: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            place = f"{where}, line {number}"
            yield place, json_file.document(place, line)


class Batch:
    """Rows of studies waiting to be inserted."""

    def __init__(self) -> None:
        self.studies: list[tuple[object, ...]] = []
        self.details: list[tuple[object, ...]] = []
        self.conditions: list[tuple[object, ...]] = []
        self.interventions: list[tuple[object, ...]] = []
        self.arms: list[tuple[object, ...]] = []
        self.arm_interventions: list[tuple[object, ...]] = []
        self.numbers: list[tuple[object, ...]] = []

    def add(self, study: object, where: str) -> None:
        """Add the rows of one study of the API; raises InputRefused if it is not one."""
        protocol = _member(study, "protocolSection", where)
        identification = _member(protocol, "identificationModule", where)
        nct_id = identification.get("nctId")
        if not isinstance(nct_id, str) or not NCT_ID.fullmatch(nct_id):
            shown = "has no NCT id" if not nct_id else f"'{nct_id}' is not an NCT id"
            raise InputRefused(f"{where}: {shown}")
        label = where if nct_id in where else f"{where}, {nct_id}"
        status = _member(protocol, "statusModule", label)
        design = _member(protocol, "designModule", label)
        derived = _member(study, "derivedSection", label)
        self.studies.append(
            (
                nct_id,
                label,
                json_file.text(identification, "briefTitle", label),
                json_file.text(design, "studyType", label),
                "|".join(json_file.texts(design, "phases", label)) or None,
                json_file.text(status, "overallStatus", label),
                json_file.text(_member(status, "startDateStruct", label), "date", label),
                json_file.text(_member(status, "startDateStruct", label), "type", label),
                json_file.text(
                    _member(status, "primaryCompletionDateStruct", label), "date", label
                ),
                json_file.text(_member(status, "completionDateStruct", label), "date", label),
                json_file.text(_member(status, "studyFirstPostDateStruct", label), "date", label),
                json_file.text(_member(status, "lastUpdatePostDateStruct", label), "date", label),
            )
        )
        self.details.append(
            (
                label,
                json_file.text(_member(design, "designInfo", label), "primaryPurpose", label),
                json_file.text(status, "whyStopped", label),
                json_file.text(_member(status, "resultsFirstPostDateStruct", label), "date", label),
                json_file.text(status, "lastKnownStatus", label),
            )
        )
        for other in json_file.mappings(identification, "secondaryIdInfos", label):
            stated = json_file.text(other, "id", label) or ""
            self.numbers += [(nct_id, number) for number in numbers.elsewhere(stated)]
        self._add_conditions(protocol, derived, label)
        self._add_interventions(_member(protocol, "armsInterventionsModule", label), label)
        # The terms alone: what the registry lists above them are classes of drugs.
        for number, (term, mesh_id) in enumerate(
            _mesh_terms(derived, "interventionBrowseModule", label)
        ):
            self.interventions.append((label, number, None, term, False, True, mesh_id))

    def _add_interventions(self, module: Mapping[str, Any], label: str) -> None:
        numbers: dict[str | None, set[int]] = defaultdict(set)
        listed: dict[str, set[int]] = defaultdict(set)
        for number, arm in enumerate(json_file.mappings(module, "armGroups", label)):
            self.arms.append((label, number, json_file.text(arm, "type", label)))
            numbers[json_file.text(arm, "label", label)].add(number)
            for member in json_file.texts(arm, "interventionNames", label):
                listed[member].add(number)
        for ordinal, intervention in enumerate(json_file.mappings(module, "interventions", label)):
            kind = json_file.text(intervention, "type", label)
            name = json_file.text(intervention, "name", label) or ""
            for index, alias in enumerate(
                [name, *json_file.texts(intervention, "otherNames", label)]
            ):
                if alias.strip():
                    self.interventions.append(
                        (label, ordinal, kind, alias.strip(), index > 0, False, None)
                    )
            # The registry states membership on both sides: arms list "Drug: Aspirin".
            shown = f"{(kind or '').replace('_', ' ').title()}: {name}"
            own = set(listed.get(shown, ()))
            for arm_label in json_file.texts(intervention, "armGroupLabels", label):
                own |= numbers.get(arm_label, set())
            self.arm_interventions += [(label, number, ordinal) for number in sorted(own)]

    def _add_conditions(
        self, protocol: Mapping[str, Any], derived: Mapping[str, Any], label: str
    ) -> None:
        module = _member(protocol, "conditionsModule", label)
        for name in json_file.texts(module, "conditions", label):
            if name.strip():
                self.conditions.append((label, len(self.conditions), name.strip(), False, None))
        for term, mesh_id in _mesh_terms(derived, "conditionBrowseModule", label):
            self.conditions.append((label, len(self.conditions), term, True, mesh_id))

    def insert(self, connection: Connection) -> None:
        """Insert the waiting rows into the staged tables."""
        for table, rows in (
            (staged.STUDY, self.studies),
            (staged.DETAIL, self.details),
            (staged.CONDITION, self.conditions),
            (staged.INTERVENTION, self.interventions),
            (staged.ARM, self.arms),
            (staged.ARM_INTERVENTION, self.arm_interventions),
            (staged.NUMBER, self.numbers),
        ):
            if rows:
                temp_tables.insert_tuples(connection, table, rows)
                rows.clear()


def _mesh_terms(
    derived: Mapping[str, Any], module: str, label: str
) -> Iterator[tuple[str, str | None]]:
    """Yield the MeSH terms, with their ids, that the registry derived from what was registered."""
    browse = _member(derived, module, label)
    for mesh in json_file.mappings(browse, "meshes", label):
        term = (json_file.text(mesh, "term", label) or "").strip()
        if term:
            yield term, entities.ontology_id(json_file.text(mesh, "id", label) or "")


def _member(parent: object, key: str, where: str) -> Mapping[str, Any]:
    """Return a JSON object inside another, an empty one if it is absent."""
    if not isinstance(parent, dict):
        raise InputRefused(f"{where}: is not a study of the ClinicalTrials.gov API")
    return json_file.mapping(parent.get(key), f"{where}: {key}")
