"""Writes a submission to a folder from which others can recompute its SHA-256.

An export is predictions.parquet and manifest.json.
"""

from pathlib import Path

from tracker import files, replacing, store
from tracker.extras.benchmarks import lookup, verification
from tracker.files import exports
from tracker.store import statements

MANIFEST_VERSION = 1
DATA_FILES = ("predictions.parquet",)


def export(db: Path, submission_id: int, folder: Path) -> Path:
    """Write a submission to `folder` as predictions.parquet and manifest.json; all or nothing.

    An empty or absent folder is filled; an earlier export is replaced. Raises InputRefused if
    the folder has anything else, and TrackerError if it cannot be written.
    """
    with (
        replacing.folder(folder, _refuse_foreign_content) as staged,
        store.reader(db, writes_to=staged, from_rows=True) as connection,
    ):
        submission = lookup.find(connection, submission_id)
        benchmark = lookup.benchmark_of(connection, submission)
        name = "exported_label" if benchmark.kind == "multilabel" else "exported_value"
        path = staged / DATA_FILES[0]
        statements.write_file(connection, name, path, "parquet", {"submission_id": submission_id})
        header = verification.stored_header(connection, benchmark, submission._asdict())
        exports.write_manifest(
            staged,
            {
                "manifest_version": MANIFEST_VERSION,
                "content_sha256": submission.content_sha256,
                "header": header,
                "notes": lookup.notes_of(connection, submission_id),
            },
        )
        exports.keep_line_ends(staged)
    return folder.resolve()


def _refuse_foreign_content(folder: Path) -> None:
    exports.refuse_foreign_content(folder, DATA_FILES, files.require_file)
