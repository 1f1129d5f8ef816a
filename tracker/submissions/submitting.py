"""Freezes submissions that pass the gate: stores them hashed and chained, with its notes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import files, store
from tracker.errors import InputRefused
from tracker.progress import Progress, silent
from tracker.store import catalog, keys, schema, statements
from tracker.submissions import (
    definitions,
    distance,
    lookup,
    models,
    reading,
    staging,
    truths,
    verification,
)
from tracker.submissions.models import Model

# On these tracks the submitter may know the truth.
PUBLIC_TRACKS = ("cv", "public")
LEAKAGE_SPEARMAN = 0.9
MAX_POSITIONS = 500


@dataclass(frozen=True)
class Submitted:
    """A stored submission; `is_new` is false if the submitter had sent the same file.

    `notes` are stored with it; `warnings` are of its values, and computed.
    """

    submission_id: int
    benchmark: str
    n_values: int
    content_sha256: str
    notes: list[str]
    warnings: list[str]
    has_truth: bool
    is_new: bool


def submit(
    connection: Connection,
    name: str,
    path: Path,
    *,
    submitter: str,
    track: str,
    code_revision: str | None = None,
    is_partial: bool = False,
    model: Model | None = None,
    progress: Progress = silent,
) -> Submitted:
    """Pass a file through the gate and freeze it as a submission to benchmark `name`.

    Raises ProblemsFound with file, row and column of all problems, and then stores nothing.
    The same file by the same submitter on the same track adds nothing; InputRefused if its model is
    another one than was frozen.
    """
    benchmark = definitions.find(connection, name)
    if not submitter.strip():
        raise InputRefused("the submitter cannot be empty")
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    file_sha256 = files.sha256_of(path)
    truth = definitions.truth_of(connection, benchmark)
    table = schema.submission
    stored = connection.execute(
        sa.select(table).where(
            table.c.benchmark_id == benchmark.benchmark_id,
            table.c.submitter == submitter,
            table.c.track == track,
            table.c.file_sha256 == file_sha256,
        )
    ).first()
    if model is not None:
        models.check(model, store.now(connection).date())
    if stored is not None:
        if model is not None and model != models.find(connection, stored.submission_id):
            raise InputRefused(
                f"this file is already submission {stored.submission_id} of this submitter, frozen "
                "with other facts on its model, which never change"
            )
        return _submitted(connection, benchmark, stored, is_new=False)
    progress("checking every row")
    given = files.open_table(connection, path)
    is_multilabel = benchmark.kind == "multilabel"
    if is_multilabel:
        survey = reading.read_labels(connection, benchmark, given, track, is_partial)
    else:
        survey = reading.read_values(connection, benchmark, given, track, is_partial)
    survey.refuse()
    progress("freezing the predictions")
    last = connection.execute(
        sa.select(table).order_by(table.c.submission_id.desc()).limit(1)
    ).first()
    submission_id = keys.next_key(connection, table.c.submission_id)
    key = {"benchmark_id": benchmark.benchmark_id, "submission_id": submission_id}
    notes: list[tuple[str, str]] = []
    if is_multilabel:
        notes += _stage_ranked(connection, key)
    else:
        statements.run(connection, "incoming_value", key)
    is_short = is_partial and _is_short(connection, benchmark)
    source = "incoming_ranked" if is_multilabel else "incoming_value"
    kept = sa.select(sa.func.count()).select_from(sa.table(source))
    if is_multilabel:
        kept = kept.where(sa.column("position") <= MAX_POSITIONS)
    n_values = connection.execute(kept).scalar_one()
    if n_values == 0:
        raise InputRefused(f"{path.name}: contains no prediction")
    frozen = {
        "submission_id": submission_id,
        "benchmark_id": benchmark.benchmark_id,
        "submitted_at": store.now(connection),
        "submitter": submitter,
        "track": track,
        "code_revision": code_revision,
        "origin": path.name,
        "file_sha256": given.sha256,
        "truth_sha256": truth.sha256 if truth else None,
        "is_partial": is_short,
        "n_values": n_values,
        "previous_sha256": last.content_sha256 if last else None,
    }
    if is_short:
        notes.append(("partial", "the submission does not cover every item of its targets"))
    digest = _append(connection, benchmark, frozen, model)
    notes += _leaks(connection, benchmark, submission_id, track)
    if notes:
        connection.execute(
            schema.submission_note.insert(),
            [
                {
                    "submission_id": submission_id,
                    "note_number": number,
                    "kind": kind,
                    "detail": detail,
                }
                for number, (kind, detail) in enumerate(notes, start=1)
            ],
        )
    warnings: list[str] = []
    if benchmark.kind == "regression":
        is_long = staging.is_long(given.names, definitions.target_names(connection, benchmark))
        warnings = distance.of_file(connection, submission_id, given, is_long=is_long)
    return Submitted(
        submission_id,
        benchmark.name,
        n_values,
        digest,
        [detail for _, detail in notes],
        warnings,
        truth is not None,
        is_new=True,
    )


def _stage_ranked(connection: Connection, key: dict[str, int]) -> list[tuple[str, str]]:
    """Turn staged_label into incoming_ranked; return the resulting notes."""
    notes = []
    n_new = truths.append_unlisted_labels(connection, key["benchmark_id"])
    statements.run(connection, "incoming_ranked", key)
    n_cut = connection.execute(
        text("select count(*) from incoming_ranked where position > :max_positions"),
        {"max_positions": MAX_POSITIONS},
    ).scalar_one()
    if n_cut:
        notes.append(
            (
                "truncated",
                f"the first {MAX_POSITIONS} predictions of an instance are kept; "
                f"{n_cut:,} further ones were left out",
            )
        )
    if n_new > 0:
        notes.append(
            (
                "unlisted_labels",
                f"{n_new:,} predicted labels are unknown to the benchmark and count as "
                "'not_included'",
            )
        )
    return notes


def _is_short(connection: Connection, benchmark: Row[Any]) -> bool:
    """Whether a target has fewer values than the benchmark has items."""
    statement = text(
        "select coalesce(min(n_values), 0) from "
        "(select count(*) as n_values from incoming_value group by target_id)"
    )
    return bool(connection.execute(statement).scalar_one() < benchmark.n_items)


def _append(
    connection: Connection, benchmark: Row[Any], frozen: dict[str, Any], model: Model | None
) -> str:
    """Store the staged values under `frozen`; return the hash of the canonical bytes."""
    key = {"submission_id": frozen["submission_id"]}
    view = next(v for v in catalog.read_views() if v.name == verification.line_view(benchmark))
    # The submission's row is written last, when its hash is known.
    if benchmark.kind == "multilabel":
        catalog.store_variant(
            connection,
            view,
            name="incoming_ranked_line",
            table="ranked_prediction",
            stand_in="incoming_ranked",
        )
        statements.run(connection, "append_ranked_prediction", {"max_positions": MAX_POSITIONS})
        targets: list[str] = []
    else:
        catalog.store_variant(
            connection,
            view,
            name="incoming_value_line",
            table="submission_value",
            stand_in="incoming_value",
        )
        statements.run(connection, "append_submission_value")
        targets = list(
            connection.execute(
                text(
                    "select name from benchmark_target where target_id in "
                    "(select target_id from incoming_value) order by name"
                )
            ).scalars()
        )
    header = verification.header_of(benchmark, frozen, targets, model)
    digest = verification.sha256_of(connection, benchmark, header, frozen["submission_id"])
    connection.execute(schema.submission.insert(), {**frozen, "content_sha256": digest})
    if model is not None:
        models.record(connection, frozen["submission_id"], model)
    if benchmark.kind != "multilabel":
        statements.run(connection, "append_submission_target", key)
    return digest


def _leaks(
    connection: Connection, benchmark: Row[Any], submission_id: int, track: str
) -> list[tuple[str, str]]:
    """Notes on targets predicted better than is plausible without the truth."""
    if benchmark.kind != "regression" or track not in PUBLIC_TRACKS:
        return []
    rows = statements.run(
        connection, "leaking_target", {"submission_id": submission_id, "bound": LEAKAGE_SPEARMAN}
    ).all()
    return [
        (
            "leakage",
            f"{row.target}: Spearman {row.spearman:.3f} with public truth exceeds "
            f"{LEAKAGE_SPEARMAN:g}; was the truth part of the training data?",
        )
        for row in rows
    ]


def _submitted(
    connection: Connection, benchmark: Row[Any], row: Row[Any], *, is_new: bool
) -> Submitted:
    return Submitted(
        row.submission_id,
        benchmark.name,
        row.n_values,
        row.content_sha256,
        lookup.notes_of(connection, row.submission_id),
        distance.of_submission(connection, row),
        definitions.truth_of(connection, benchmark) is not None,
        is_new,
    )
