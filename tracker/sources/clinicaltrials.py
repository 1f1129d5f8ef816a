"""Reads studies of ClinicalTrials.gov: JSON of its API version 2, or AACT's pipe-delimited files.

What is read lands in temporary tables of the same columns for both; tracker.ingest judges and
stores it. A partial date keeps its precision and stands at its first day.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import duckdb
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import entities
from tracker.errors import InputRefused, ProblemsFound
from tracker.sources import archives
from tracker.sources.formats import MAX_SHOWN

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
AACT_FILES = (
    "studies.txt",
    "conditions.txt",
    "interventions.txt",
    "intervention_other_names.txt",
    "browse_conditions.txt",
)
_CHUNK_STUDIES = 5_000
_NCT_ID = re.compile(r"NCT\d{8}")
_STUDY_COLUMNS = (
    "nct_id",
    "source_key",
    "title",
    "study_type",
    "phase",
    "overall_status",
    "start_date",
    "start_type",
    "primary_completion_date",
    "completion_date",
    "first_posted_on",
    "last_update_posted_on",
)
_CONDITION_COLUMNS = ("source_key", "ordinal", "name", "is_mesh_term", "mesh_id")
_INTERVENTION_COLUMNS = ("source_key", "ordinal", "intervention_type", "name", "is_other_name")


def _staged(name: str, columns: Sequence[str]) -> sa.Table:
    kinds: dict[str, Any] = {
        "ordinal": sa.BigInteger,
        "is_mesh_term": sa.Boolean,
        "is_other_name": sa.Boolean,
    }
    return sa.Table(
        name,
        sa.MetaData(),
        *[sa.Column(column, kinds.get(column, sa.String)) for column in columns],
        prefixes=["TEMPORARY"],
    )


# Dates are text of four, seven or ten characters. source_key names the record in its file; a
# study that several files hold stands once per file.
STAGED_STUDY = _staged("staged_study", _STUDY_COLUMNS)
STAGED_CONDITION = _staged("staged_condition", _CONDITION_COLUMNS)
STAGED_INTERVENTION = _staged("staged_intervention", _INTERVENTION_COLUMNS)


@dataclass(frozen=True)
class Source:
    """Studies not yet read: their files, which form they have and the SHA-256 of it all."""

    paths: Sequence[Path]
    form: str
    origin: str
    sha256: str


def locate(paths: Sequence[Path]) -> Source:
    """Return what `paths` hold: JSON files, folders or zips of them, or one AACT folder or zip."""
    aact = [path for path in paths if _is_aact(path)]
    if aact and len(paths) > 1:
        raise InputRefused(f"{aact[0]}: AACT files are ingested alone; give no other path")
    if aact and aact[0].is_dir():
        found = [aact[0] / name for name in AACT_FILES if (aact[0] / name).is_file()]
    elif aact:
        found = aact
    else:
        found = archives.files_below(paths, (*JSON_SUFFIXES, ".zip"))
    origin = paths[0].resolve().name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    with archives.unchanged(found):
        digest = archives.content_sha256(found)
    return Source(found, "AACT" if aact else "API JSON", origin, digest)


def stage(connection: Connection, source: Source, progress: Callable[[str], None]) -> None:
    """Read every study into the staged tables; raises InputRefused naming file and record."""
    for table in (STAGED_STUDY, STAGED_CONDITION, STAGED_INTERVENTION):
        table.drop(connection, checkfirst=True)
        table.create(connection)
    with archives.unchanged(source.paths):
        if source.form == "AACT":
            _stage_aact(connection, source.paths)
        else:
            _stage_json(connection, source.paths, progress)


def _is_aact(path: Path) -> bool:
    if path.is_dir():
        return (path / "studies.txt").is_file()
    if not path.is_file() or not archives.is_zip(path):
        return False
    return "studies.txt" in [PurePosixPath(name).name for name in archives.zip_names(path)]


def _stage_json(
    connection: Connection, paths: Sequence[Path], progress: Callable[[str], None]
) -> None:
    batch = _Batch()
    n_studies = 0
    for where, study in _studies(paths):
        batch.add(study, where)
        n_studies += 1
        if len(batch.studies) == _CHUNK_STUDIES:
            batch.insert(connection)
            progress(f"read {n_studies:,} studies")
    batch.insert(connection)
    if n_studies == 0:
        raise InputRefused(f"{paths[0].name}: holds no study")


def _studies(paths: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """Yield each study with the words that name its record."""
    for path in paths:
        if archives.is_zip(path):
            n_members = 0
            for member in archives.zip_members(path, JSON_SUFFIXES):
                n_members += 1
                yield from _parse(f"{path.name}, {member.name}", member.content)
            if n_members == 0:
                raise InputRefused(f"{path.name}: the zip holds no {', '.join(JSON_SUFFIXES)}")
        else:
            yield from _parse(path.name, path.read_bytes())


def _parse(where: str, content: bytes) -> Iterator[tuple[str, Any]]:
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputRefused(f"{where}: is not UTF-8 (byte {error.start:,})") from error
    if not decoded.strip():
        raise InputRefused(f"{where}: the file is empty")
    try:
        whole = json.loads(decoded)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise _not_json(where, error) from error
        yield from _parse_lines(where, decoded)
        return
    if isinstance(whole, dict) and "studies" in whole:
        whole = whole["studies"]
    if isinstance(whole, dict):
        yield where, whole
        return
    if not isinstance(whole, list):
        raise InputRefused(f"{where}: holds neither a study nor a list of studies")
    for number, study in enumerate(whole, start=1):
        yield f"{where}, study {number}", study


def _parse_lines(where: str, decoded: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(decoded.split("\n"), start=1):
        if line.strip():
            try:
                yield f"{where}, line {number}", json.loads(line)
            except json.JSONDecodeError as error:
                raise _not_json(f"{where}, line {number}", error) from error


def _not_json(where: str, error: json.JSONDecodeError) -> InputRefused:
    return InputRefused(
        f"{where}: is not JSON at line {error.lineno}, column {error.colno}: {error.msg}; "
        "the file may be cut short"
    )


class _Batch:
    """Studies taken apart, waiting to be inserted."""

    def __init__(self) -> None:
        self.studies: list[tuple[object, ...]] = []
        self.conditions: list[tuple[object, ...]] = []
        self.interventions: list[tuple[object, ...]] = []

    def add(self, study: object, where: str) -> None:
        """Take one study of the API apart; raises InputRefused if it is none."""
        protocol = _mapping(study, "protocolSection", where)
        identification = _mapping(protocol, "identificationModule", where)
        nct_id = identification.get("nctId")
        if not isinstance(nct_id, str) or not _NCT_ID.fullmatch(nct_id):
            shown = "has no NCT id" if not nct_id else f"'{nct_id}' is no NCT id"
            raise InputRefused(f"{where}: {shown}")
        label = where if nct_id in where else f"{where}, {nct_id}"
        status = _mapping(protocol, "statusModule", label)
        design = _mapping(protocol, "designModule", label)
        derived = _mapping(study, "derivedSection", label)
        self.studies.append(
            (
                nct_id,
                label,
                _text(identification, "briefTitle", label),
                _text(design, "studyType", label),
                "|".join(_texts(design, "phases", label)) or None,
                _text(status, "overallStatus", label),
                _text(_mapping(status, "startDateStruct", label), "date", label),
                _text(_mapping(status, "startDateStruct", label), "type", label),
                _text(_mapping(status, "primaryCompletionDateStruct", label), "date", label),
                _text(_mapping(status, "completionDateStruct", label), "date", label),
                _text(_mapping(status, "studyFirstPostDateStruct", label), "date", label),
                _text(_mapping(status, "lastUpdatePostDateStruct", label), "date", label),
            )
        )
        self._add_conditions(protocol, derived, label)
        module = _mapping(protocol, "armsInterventionsModule", label)
        for intervention in _mappings(module, "interventions", label):
            kind = _text(intervention, "type", label)
            names = [_text(intervention, "name", label), *_texts(intervention, "otherNames", label)]
            for index, name in enumerate(names):
                self.interventions.append((label, len(self.interventions), kind, name, index > 0))

    def _add_conditions(
        self, protocol: Mapping[str, Any], derived: Mapping[str, Any], label: str
    ) -> None:
        module = _mapping(protocol, "conditionsModule", label)
        for name in _texts(module, "conditions", label):
            self.conditions.append((label, len(self.conditions), name, False, None))
        browse = _mapping(derived, "conditionBrowseModule", label)
        for mesh in _mappings(browse, "meshes", label):
            self.conditions.append(
                (
                    label,
                    len(self.conditions),
                    _text(mesh, "term", label),
                    True,
                    _text(mesh, "id", label),
                )
            )

    def insert(self, connection: Connection) -> None:
        """Put what waits into the staged tables."""
        for table, rows in (
            (STAGED_STUDY, self.studies),
            (STAGED_CONDITION, self.conditions),
            (STAGED_INTERVENTION, self.interventions),
        ):
            if rows:
                frame = pd.DataFrame(rows, columns=[column.name for column in table.c])
                entities.insert_frame(connection, table, frame)
                rows.clear()


def _mapping(parent: object, key: str, where: str) -> Mapping[str, Any]:
    """Return a JSON object inside another, an empty one if it is absent."""
    if not isinstance(parent, dict):
        raise InputRefused(f"{where}: is not a study of the ClinicalTrials.gov API")
    value = parent.get(key) or {}
    if not isinstance(value, dict):
        raise InputRefused(f"{where}: {key} is not a JSON object")
    return value


def _mappings(parent: Mapping[str, Any], key: str, where: str) -> list[Mapping[str, Any]]:
    value = parent.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputRefused(f"{where}: {key} is not a list of JSON objects")
    return value


def _texts(parent: Mapping[str, Any], key: str, where: str) -> list[str]:
    value = parent.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputRefused(f"{where}: {key} is not a list of texts")
    return value


def _text(parent: Mapping[str, Any], key: str, where: str) -> str | None:
    value = parent.get(key)
    if value is not None and not isinstance(value, str):
        raise InputRefused(f"{where}: {key} is not text")
    return value


_READ = (
    "from read_csv(:path, delim='|', quote='\"', escape='\"', header=true, all_varchar=true, "
    "auto_detect=false, columns=:columns, strict_mode=true)"
)

# AACT writes a month's date as its last day beside the month itself; the month is what counts.
_AACT_DATE = """
create or replace temp macro aact_date(day, month) as
case
    when regexp_full_match(trim(month), '\\d{4}-\\d{2}') then trim(month)
    when regexp_full_match(trim(month), '[A-Za-z]+ \\d{4}') then coalesce(
        strftime(try_strptime(trim(month), '%B %Y'), '%Y-%m'), trim(month)
    )
    else trim(day)
