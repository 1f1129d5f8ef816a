"""Finds submissions, their benchmarks and their notes."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.errors import InputRefused
from tracker.extras.benchmarks import originals


def find(connection: Connection, submission_id: int) -> Row[Any]:
    """Return the submission of this number; InputRefused if there is none."""
    table = schema.submission
    row = connection.execute(sa.select(table).where(table.c.submission_id == submission_id)).first()
    if row is None:
        raise InputRefused(
            f"no submission has the number {submission_id}; see 'tracker benchmark leaderboard'"
        )
    return row


def every(connection: Connection) -> list[Row[Any]]:
    """Return all submissions in the order of their numbers."""
    table = schema.submission
    return list(connection.execute(sa.select(table).order_by(table.c.submission_id)))


def notes_of(connection: Connection, submission_id: int) -> list[str]:
    """Return the notes on a submission: where it was imported from, and those of the gate."""
    note = schema.submission_note
    original = originals.find(connection, submission_id)
    imported = [original.sentence] if original is not None else []
    return imported + list(
        connection.execute(
            sa.select(note.c.detail)
            .where(note.c.submission_id == submission_id)
            .order_by(note.c.note_number)
        ).scalars()
    )


def targets_of(connection: Connection, submission: Row[Any]) -> list[str]:
    """Return the names of the targets that a submission has values for, sorted."""
    target, own = schema.benchmark_target, schema.submission_target
    named = sa.select(target.c.name).join(own, own.c.target_id == target.c.target_id)
    wanted = named.where(own.c.submission_id == submission.submission_id)
    return list(connection.execute(wanted.order_by(target.c.name)).scalars())


def benchmark_of(connection: Connection, submission: Row[Any]) -> Row[Any]:
    """Return the benchmark of a submission."""
    table = schema.benchmark
    return connection.execute(
        sa.select(table).where(table.c.benchmark_id == submission.benchmark_id)
    ).one()
