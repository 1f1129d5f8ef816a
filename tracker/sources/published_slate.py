"""Reads a slate published elsewhere: a folder of registry.parquet, slates.json, outcomes.parquet.

The published rows are typed and checked here; tracker.imports stores them.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from tracker.errors import InputRefused
from tracker.outcomes import OUTCOME_TYPES
from tracker.sources import files
from tracker.sources.files import Column, InputFile

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
    Column("outcome_type", choices=OUTCOME_TYPES),
    Column("event_date", "date", required=False, header="outcome_date"),
    Column("first_public_on", "date", required=False),
    Column("source", header="outcome_source"),
    Column("detail", "json", required=False, header="outcome_detail"),
    Column("observed_at", "instant"),
)


@dataclass(frozen=True)
class Entry:
    """What slates.json says of one slate."""

    slate_id: UUID
    created_at: datetime
    description: str
    model_version: str
    parameters: dict[str, Any]
    fingerprint: dict[str, Any]


@dataclass(frozen=True)
class PublishedSlates:
    """A published folder, checked: slates in order of their freeze, predictions, outcomes."""

    entries: list[Entry]
    registry: InputFile
    outcomes: InputFile | None


def is_published(folder: Path) -> bool:
    """Whether a folder has this layout."""
    return (folder / "registry.parquet").is_file()


def read(connection: Connection, folder: Path) -> PublishedSlates:
    """Read and check the folder; raises InputRefused or ProblemsFound naming file and row."""
    entries = _read_entries(folder / "slates.json")
    registry = files.read(
        connection, folder / "registry.parquet", REGISTRY_COLUMNS, allow_extra=True
    )
    path = folder / "outcomes.parquet"
    outcomes = (
        files.read(connection, path, OUTCOME_COLUMNS, allow_extra=True) if path.is_file() else None
    )
    return PublishedSlates(entries, registry, outcomes)


def _read_entries(path: Path) -> list[Entry]:
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputRefused(f"{path}: no such file") from error
    except (OSError, ValueError) as error:
        raise InputRefused(f"{path.name}: is not JSON: {error}") from error
    if not isinstance(records, list) or not records:
        raise InputRefused(f"{path.name}: is not a list of slates")
    return sorted(
        (_entry(path, number, record) for number, record in enumerate(records, start=1)),
        key=lambda entry: (entry.created_at, entry.slate_id),
    )


def _entry(path: Path, number: int, record: Any) -> Entry:
    try:
        created_at = datetime.fromisoformat(record["created_at"])
        if created_at.tzinfo is None:
            created_at = created_at.replace(tzinfo=UTC)
        fingerprint = dict(record.get("fingerprint") or {})
        parameters = fingerprint.get("parameters") or {
            "top_k": record.get("top_k"),
            "min_score": record.get("min_score"),
            "diseases": record.get("diseases_filter"),
        }
        return Entry(
            slate_id=UUID(record["slate_id"]),
            created_at=created_at.astimezone(UTC),
            description=str(record.get("description") or ""),
            model_version=str(record.get("model_version") or "unknown"),
            parameters=parameters,
            fingerprint=fingerprint,
        )
    except KeyError as error:
        raise InputRefused(f"{path.name}, slate {number}: {error.args[0]} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise InputRefused(f"{path.name}, slate {number}: {error}") from error