end
"""

_AACT_INSERTS = {
    "studies.txt": (
        """
insert into staged_study by name
select
    nct_id,
    coalesce(
        nullif(nct_id, ''), 'the study titled ''' || coalesce(brief_title, '') || ''''
    ) as source_key,
    nullif(brief_title, '') as title,
    nullif(study_type, '') as study_type,
    nullif(phase, '') as phase,
    nullif(overall_status, '') as overall_status,
    nullif(aact_date(start_date, start_month_year), '') as start_date,
    nullif(start_date_type, '') as start_type,
    nullif(
        aact_date(primary_completion_date, primary_completion_month_year), ''
    ) as primary_completion_date,
    nullif(aact_date(completion_date, completion_month_year), '') as completion_date,
    nullif(study_first_posted_date, '') as first_posted_on,
    nullif(last_update_posted_date, '') as last_update_posted_on
""",
        (
            "nct_id",
            "brief_title",
            "study_type",
            "phase",
            "overall_status",
            "start_date",
            "start_month_year",
            "start_date_type",
            "primary_completion_date",
            "primary_completion_month_year",
            "completion_date",
            "completion_month_year",
            "study_first_posted_date",
            "last_update_posted_date",
        ),
    ),
    "conditions.txt": (
        """
insert into staged_condition by name
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    name,
    false as is_mesh_term,
    cast(null as varchar) as mesh_id
""",
        ("id", "nct_id", "name"),
    ),
    "browse_conditions.txt": (
        """
insert into staged_condition by name
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    mesh_term as name,
    true as is_mesh_term,
    cast(null as varchar) as mesh_id
""",
        ("id", "nct_id", "mesh_term", "mesh_type"),
    ),
    "interventions.txt": (
        """
insert into staged_intervention by name
select
    nct_id as source_key,
    try_cast(id as bigint) as ordinal,
    nullif(intervention_type, '') as intervention_type,
    name,
    false as is_other_name
""",
        ("id", "nct_id", "intervention_type", "name"),
    ),
    "intervention_other_names.txt": (
        """
insert into staged_intervention by name
select
    nct_id as source_key,
    try_cast(intervention_id as bigint) as ordinal,
    cast(null as varchar) as intervention_type,
    name,
    true as is_other_name
""",
        ("nct_id", "intervention_id", "name"),
    ),
}
# The registry lists a term's ancestors too; a study of asthma is not one of lung diseases.
_AACT_CONDITIONS = {"browse_conditions.txt": "where coalesce(mesh_type, 'mesh-list') = 'mesh-list'"}


def _stage_aact(connection: Connection, paths: Sequence[Path]) -> None:
    with tempfile.TemporaryDirectory(prefix="tracker-aact-") as name:
        folder = paths[0].parent
        if len(paths) == 1 and paths[0].name != "studies.txt":
            folder = Path(name)
            archives.unzip(paths[0], AACT_FILES, folder)
        connection.exec_driver_sql(_AACT_DATE)
        for file in AACT_FILES:
            if not (folder / file).is_file():
                raise InputRefused(f"{folder if folder != Path(name) else paths[0]}: lacks {file}")
            _insert_aact(connection, folder / file)


def _insert_aact(connection: Connection, path: Path) -> None:
    insert, needed = _AACT_INSERTS[path.name]
    with path.open("rb") as handle:
        header = handle.readline(1 << 20).decode("utf-8-sig", errors="replace")
    columns = [column.strip().strip('"').lower() for column in header.rstrip("\r\n").split("|")]
    missing = [column for column in needed if column not in columns]
    if missing:
        raise InputRefused(f"{path.name}: the column {', '.join(missing)} is missing")
    statement = insert + _READ + _AACT_CONDITIONS.get(path.name, "")
    parameters = {
        "path": str(path.resolve()),
        "columns": dict.fromkeys(columns, "VARCHAR"),
    }
    try:
        connection.execute(text(statement), parameters)
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        reason = str(getattr(error, "orig", error)).splitlines()[0].split(" Error: ", 1)[-1]
        raise InputRefused(f"{path.name}: cannot be read: {reason}") from error


# Phases and statuses as the API words them, whichever form they came in; dates as dates.
_MACROS = (
    r"""
create or replace temp macro as_date(given) as
case
    when regexp_full_match(given, '\d{4}-\d{2}-\d{2}') then try_cast(given as date)
    when regexp_full_match(given, '\d{4}-\d{2}') then try_cast(given || '-01' as date)
    when regexp_full_match(given, '\d{4}') then try_cast(given || '-01-01' as date)
end
""",
    """
create or replace temp macro date_precision(given) as
case length(given) when 10 then 'day' when 7 then 'month' when 4 then 'year' end
""",
    """
create or replace temp macro phase_word(given) as
nullif(
    replace(
        replace(replace(replace(upper(given), 'N/A', 'NA'), 'EARLY ', 'EARLY_'), ' ', ''), '/', '|'
    ),
    ''
)
""",
    """
create or replace temp macro status_word(given) as
replace(
    replace(replace(upper(trim(given)), ', ', '_'), ' ', '_'), 'UNKNOWN_STATUS', 'UNKNOWN'
)
""",
)

# The first records with something wrong: a date that is none, a phase that is none, no NCT id.
_PROBLEMS = text(
    """
with problem as (
    select
        source_key,
        case
            when not coalesce(regexp_full_match(nct_id, 'NCT[0-9]{8}'), false)
                then coalesce('''' || nullif(nct_id, '') || ''' is no NCT id', 'has no NCT id')
            when start_date is not null and as_date(start_date) is null
                then 'start date ''' || start_date || ''' is not a date'
            when primary_completion_date is not null and as_date(primary_completion_date) is null
                then 'primary completion date ''' || primary_completion_date || ''' is not a date'
            when completion_date is not null and as_date(completion_date) is null
                then 'completion date ''' || completion_date || ''' is not a date'
            when first_posted_on is not null and try_cast(first_posted_on as date) is null
                then 'first posted date ''' || first_posted_on || ''' is not a date'
            when last_update_posted_on is not null
                and try_cast(last_update_posted_on as date) is null
                then 'last update date ''' || last_update_posted_on || ''' is not a date'
            when not regexp_full_match(phase_word(phase), '((EARLY_PHASE1|PHASE[1-4]|NA)(\\||$))+')
                then 'phase ''' || phase || ''' is unknown'
        end as message
    from staged_study
)

select source_key, message, count(*) over () as n_problems
from problem
where message is not null
order by source_key, message
limit :limit
"""
)


def refuse_problems(connection: Connection, source: Source) -> None:
    """Raise ProblemsFound with what is wrong with staged studies, each named by its record.

    Afterwards the macros as_date, date_precision, phase_word and status_word are usable.
    """
    for statement in _MACROS:
        connection.exec_driver_sql(statement)
    found = connection.execute(_PROBLEMS, {"limit": MAX_SHOWN}).all()
    if found:
        prefix = "studies.txt, " if source.form == "AACT" else ""
        raise ProblemsFound(
            [f"{prefix}{row.source_key}: {row.message}" for row in found], found[0].n_problems
        )
