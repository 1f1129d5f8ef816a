"""Imports exports of submissions: freezes them here again if their values have the stated hash."""

from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row

from tracker import files, schema, store
from tracker.errors import CheckFailed, InputRefused
from tracker.extras.benchmarks import (
    definitions,
    exports,
    freezing,
    gate,
    models,
    staging,
    submission_file,
    verification,
)
from tracker.extras.benchmarks.freezing import SubmissionFacts, Submitted
from tracker.extras.benchmarks.models import Model
from tracker.extras.benchmarks.originals import Original
from tracker.extras.benchmarks.staging import Shape
from tracker.files import Survey, TableFile, fields, json_file
from tracker.files.cells import MAX_NAME_LENGTH
from tracker.files.exports import MANIFEST

_MODEL = {
    "model": fields.TEXT,
    "model_version": fields.OPTIONAL_TEXT,
    "link": fields.OPTIONAL_TEXT,
    "license": fields.OPTIONAL_TEXT,
    "trained_until": fields.optional(fields.DATE),
}
_NAME = fields.text(
    f"a name of at most {MAX_NAME_LENGTH:,} characters",
    lambda name: name if name.strip() and len(name) <= MAX_NAME_LENGTH else None,
)
_HEADER = fields.record(
    {
        "benchmark": _NAME,
        "kind": fields.one_of(*schema.BENCHMARK_KINDS),
        "targets": fields.TEXTS,
        "submission_id": fields.whole(1, 2**31 - 1),
        "submitted_at": fields.INSTANT,
        "submitter": _NAME,
        "track": fields.one_of(*schema.TRACKS),
        "code_revision": fields.OPTIONAL_TEXT,
        "origin": fields.TEXT,
        "file_sha256": fields.SHA256,
        "is_partial": fields.FLAG,
    },
    {"model": fields.record(_MODEL)},
)
_MANIFEST = fields.record(
    {
        "manifest_version": fields.whole(exports.MANIFEST_VERSION, exports.MANIFEST_VERSION),
        "content_sha256": fields.SHA256,
        "header": _HEADER,
        "files": fields.OBJECT,
    }
)


def import_folder(connection: Connection, folder: Path, benchmark: str | None = None) -> Submitted:
    """Freeze an exported submission here; that it was frozen elsewhere before stays a claim.

    `benchmark` names a benchmark of this store, by default the one that the export names. Importing
    again adds nothing. Raises InputRefused for a folder without an export, ProblemsFound with every
    problem that the gate finds in its rows, and CheckFailed if it was altered.
    """
    given = json_file.read(folder / MANIFEST, "a manifest")
    manifest = dict(fields.require(MANIFEST, given, _MANIFEST))
    header = manifest["header"]
    try:
        own = definitions.find(connection, benchmark or header["benchmark"])
    except InputRefused as error:
        if benchmark:
            raise
        raise InputRefused(f"{folder / MANIFEST}: {error}") from error
    if own.kind != header["kind"]:
        raise InputRefused(
            f"{folder}: the export is of a benchmark of the kind {header['kind']}, '{own.name}' is "
            f"{own.kind}"
        )
    path = folder / exports.DATA_FILES[0]
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    table = files.open_table(connection, path)
    if manifest["files"].get(path.name) != table.sha256:
        raise CheckFailed(f"{folder}: the export was altered: {path.name} has a different SHA-256")
    submission_file.require_track(own, header["track"])
    entry = _entry(connection, manifest)
    stored = freezing.find_same(connection, own, entry)
    if stored is None:
        _stage(connection, own, table, header).refuse()
        number = freezing.freeze(connection, own, entry)
    else:
        number = stored.submission_id
    found = verification.sha256_of(connection, own, header, number)
    if found != manifest["content_sha256"]:
        if stored is not None:
            raise InputRefused(
                f"{folder}: its file is already submission {number} of '{own.name}', with "
                "different content"
            )
        raise CheckFailed(
            f"{folder}: the export was altered: its content has SHA-256 {found[:12]}..., not the "
            "one in the manifest"
        )
    return freezing.described(connection, own, number, is_new=stored is None)


def _entry(connection: Connection, manifest: dict[str, Any]) -> SubmissionFacts:
    """Return what an export states beside its values; InputRefused for what cannot be true."""
    header = manifest["header"]
    now = store.now(connection)
    first = fields.instant(header["submitted_at"])
    if first > now:
        raise InputRefused(f"{MANIFEST}: submitted_at is in the future")
    model = None
    if "model" in header:
        facts = {name: header["model"][name] for name in _MODEL}
        day = facts.pop("trained_until")
        model = Model(**facts, trained_until=date.fromisoformat(day) if day else None)
        models.check(model, now.date())
    return SubmissionFacts(
        submitter=header["submitter"],
        track=header["track"],
        origin=header["origin"],
        file_sha256=header["file_sha256"],
        code_revision=header["code_revision"],
        is_partial=header["is_partial"],
        model=model,
        original=Original(header["submission_id"], first, manifest["content_sha256"]),
    )


def _stage(
    connection: Connection, benchmark: Row[Any], table: TableFile, header: dict[str, Any]
) -> Survey:
    """Stage the values or labels of an export and note all their problems."""
    if benchmark.kind == "multilabel":
        survey = staging.stage_labels(connection, table, "instance", orders=("rank", "score"))
        gate.check_label_rows(connection, survey, benchmark, "instance")
        gate.check_ranks(connection, survey)
        return survey
    shape = Shape("item", None, definitions.target_names(connection, benchmark), is_long=True)
    survey = staging.stage_values(connection, table, shape, allow_empty_cells=False)
    gate.check_value_rows(connection, survey, benchmark, shape, is_partial=header["is_partial"])
    gate.check_remote_values(connection, survey, benchmark, shape, header["track"])
    return survey
