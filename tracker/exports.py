"""Writes a slate to a folder that others can import, and recompute its SHA-256 from.

An export is predictions.parquet, outcomes.parquet and manifest.json.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import entities, schema, slates
from tracker.entities import DISEASE, DRUG
from tracker.errors import InputRefused
from tracker.sources import files

MANIFEST_VERSION = 1

_EXPORTED_PREDICTIONS = text(
    """
select
    prediction.disease_identifier,
    prediction.drug_identifier,
    prediction.score,
    prediction.rank,
    prediction.tier,
    prediction.known_label,
    prediction.known_max_phase,
    prediction.first_approval_year,
    prediction.criterion,
    prediction.criterion_min_phase,
    prediction.criterion_horizon_years,
    disease.name as disease_name,
    drug.name as drug_name
from prediction
inner join disease using (disease_id)
inner join drug using (drug_id)
where prediction.slate_id = :slate_id
order by prediction.disease_identifier, prediction.drug_identifier
"""
)

_EXPORTED_OUTCOMES = text(
    """
select
    disease_identifier.identifier as disease_identifier,
    drug_identifier.identifier as drug_identifier,
    outcome.outcome_type,
    outcome.event_date,
    outcome.first_public_on,
    outcome.source,
    cast(outcome.detail as varchar) as detail,
    outcome.observed_at,
    disease.name as disease_name,
    drug.name as drug_name
from outcome
inner join disease using (disease_id)
inner join drug using (drug_id)
inner join disease_identifier using (disease_id)
inner join drug_identifier using (drug_id)
where outcome.slate_id = :slate_id
order by
    disease_identifier,
    drug_identifier,
    outcome.outcome_type,
    outcome.event_date,
    outcome.first_public_on,
    outcome.source,
    detail
"""
)


def export_slate(connection: Connection, slate: Row[Any], folder: Path) -> Path:
    """Write a slate and its outcomes to `folder`, all of it or nothing; return the folder.

    An empty or absent folder is filled; an earlier export is replaced. Raises InputRefused if
    the folder holds anything else.
    """
    if folder.exists() and not folder.is_dir():
        raise InputRefused(f"{folder}: is a file")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "manifest.json").is_file():
        raise InputRefused(f"{folder}: is not empty and holds no earlier export")
    folder = folder.resolve()
    if not folder.parent.is_dir():
        raise InputRefused(f"{folder.parent}: no such folder")
    for entity in (DISEASE, DRUG):
        entities.register_identifiers(connection, entity)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
        staged = Path(name) / "export"
        staged.mkdir()
        for stem, query in (
            ("predictions", _EXPORTED_PREDICTIONS),
            ("outcomes", _EXPORTED_OUTCOMES),
        ):
            copy = text("copy (" + query.text + ") to :path (format parquet)")
            connection.execute(
                copy,
                {"slate_id": str(slate.slate_id), "path": str(staged / f"{stem}.parquet")},
            )
        manifest = _manifest(connection, slate, staged)
        (staged / "manifest.json").write_text(
            json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n",
            encoding="utf-8",
        )
        if folder.exists():
            folder.rename(Path(name) / "replaced")
        staged.rename(folder)
    return folder


def _manifest(connection: Connection, slate: Row[Any], folder: Path) -> dict[str, Any]:
    note = schema.slate_note
    rows = connection.execute(
        sa.select(note).where(note.c.slate_id == slate.slate_id).order_by(note.c.note_number)
    ).mappings()
    return {
        "manifest_version": MANIFEST_VERSION,
        "content_sha256": slate.content_sha256,
        "origin": slate.origin,
        "header": slates.from_row(slate).header,
        "notes": [
            {name: row[name] for name in ("kind", "disease_name", "drug_name", "detail")}
            for row in rows
        ],
        "files": {path.name: files.sha256_of(path) for path in sorted(folder.glob("*.parquet"))},
    }
