"""Reads the studies of an export of ICTRP into the tables that studies of all registries share."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables
from tracker.entities import folding
from tracker.errors import MAX_LISTED, ProblemsFound
from tracker.evidence import snapshots
from tracker.evidence.ictrp import exports, fields, interventions
from tracker.evidence.ictrp.exports import Record
from tracker.evidence.snapshots import LocatedFile
from tracker.evidence.trials import api, numbers, staged
from tracker.evidence.trials.numbers import Registered
from tracker.files import names

# Each record: the number under which its study is kept, and whether it stands for the study.
RECORD = temp_tables.define("staged_record", "source_key", "nct_id", is_study=sa.Boolean)
# The newest version that an export shows of each study, unless it has vanished since.
_STANDING = sa.text(
    "select nct_id, shown.place, shown.registered_on from (select nct_id, arg_max("
    "struct_pack(place := source_key, registered_on := first_posted_on), trial_id) as shown "
    "from trial inner join release using (release_id) where source = 'ictrp' group by nct_id) "
    "where nct_id not in (select record_key from record_presence where kind = 'trial' "
    "group by record_key having not arg_max(is_present, release_id))"
)
# Before the number that the platform itself gives a record.
_INTERNAL = "ICTRP "
# The texts of a registry that could not be read, and so are not known of the study.
_UNREAD = ("start date", "phase")


@dataclass
class Read:
    """The records that were read, and a count and an example of each kind of unreadable text."""

    records: list[Registered] = field(default_factory=list)
    n_unread: Counter[str] = field(default_factory=Counter)
    unread_example: dict[str, str] = field(default_factory=dict)

    def note_unread(self, what: str, record: Record, given: str) -> None:
        """Count a text that is not understood, the first by place as the example."""
        self.n_unread[what] += 1
        self.unread_example.setdefault(what, f"{record.text('trialid')} has '{given[:40]}'")


def locate(path: Path) -> LocatedFile:
    """Return what `path` is; raises InputRefused if it is none of the forms of an export."""
    return snapshots.locate(path, exports.form_of)


def stated_date(source: LocatedFile) -> date | None:
    """Return the day on which the first record says it was exported, else that of the name."""
    first = next(iter(exports.records(source.path, source.form)), None)
    return (None if first is None else _exported_on(first)) or names.date_in(source.path)


def _exported_on(record: Record) -> date | None:
    """Return the day of an export, which the platform writes month first: 3/18/2020 6:53:35 PM."""
    parts = record.text("export_date").partition(" ")[0].split("/")
    try:
        month, day, year = map(int, parts)
        return date(year, month, day)
    except ValueError:
        return None


def stage(connection: Connection, source: LocatedFile, progress: Callable[[str], None]) -> Read:
    """Read every record into the staged tables of studies; return what was read.

    Raises InputRefused or ProblemsFound naming file and record.
    """
    read = Read()
    batch = api.Batch()
    problems: list[str] = []
    places: dict[str, str] = {}
    for record in exports.records(source.path, source.form):
        own = numbers.own_number(record.text("trialid"))
        if own is None:
            shown = record.text("trialid")[:40]
            problems.append(f"{record.place}: trialid: '{shown}' is no number of a study")
            continue
        given = record.text("trialid")
        place = f"{record.place}, {given}"
        first = places.setdefault(given.upper(), record.place)
        if first != record.place:
            problems.append(f"{place}: stands in {first} too")
            continue
        _add(batch, read, record, place, own)
        if len(batch.studies) == api.CHUNK_STUDIES:
            batch.insert(connection)
            progress(f"read {len(read.records):,} records")
    batch.insert(connection)
    if problems:
        raise ProblemsFound(problems[:MAX_LISTED], len(problems))
    return read


def _add(batch: api.Batch, read: Read, record: Record, place: str, own: str) -> None:
    """Add the rows of one record."""
    registry = record.text("source_register")
    registered_on = fields.day(record.text("date_registration3"), registry)
    started = _started(read, record, registry)
    batch.studies.append(
        (
            own,
            place,
            record.text("public_title") or None,
            fields.study_type(record.text("study_type")),
            _phase(read, record),
            fields.status(record.text("recruitment_status")),
            started,
            None,
            None,
            None,
            registered_on,
            None,
        )
    )
    results_on = fields.day(record.cells.get("results_date_posted"), "")
    purpose = fields.purpose(record.text("study_design"))
    batch.details.append((place, purpose, None, results_on, None))
    for ordinal, name in enumerate(interventions.conditions(record.text("condition"))):
        batch.conditions.append((place, ordinal, name, False, None))
    _add_interventions(batch, place, interventions.arms(record.text("intervention")))
    others = numbers.numbers_in(record.text("secondary_id"))
    if internal := record.text("internal_number"):
        others.append(f"{_INTERNAL}{internal}")
    named = tuple(one for one in others if one != own)
    read.records.append(Registered(place, record.text("trialid"), own, named, registered_on or ""))


def _started(read: Read, record: Record, registry: str) -> str | None:
    given = record.cells.get("date_enrollement")
    if registry != fields.CLINICAL_TRIALS_GOV or not hasattr(given, "year"):
        given = record.text("date_enrollement")
    found = fields.day(given, registry)
    if found is None and given:
        read.note_unread("start date", record, str(given))
    return found


def _phase(read: Read, record: Record) -> str | None:
    given = record.cells.get("phase")
    found = fields.phase(given)
    if found is None and not fields.is_without_phase(given):
        read.note_unread("phase", record, str(given).strip())
    return found


def _add_interventions(batch: api.Batch, place: str, arms: Sequence[interventions.Arm]) -> None:
    """Add each intervention once, and the arms that have it."""
    ordinals: dict[str, int] = {}
    for number, arm in enumerate(arms):
        batch.arms.append((place, number, arm.arm_type))
        for one in arm.interventions:
            key = folding.fold(one.names[0])
            if key not in ordinals:
                ordinals[key] = len(ordinals)
                for index, name in enumerate(one.names):
                    batch.interventions.append(
                        (place, ordinals[key], one.kind, name, index > 0, False, None)
                    )
            batch.arm_interventions.append((place, number, ordinals[key]))


def place_studies(connection: Connection, read: Read, *, is_complete: bool) -> None:
    """Stage under which number each record's study is kept, and which record stands for it.

    Of several records of a study that is the one whose own number it is, then the one that was
    registered first, then the first by number. Where that one is stored, and an export that is not
    complete lacks it, none stands: the others may state another phase of the same study.
    """
    held = connection.execute(
        sa.text(
            "select number, arg_max(nct_id, (release_id, nct_id)) from study_number group by number"
        )
    ).all()
    known = {row[0]: row[1] for row in held}
    found = numbers.studies(read.records, known)
    first: dict[str, Registered] = {}
    for record in read.records:
        study = found[record.place]
        if study not in first or _standing(record, study) < _standing(first[study], study):
            first[study] = record
    given = {record.given.upper() for record in read.records}
    stored = {} if is_complete else dict(_standing_in_store(connection))
    for study, record in list(first.items()):
        standing = stored.get(study)
        if standing is None or standing.given.upper() in given or _is_renamed(record, known):
            continue
        if _standing(standing, study) < _standing(record, study):
            del first[study]
    temp_tables.recreate(connection, RECORD)
    temp_tables.insert_tuples(
        connection,
        RECORD,
        ((one.place, found[one.place], first.get(found[one.place]) is one) for one in read.records),
    )
    # A number of ClinicalTrials.gov is of one study, whatever other record names it.
    temp_tables.insert_tuples(
        connection,
        staged.NUMBER,
        {
            (found[one.place], number): None
            for one in read.records
            for number in (one.own, *one.others)
            if number == found[one.place] or not numbers.NCT.fullmatch(number)
        },
    )


def _is_renamed(record: Registered, known: Mapping[str, str]) -> bool:
    """Return whether a record has a new number, and is known by its number at ICTRP."""
    at_ictrp = [number for number in record.others if number.startswith(_INTERNAL)]
    return record.own not in known and any(number in known for number in at_ictrp)


def _standing_in_store(connection: Connection) -> Iterator[tuple[str, Registered]]:
    """Yield each study that the store shows by an export, with the record that stands for it."""
    for study, place, registered_on in connection.execute(_STANDING):
        given = place.rpartition(", ")[2]
        own = numbers.own_number(given) or given
        yield study, Registered(place, given, own, (), str(registered_on or ""))


def _standing(record: Registered, study: str) -> tuple[bool, bool, str, str]:
    registered_on = record.registered_on
    return record.own != study, not registered_on, registered_on, record.given.upper()


def unread_notes(read: Read) -> tuple[str, ...]:
    """Word which dates and phases could not be read, and so are unknown."""
    return tuple(
        f"{read.n_unread[what]:,} of the records state a {what} that cannot be read, and have "
        f"none: {read.unread_example[what]}, for one"
        for what in _UNREAD
        if read.n_unread[what]
    )
