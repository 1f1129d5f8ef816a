"""Freezes the staged values of a submission: stores them hashed and chained, with their notes."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import schema, store, temp_tables
from tracker.errors import InputRefused
from tracker.extras.benchmarks import (
    definitions,
    distance,
    lookup,
    models,
    originals,
    similarity,
    truths,
    verification,
)
from tracker.extras.benchmarks.models import Model
from tracker.extras.benchmarks.originals import Original
from tracker.store import statements
from tracker.store.state import scope

# On this track alone the submitter does not know a truth that is there.
HIDDEN_TRACK = "heldout"
# The agreement with the truth above which a submission may have been made from it.
LEAKAGE_BOUND = 0.9
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


@dataclass(frozen=True)
class SubmissionFacts:
    """The facts that are frozen beside the values; `file_sha256` is of the submitted file."""

    submitter: str
    track: str
    origin: str
    file_sha256: str
    code_revision: str | None = None
    is_partial: bool = False
    model: Model | None = None
    original: Original | None = None


def find_same(
    connection: Connection, benchmark: Row[Any], entry: SubmissionFacts
) -> Row[Any] | None:
    """Return the submission of the same file by the same submitter on the same track, if any."""
    table = schema.submission
    return connection.execute(
        sa.select(table).where(
            table.c.benchmark_id == benchmark.benchmark_id,
            table.c.submitter == entry.submitter,
            table.c.track == entry.track,
            table.c.file_sha256 == entry.file_sha256,
        )
    ).first()


def freeze(connection: Connection, benchmark: Row[Any], entry: SubmissionFacts) -> int:
    """Freeze the staged values or labels, which passed the gate; return the submission's number.

    Raises InputRefused if there are none.
    """
    truth = definitions.truth_of(connection, benchmark)
    table = schema.submission
    last = connection.execute(
        sa.select(table).order_by(table.c.submission_id.desc()).limit(1)
    ).first()
    submission_id = temp_tables.next_key(connection, table.c.submission_id)
    key = {"benchmark_id": benchmark.benchmark_id, "submission_id": submission_id}
    notes: list[tuple[str, str]] = []
    if benchmark.kind == "multilabel":
        notes += _stage_ranked(connection, key)
        kept = sa.select(sa.func.count()).select_from(sa.table("incoming_ranked"))
        kept = kept.where(sa.column("position") <= MAX_POSITIONS)
    else:
        statements.run(connection, "incoming_value", key)
        kept = sa.select(sa.func.count()).select_from(sa.table("incoming_value"))
    is_short = entry.is_partial and _is_short(connection, benchmark)
    n_values = connection.execute(kept).scalar_one()
    if n_values == 0:
        raise InputRefused(f"{entry.origin}: contains no prediction")
    frozen = {
        "submission_id": submission_id,
        "benchmark_id": benchmark.benchmark_id,
        "submitted_at": store.now(connection),
        "submitter": entry.submitter,
        "track": entry.track,
        "code_revision": entry.code_revision,
        "origin": entry.origin,
        "file_sha256": entry.file_sha256,
        "truth_sha256": truth.sha256 if truth else None,
        "is_partial": is_short,
        "n_values": n_values,
        "previous_sha256": last.content_sha256 if last else None,
    }
    if is_short:
        notes.append(("partial", "the submission does not cover every item of its targets"))
    _append(connection, benchmark, frozen, entry)
    if entry.track != HIDDEN_TRACK:
        notes += _leaks(connection, submission_id)
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
    return submission_id


def described(
    connection: Connection, benchmark: Row[Any], submission_id: int, *, is_new: bool
) -> Submitted:
    """Describe a stored submission."""
    row = lookup.find(connection, submission_id)
    return Submitted(
        submission_id,
        benchmark.name,
        row.n_values,
        row.content_sha256,
        lookup.notes_of(connection, submission_id),
        [
            *distance.of_submission(connection, row),
            *similarity.of_submission(connection, submission_id),
        ],
        definitions.truth_of(connection, benchmark) is not None,
        is_new,
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
    connection: Connection, benchmark: Row[Any], frozen: dict[str, Any], entry: SubmissionFacts
) -> None:
    """Store the staged values under `frozen` with the hash of their canonical bytes."""
    is_multilabel = benchmark.kind == "multilabel"
    table = verification.table_of(benchmark).name
    staged = "incoming_ranked" if is_multilabel else "incoming_value"
    scope.store_variant(
        connection, f"{table}_line", name=f"{staged}_line", table=table, stand_in=staged
    )
    # The submission's row is written last, when its hash is known.
    given = {"max_positions": MAX_POSITIONS} if is_multilabel else {}
    statements.run(connection, f"append_{table}", given)
    targets: list[str] = []
    if not is_multilabel:
        targets += connection.execute(
            text(
                "select name from benchmark_target where target_id in "
                "(select target_id from incoming_value) order by name"
            )
        ).scalars()
    header = verification.header_of(benchmark, frozen, targets, entry.model, entry.original)
    digest = verification.sha256_of(connection, benchmark, header, frozen["submission_id"])
    connection.execute(schema.submission.insert(), {**frozen, "content_sha256": digest})
    if entry.model is not None:
        models.record(connection, frozen["submission_id"], entry.model)
    if entry.original is not None:
        originals.record(connection, frozen["submission_id"], entry.original)
    if not is_multilabel:
        key = {"submission_id": frozen["submission_id"]}
        statements.run(connection, "append_submission_target", key)


def _leaks(connection: Connection, submission_id: int) -> list[tuple[str, str]]:
    """Return notes on targets predicted better than is plausible without the truth."""
    rows = statements.run(
        connection, "leaking_target", {"submission_id": submission_id, "bound": LEAKAGE_BOUND}
    ).all()
    return [
        (
            "leakage",
            f"{f'{row.target}: ' if row.target else ''}{row.statistic} {row.agreement:.3f} with "
            f"public truth exceeds {LEAKAGE_BOUND:g}; was the truth part of the training data?",
        )
        for row in rows
    ]
