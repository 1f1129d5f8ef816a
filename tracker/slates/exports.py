"""Writes a slate to a folder that others can import and recompute its SHA-256 from.

An export is predictions.parquet, outcomes.parquet and manifest.json, and the folder timestamps if
authorities have stated when the slate existed. What tracker.slates.readers adds is for whoever
checks it without tracker; an import does not read it.
"""

from dataclasses import fields
from datetime import UTC, date
from pathlib import Path
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import entities, replacing, slates, store
from tracker.entities.kinds import DISEASE, DRUG
from tracker.errors import InputRefused
from tracker.files import exports, json_file
from tracker.slates import attachments, exported_proofs, readers
from tracker.slates.frozen import Slate
from tracker.store import schema, statements

MANIFEST_VERSION = 1
DATA_FILES = ("outcomes.parquet", "predictions.parquet")

_MAPPING = (json_file.is_mapping, "an object of named fields")
_TEXT = (json_file.is_text, "text")
_OPTIONAL_SHA256 = (json_file.optional(json_file.is_sha256), "a SHA-256")
_MANIFEST_FIELDS: json_file.Fields = {
    "manifest_version": (lambda value: value == MANIFEST_VERSION, str(MANIFEST_VERSION)),
    "content_sha256": (json_file.is_sha256, "a SHA-256"),
    "origin": (schema.SLATE_ORIGINS.__contains__, f"one of {', '.join(schema.SLATE_ORIGINS)}"),
    "header": _MAPPING,
    "notes": (lambda value: isinstance(value, list), "a list"),
    "files": _MAPPING,
}
_HEADER_FIELDS: json_file.Fields = {
    "slate_id": json_file.SLATE_ID,
    "created_at": json_file.INSTANT,
    "frozen_on": (json_file.parses(date.fromisoformat), "a date (YYYY-MM-DD)"),
    "description": _TEXT,
    "model_version": _TEXT,
    "parameters": _MAPPING,
    "fingerprint": _MAPPING,
    "n_predictions": (lambda value: type(value) is int and 0 < value < 2**31, "a number of rows"),
    "plan": (json_file.optional(json_file.is_mapping), "an object of named fields"),
    "is_replay": (lambda value: isinstance(value, bool), "true or false"),
    "candidate_sha256": _OPTIONAL_SHA256,
    "label_sha256": _OPTIONAL_SHA256,
    "alias_sha256": _OPTIONAL_SHA256,
    "previous_sha256": _OPTIONAL_SHA256,
}
_NOTE_FIELDS: json_file.Fields = {
    "kind": _TEXT,
    "disease_name": (json_file.optional(json_file.is_text), "text"),
    "drug_name": (json_file.optional(json_file.is_text), "text"),
    "detail": _MAPPING,
}
# A set that the exporting store attached after the freeze; the import only reports it.
_ATTACHED_FIELDS: json_file.Fields = {
    "set_kind": (schema.SET_KINDS.__contains__, f"one of {', '.join(schema.SET_KINDS)}"),
    "name": _TEXT,
    "sha256": (json_file.is_sha256, "a SHA-256"),
    "attached_at": json_file.INSTANT,
}
# What a report reads of a note of this kind.
_MERGED_FIELDS: json_file.Fields = {
    "file": (lambda value: value in ("candidates", "labels"), "candidates or labels"),
    "names": (
        lambda value: isinstance(value, list) and all(map(json_file.is_text, value)),
        "a list of texts",
    ),
}


def export_slate(db: Path, slate: str, folder: Path) -> Row[Any]:
    """Write a slate of a store and its outcomes to `folder`, all of it or nothing; return it.

    `slate` is its UUID or a unique beginning. An empty or absent folder is filled; an earlier
    export is replaced. Raises InputRefused if the folder has anything else, and TrackerError if it
    cannot be written.
    """
    with (
        replacing.folder(folder, _refuse_foreign_content) as staged,
        store.reader(db, writes_to=staged) as connection,
    ):
        found = slates.find(connection, slate)
        write(connection, found, staged)
        readers.write_content(connection, found, staged)
        readers.write_proof(connection, found, staged)
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
    json_file.require(path.name, manifest, _MANIFEST_FIELDS)
    header = manifest["header"]
    json_file.require(path.name, header, _HEADER_FIELDS)
    for number, note in enumerate(manifest["notes"], start=1):
        place = f"{path.name}: note {number}"
        json_file.require(place, note, _NOTE_FIELDS)
        if note["kind"] == "merged_names":
            json_file.require(f"{place}, detail", note["detail"], _MERGED_FIELDS)
    attached = manifest.setdefault("attached", [])
    if not isinstance(attached, list):
        raise InputRefused(f"{path.name}: attached is not a list")
    for number, one in enumerate(attached, start=1):
        json_file.require(f"{path.name}: attached set {number}", one, _ATTACHED_FIELDS)
    tokens = manifest.setdefault("timestamps", [])
    if not isinstance(tokens, list):
        raise InputRefused(f"{path.name}: timestamps is not a list")
    for number, one in enumerate(tokens, start=1):
        json_file.require(f"{path.name}: timestamp {number}", one, exported_proofs.FIELDS)
    slate = Slate(
        **{
            **{field.name: header[field.name] for field in fields(Slate)},
            "slate_id": UUID(header["slate_id"]),
            "created_at": json_file.instant(header["created_at"]),
            "frozen_on": date.fromisoformat(header["frozen_on"]),
        }
    )
    return manifest, slate


def _refuse_foreign_content(folder: Path) -> None:
    subfolders = {exported_proofs.FOLDER: exported_proofs.OWN_NAME}
    own = (*DATA_FILES, *readers.FILES)
    exports.refuse_foreign_content(folder, own, read_manifest, subfolders)


def write(connection: Connection, slate: Row[Any], folder: Path) -> None:
    """Write the files of an export to an empty folder."""
    for entity in (DISEASE, DRUG):
        entities.register_identifiers(connection, entity)
    key = {"slate_id": str(slate.slate_id)}
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
            "timestamps": exported_proofs.write(connection, slate, folder),
        },
    )
