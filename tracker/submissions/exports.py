"""Writes a submission to a folder from which others can recompute its SHA-256.

An export is predictions.parquet and manifest.json.
"""

import json
from pathlib import Path

from tracker import files, replacing, store
from tracker.errors import InputRefused
from tracker.store import statements
from tracker.submissions import lookup, verification

MANIFEST_VERSION = 1
OWN_FILES = {"manifest.json", "predictions.parquet"}


def export(db: Path, submission_id: int, folder: Path) -> Path:
    """Write a submission to `folder` as predictions.parquet and manifest.json; all or nothing.

    An empty or absent folder is filled; an earlier export is replaced. Raises InputRefused if
    the folder holds anything else, and TrackerError if it cannot be written.
    """
    with (
        replacing.folder(folder, _refuse_foreign_content) as staged,
        store.reader(db, writes_to=staged) as connection,
    ):
        submission = lookup.find(connection, submission_id)
        benchmark = lookup.benchmark_of(connection, submission)
        name = "exported_label" if benchmark.kind == "multilabel" else "exported_value"
        path = staged / "predictions.parquet"
        statements.write_file(connection, name, path, "parquet", {"submission_id": submission_id})
        manifest = {
            "manifest_version": MANIFEST_VERSION,
            "content_sha256": submission.content_sha256,
            "header": verification.stored_header(connection, benchmark, submission._asdict()),
            "notes": lookup.notes_of(connection, submission_id),
            "files": {
                path.name: files.sha256_of(path) for path in sorted(staged.glob("*.parquet"))
            },
        }
        (staged / "manifest.json").write_text(
            json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n",
            encoding="utf-8",
        )
    return folder.resolve()


def _refuse_foreign_content(folder: Path) -> None:
    """Refuse a target whose replacement would remove more than an earlier export."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if names and "manifest.json" not in names:
        raise InputRefused(f"{folder}: is not empty and holds no earlier export")
    others = sorted(names - OWN_FILES)
    if others:
        raise InputRefused(f"{folder}: holds more than an earlier export: {', '.join(others[:5])}")
