"""Reads a slate published elsewhere: a folder of registry.parquet, slates.json, outcomes.parquet.

The published rows are typed and checked here; tracker.slates.imports stores them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, FromClause

from tracker import files, schema, store
from tracker.errors import InputRefused
from tracker.files import Column, InputFile, fields, json_file

KNOWN_LABELS = ("unlabeled", "negative", "positive", "approved")

REGISTRY_COLUMNS = (
    Column("slate_id"),
    Column("disease_name"),
    Column("disease_id", required=False, header="disease_ontology_id"),
    Column("drug_name"),
    Column("chembl_id", required=False),
    Column("score", "number", header="repurposing_score"),
    Column("rank", "integer", low=1, high=2**31 - 1),
    Column("tier", required=False, header="confidence_tier"),
    Column("known_at_freeze", "json", required=False),
)
OUTCOME_COLUMNS = (
    Column("slate_id"),
    Column("disease_name"),
    Column("disease_id", required=False, header="disease_ontology_id"),
    Column("drug_name"),
    Column("chembl_id", required=False),
    Column("outcome_type", choices=schema.OUTCOME_TYPES),
    Column("event_date", "date", required=False, header="outcome_date"),
    Column("first_public_on", "date", required=False),
    Column("source", header="outcome_source"),
    Column("detail", "json", required=False, header="outcome_detail"),
    Column("observed_at", "instant"),
)


_ENTRY = fields.record(
    {"slate_id": fields.IDENTIFIER, "created_at": fields.INSTANT},
    {
        "description": fields.OPTIONAL_TEXT,
        "model_version": fields.OPTIONAL_TEXT,
        "fingerprint": fields.optional(
            fields.record({}, {"parameters": fields.optional(fields.OBJECT)})
        ),
    },
)


@dataclass(frozen=True)
class ListedSlate:
    """The entry of one slate in slates.json."""

    slate_id: UUID
    created_at: datetime
    description: str
    model_version: str
    parameters: dict[str, Any]
    fingerprint: dict[str, Any]


@dataclass(frozen=True)
class PublishedSlates:
    """A published folder, checked: slates in order of their freeze, predictions, outcomes."""

    entries: list[ListedSlate]
    registry: InputFile
    outcomes: InputFile | None


def is_published(folder: Path) -> bool:
    """Whether a folder has this layout."""
    return (folder / "registry.parquet").is_file()


def read(connection: Connection, folder: Path) -> PublishedSlates:
    """Read and check the folder; raises InputRefused or ProblemsFound naming file and row."""
    entries = _read_entries(folder / "slates.json", store.now(connection))
    registry = files.read(
        connection, folder / "registry.parquet", REGISTRY_COLUMNS, allow_extra=True
    )
    _refuse_other_slates(connection, registry, entries)
    _refuse_unknown_knowledge(connection, registry)
    path = folder / "outcomes.parquet"
    if not path.exists():
        return PublishedSlates(entries, registry, None)
    outcomes = files.read(connection, path, OUTCOME_COLUMNS, allow_extra=True)
    _refuse_other_slates(connection, outcomes, entries)
    return PublishedSlates(entries, registry, outcomes)


def _read_entries(path: Path, now: datetime) -> list[ListedSlate]:
    records = json_file.read(path, "a list of slates")
    if not isinstance(records, list) or not records:
        raise InputRefused(f"{path.name}: is not a list of slates")
    entries: dict[UUID, ListedSlate] = {}
    for number, record in enumerate(records, start=1):
        place = f"{path.name}, slate {number}"
        entry = _entry(place, record)
        if entry.created_at > now:
            raise InputRefused(f"{place}: created_at is in the future")
        if entry.slate_id in entries:
            raise InputRefused(f"{place}: slate {entry.slate_id} is listed twice")
        entries[entry.slate_id] = entry
    return sorted(entries.values(), key=lambda entry: (entry.created_at, entry.slate_id))


def _entry(place: str, record: Any) -> ListedSlate:
    fields.require(place, record, _ENTRY)
    fingerprint = record.get("fingerprint") or {}
    return ListedSlate(
        slate_id=UUID(record["slate_id"]),
        created_at=fields.instant(record["created_at"]),
        description=record.get("description") or "",
        model_version=record.get("model_version") or "unknown",
        parameters=fingerprint.get("parameters")
        or {
            "top_k": record.get("top_k"),
            "min_score": record.get("min_score"),
            "diseases": record.get("diseases_filter"),
        },
        fingerprint=fingerprint,
    )


def _refuse_other_slates(
    connection: Connection, file: InputFile, entries: Sequence[ListedSlate]
) -> None:
    """Refuse rows of slates that slates.json does not list: they would be silently left out."""
    rows = file.numbered
    slate_id = rows.c.slate_id
    is_listed = sa.try_cast(slate_id, sa.Uuid).in_([entry.slate_id for entry in entries])
    message = sa.func.concat(_shown(slate_id), " is not a slate in slates.json")
    _refuse(connection, file, "slate_id", rows, sa.case((_is_not_true(is_listed), message)))


def _refuse_unknown_knowledge(connection: Connection, file: InputFile) -> None:
    """Refuse knowledge at the freeze unless all of it can be stored as it is."""
    rows = file.numbered
    known = rows.c.known_at_freeze
    label, phase, year = (known.op("->>")(key) for key in ("label", "max_phase", "first_approval"))
    is_phase = files.as_number(phase).between(-1, 4)
    number = files.as_number(year)
    is_year = number.between(1800, 2200) & (number == sa.func.floor(number))
    message = sa.case(
        (sa.func.json_type(known).not_in(("OBJECT", "NULL")), "is not an object of named fields"),
        (
            label.not_in(KNOWN_LABELS),
            sa.func.concat("label ", _shown(label), " is not one of ", ", ".join(KNOWN_LABELS)),
        ),
        (
            phase.is_not(None) & _is_not_true(is_phase),
            sa.func.concat("max_phase ", _shown(phase), " is not between -1 and 4"),
        ),
        (
            year.is_not(None) & _is_not_true(is_year),
            sa.func.concat("first_approval ", _shown(year), " is not a year from 1800 to 2200"),
        ),
    )
    _refuse(connection, file, "known_at_freeze", rows, message)


def _is_not_true(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return sa.not_(sa.func.coalesce(condition, False))


def _shown(cell: ColumnElement[Any]) -> ColumnElement[str]:
    return sa.func.concat("'", sa.func.left(cell, 40), "'")


def _refuse(
    connection: Connection,
    file: InputFile,
    column: str,
    rows: FromClause,
    message: ColumnElement[Any],
) -> None:
    """Raise ProblemsFound if `message` is not NULL for any numbered row of a file."""
    judged = sa.select(rows.c.row_number, message.label("message")).subquery("judged_row").c
    found = files.cell_problems(judged.row_number, file.title(column), judged.message)
    files.refuse_cells(connection, file, found.where(judged.message.is_not(None)))
