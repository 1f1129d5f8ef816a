"""The canonical bytes of a submission, their hash, and whether a submission is still as frozen.

The canonical bytes are one header line of JSON and one line per value (the view
submission_value_line, or ranked_prediction_line for multi-label), sorted. content_sha256 is their
SHA-256; previous_sha256 links each submission to the one before it.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.extras.benchmarks import lookup, models, originals
from tracker.extras.benchmarks.models import Model
from tracker.extras.benchmarks.originals import Original
from tracker.store import statements


@dataclass(frozen=True)
class VerifiedSubmission:
    """The verification of one submission; `problem` is None if it is as frozen."""

    submission_id: int
    content_sha256: str
    problem: str | None


def verify(connection: Connection, submission_id: int | None = None) -> list[VerifiedSubmission]:
    """Recompute the hash and place in the chain of one submission, or of all."""
    rows = lookup.every(connection)
    if submission_id is not None:
        lookup.find(connection, submission_id)
    return [
        VerifiedSubmission(
            row.submission_id, row.content_sha256, _problem(connection, row, previous)
        )
        for previous, row in zip([None, *rows], rows, strict=False)
        if submission_id in (None, row.submission_id)
    ]


def _problem(connection: Connection, row: Row[Any], previous: Row[Any] | None) -> str | None:
    """The first way a submission is not as frozen, None if it is."""
    benchmark = lookup.benchmark_of(connection, row)
    key = {"submission_id": row.submission_id}
    name = "altered_label" if benchmark.kind == "multilabel" else "altered_value"
    altered = statements.run(connection, name, key).scalar()
    if altered is not None:
        return f"{altered} is not as it was frozen"
    table = table_of(benchmark)
    n_stored = connection.execute(
        sa.select(sa.func.count()).where(table.c.submission_id == row.submission_id)
    ).scalar_one()
    if n_stored != row.n_values:
        return f"{row.n_values} values were frozen, {n_stored} are stored"
    header = stored_header(connection, benchmark, row._asdict())
    if sha256_of(connection, benchmark, header, row.submission_id) != row.content_sha256:
        return (
            "the submission's own fields, or a value together with its checksum, were altered: "
            "the content no longer has the frozen SHA-256"
        )
    if row.previous_sha256 != (previous.content_sha256 if previous else None):
        return "the chain is broken: it does not follow the submission before it"
    return None


def table_of(benchmark: Row[Any]) -> sa.Table:
    """Return the table of a benchmark's predictions; the view of their lines adds _line."""
    return schema.ranked_prediction if benchmark.kind == "multilabel" else schema.submission_value


def stored_header(
    connection: Connection, benchmark: Row[Any], frozen: dict[str, Any]
) -> dict[str, Any]:
    """Return the hashed header of a stored submission."""
    target, submitted = schema.benchmark_target, schema.submission_target
    targets = connection.execute(
        sa.select(target.c.name)
        .join(submitted, submitted.c.target_id == target.c.target_id)
        .where(submitted.c.submission_id == frozen["submission_id"])
        .order_by(target.c.name)
    ).scalars()
    model = models.find(connection, frozen["submission_id"])
    original = originals.find(connection, frozen["submission_id"])
    return header_of(benchmark, frozen, list(targets), model, original)


def header_of(
    benchmark: Row[Any],
    frozen: dict[str, Any],
    targets: list[str],
    model: Model | None,
    original: Original | None,
) -> dict[str, Any]:
    """Return the hashed header of a submission; without a model or an original it has no field."""
    names = ("submitter", "track", "code_revision", "origin", "file_sha256", "truth_sha256")
    return {
        "benchmark": benchmark.name,
        "kind": benchmark.kind,
        "targets": targets,
        "submission_id": frozen["submission_id"],
        "submitted_at": frozen["submitted_at"].astimezone(UTC).isoformat(),
        **{name: frozen[name] for name in names},
        "is_partial": frozen["is_partial"],
        "n_values": frozen["n_values"],
        "previous_sha256": frozen["previous_sha256"],
        **({"model": model.header} if model is not None else {}),
        **({"original": original.header} if original is not None else {}),
    }


def sha256_of(
    connection: Connection, benchmark: Row[Any], header: dict[str, Any], submission_id: int
) -> str:
    """Return the SHA-256 of the canonical bytes: the header's line, then the sorted lines."""
    line = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(f"{line}\n".encode())
    # Lines are joined in the engine, a hundred thousand at a time, and hashed as they come.
    name = "ranked_line_block" if benchmark.kind == "multilabel" else "value_line_block"
    lines = statements.run(connection, name, {"submission_id": submission_id})
    for block in lines.scalars():
        digest.update(block.encode())
    return digest.hexdigest()
