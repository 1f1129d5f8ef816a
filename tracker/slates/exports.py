"""Writes a slate to a folder that others can import and recompute its SHA-256 from.

An export is predictions.parquet, outcomes.parquet and manifest.json, and the folder timestamps if
authorities have stated when the slate existed. What tracker.slates.readers adds is for whoever
checks it without tracker; an import does not read it.
"""

from dataclasses import fields as dataclass_fields
from datetime import UTC, date
from pathlib import Path
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import entities, replacing, schema, slates, store
from tracker.entities.kinds import DISEASE, DRUG
from tracker.errors import InputRefused
from tracker.files import exports, fields, json_file
from tracker.log import exported_timestamps
from tracker.slates import attachments, readers
from tracker.slates.frozen import Slate
from tracker.store import statements
from tracker.store.state import scope

MANIFEST_VERSION = 1
DATA_FILES = ("outcomes.parquet", "predictions.parquet")

_OPTIONAL_SHA256 = fields.optional(fields.SHA256)
_HEADER = fields.record(
    {
        "slate_id": fields.IDENTIFIER,
        "created_at": fields.INSTANT,
        "frozen_on": fields.DATE,
        "description": fields.TEXT,
        "model_version": fields.TEXT,
        "parameters": fields.OBJECT,
        "fingerprint": fields.OBJECT,
        "n_predictions": fields.whole(1, 2**31 - 1),
        "plan": fields.optional(fields.OBJECT),
        "is_replay": fields.FLAG,
        "candidate_sha256": _OPTIONAL_SHA256,
        "label_sha256": _OPTIONAL_SHA256,
        "alias_sha256": _OPTIONAL_SHA256,
        "previous_sha256": _OPTIONAL_SHA256,
    }
)
# What a report reads of a note of this kind.
_MERGED_NAMES = fields.record(
    {
        "detail": fields.record(
            {"file": fields.one_of("candidates", "labels"), "names": fields.TEXTS}
        )
    }
)
_NOTE = fields.record(
    {
        "kind": fields.TEXT,
        "disease_name": fields.OPTIONAL_TEXT,
        "drug_name": fields.OPTIONAL_TEXT,
        "detail": fields.OBJECT,
    },
    rule=lambda note: _MERGED_NAMES.problems(note) if note["kind"] == "merged_names" else (),
)
# A set that the exporting store attached after the freeze; the import only reports it.
_ATTACHED = fields.record(
    {
        "set_kind": fields.one_of(*schema.SET_KINDS),
        "name": fields.TEXT,
        "sha256": fields.SHA256,
        "attached_at": fields.INSTANT,
    }
)
_MANIFEST = fields.record(
    {
        "manifest_version": fields.whole(MANIFEST_VERSION, MANIFEST_VERSION),
        "content_sha256": fields.SHA256,
        "origin": fields.one_of(*schema.SLATE_ORIGINS),
        "header": _HEADER,
        "notes": fields.listed(_NOTE, "a list"),
        "files": fields.OBJECT,
    },
    {
        "attached": fields.listed(_ATTACHED, "a list"),
        "timestamps": fields.listed(exported_timestamps.ENTRY, "a list"),
    },
)


def export_slate(db: Path, slate: str, folder: Path) -> Row[Any]:
    """Write a slate of a store and its outcomes to `folder`, all of it or nothing; return it.

    `slate` is its UUID or a unique beginning. An empty or absent folder is filled; an earlier
    export is replaced. Raises InputRefused if the folder has anything else, and TrackerError if it
    cannot be written.
    """
    with (
        replacing.folder(folder, _refuse_foreign_content) as staged,
        store.reader(db, writes_to=staged, from_rows=True) as connection,
    ):
        found = slates.find(connection, slate)
        write(connection, found, staged)
        readers.write_content(connection, found, staged)
        readers.write_proof(connection, found, staged)
        exports.keep_line_ends(staged)
    return found


def read_manifest(path: Path) -> tuple[dict[str, Any], Slate]:
    """Read a manifest and the slate it describes.

    Raises InputRefused unless every field is present and of its type; the import checks whether
    the fields are true.
    """
    manifest = json_file.read(path, "a manifest")
    if not isinstance(manifest, dict):
        raise InputRefused(f"{path.name}: is not a manifest: is not an object of named fields")
    if manifest.get("manifest_version", MANIFEST_VERSION) != MANIFEST_VERSION:
        raise InputRefused(f"{path.name}: was written by another version of tracker")
    fields.require(path.name, manifest, _MANIFEST)
    manifest = {"attached": [], "timestamps": [], **manifest}
    header = manifest["header"]
    slate = Slate(
        **{
            **{field.name: header[field.name] for field in dataclass_fields(Slate)},
            "slate_id": UUID(header["slate_id"]),
            "created_at": fields.instant(header["created_at"]),
            "frozen_on": date.fromisoformat(header["frozen_on"]),
        }
    )
    return manifest, slate


def _refuse_foreign_content(folder: Path) -> None:
    subfolders = {exported_timestamps.FOLDER: exported_timestamps.OWN_NAME}
    own = (*DATA_FILES, *readers.FILES)
    exports.refuse_foreign_content(folder, own, read_manifest, subfolders)


def write(connection: Connection, slate: Row[Any], folder: Path) -> None:
    """Write the files of an export to an empty folder."""
    for entity in (DISEASE, DRUG):
        entities.register_identifiers(connection, entity)
    key = {"slate_id": str(slate.slate_id)}
    with scope.of_slates(connection, slate):
        for stem in ("prediction", "outcome"):
            path = folder / f"{stem}s.parquet"
            statements.write_file(connection, f"exported_{stem}", path, "parquet", key)
    note = schema.slate_note
    names = ("kind", "disease_name", "drug_name", "detail")
    notes = connection.execute(
        sa.select(*[note.c[name] for name in names])
        .where(note.c.slate_id == slate.slate_id)
        .order_by(note.c.note_number)
    ).mappings()
    exports.write_manifest(
        folder,
        {
            "manifest_version": MANIFEST_VERSION,
            "content_sha256": slate.content_sha256,
            "origin": slate.origin,
            "header": slates.from_row(slate).header,
            "notes": [dict(row) for row in notes],
            "attached": [
                {
                    "set_kind": one.set_kind,
                    "name": one.name,
                    "sha256": one.sha256,
                    "attached_at": one.attached_at.astimezone(UTC).isoformat(),
                }
                for one in attachments.of_slate(connection, slate.slate_id)
            ],
            "timestamps": exported_timestamps.write(connection, slate, folder),
        },
    )
