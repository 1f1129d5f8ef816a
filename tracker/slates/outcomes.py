"""Appends what files claim to the ledger; nothing in the ledger is ever changed or removed."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, FromClause, Row, text

from tracker import files, schema, store, temp_tables
from tracker.files import Column, InputFile
from tracker.slates import resolving
from tracker.slates.loads import Loaded
from tracker.store import statements

OUTCOME_COLUMNS = (
    *resolving.PAIR_COLUMNS,
    Column("outcome_type", choices=schema.OUTCOME_TYPES),
    Column("source"),
    Column("event_date", "date", required=False),
    Column("first_public_on", "date", required=False),
    Column("observed_at", "instant", required=False),
    Column("detail", "json", required=False),
)

_incoming = temp_tables.define(
    "incoming_outcome",
    *("disease_name", "drug_name", "outcome_type", "source", "detail"),
    row_number=sa.BigInteger,
    disease_id=sa.Integer,
    drug_id=sa.Integer,
    event_date=sa.Date,
    first_public_on=sa.Date,
    public_after=sa.Date,
    public_by=sa.Date,
    observed_at=sa.TIMESTAMP(timezone=True),
)

_foreign = sa.table(
    "foreign_outcome", *[sa.column(name) for name in ("row_number", "disease_name", "drug_name")]
)


def load(
    connection: Connection,
    path: Path,
    slate: Row[Any] | None = None,
    *,
    allow_extra: bool = False,
    skip_unknown: bool = False,
    renamed: Mapping[str, str] | None = None,
) -> Loaded:
    """Append the events of a file to the ledger; those already there are left alone.

    They count for every slate with the pair. With `slate`, names are matched through the aliases
    present when it was recorded, or got its candidates, and each pair must be one of its own.
    `renamed` has the column for a name in the file. With `skip_unknown`, rows of drugs and diseases
    that the store does not know are left out. Raises ProblemsFound for an unknown name, a pair that
    the slate neither predicts nor scored, or a date in the future.
    """
    file = files.read(connection, path, OUTCOME_COLUMNS, allow_extra=allow_extra, renamed=renamed)
    until = None if slate is None else _known_by(connection, slate)
    resolved, _ = resolving.resolve_pairs(
        connection, file, file.numbered, create=False, until=until, skip_unknown=skip_unknown
    )
    stage(connection, resolved)
    today = sa.literal(store.now(connection).date())
    for column in ("event_date", "first_public_on"):
        _refuse_future(connection, file, column, today)
    refuse_impossible_times(connection, file)
    if slate is not None:
        _refuse_foreign_pairs(connection, file, slate)
    n_added = append(connection, None, "loaded")
    return Loaded(path.name, n_added, file.n_rows, guessed=file.guessed)


def stage(connection: Connection, rows: FromClause) -> None:
    """Put outcomes with resolved pairs into the temporary table incoming_outcome."""
    temp_tables.refill(connection, _incoming, rows)


def drop_foreign(connection: Connection, slate: Row[Any]) -> int:
    """Drop incoming outcomes of pairs the slate neither predicts nor scored; return how many."""
    _find_foreign(connection, slate)
    is_foreign = _incoming.c.row_number.in_(sa.select(_foreign.c.row_number))
    return connection.execute(_incoming.delete().where(is_foreign)).rowcount


def append(connection: Connection, slate: Row[Any] | None, origin: str) -> int:
    """Append incoming_outcome to the ledger and return how many rows were new.

    They are claims about the world, or with `slate` the claims of its publisher, which count for
    it alone. The rows are stamped with the present; their own time of observation is kept as a
    claim.
    """
    count = sa.select(sa.func.count()).select_from(schema.event)
    before = connection.execute(count).scalar_one()
    statements.run(
        connection,
        "append_claim",
        {
            "slate_id": None if slate is None else str(slate.slate_id),
            "recorded_at": store.now(connection),
            "event_origin": origin,
            "first_id": temp_tables.next_key(connection, schema.event.c.event_id),
        },
    )
    return int(connection.execute(count).scalar_one() - before)


def refuse_impossible_times(connection: Connection, file: InputFile) -> None:
    """Raise ProblemsFound for rows observed in the future, or public by a day before they were."""
    row = _incoming.c
    _refuse_future(connection, file, "observed_at", sa.literal(store.now(connection)))
    reversed_interval = files.cell_problems(
        row.row_number, "public_by", sa.literal("is not after public_after")
    ).where(
        sa.or_(
            row.public_by <= row.public_after,
            row.public_after.is_not(None) & row.public_by.is_(None),
        )
    )
    files.refuse_cells(connection, file, reversed_interval)


def _known_by(connection: Connection, slate: Row[Any]) -> datetime:
    """Return when the slate was recorded, or its candidates were attached: the last names."""
    sets = text("select candidates_attached_at from slate_sets where slate_id = :slate_id")
    attached_at: datetime | None = connection.execute(
        sets, {"slate_id": str(slate.slate_id)}
    ).scalar_one()
    recorded_at: datetime = slate.recorded_at
    return recorded_at if attached_at is None else max(recorded_at, attached_at)


def _refuse_future(
    connection: Connection, file: InputFile, column: str, present: ColumnElement[Any]
) -> None:
    in_future = files.cell_problems(
        _incoming.c.row_number, column, sa.literal("is in the future")
    ).where(_incoming.c[column] > present)
    files.refuse_cells(connection, file, in_future)


def _refuse_foreign_pairs(connection: Connection, file: InputFile, slate: Row[Any]) -> None:
    _find_foreign(connection, slate)
    row = _foreign.c
    message = sa.func.concat(
        "the pair '",
        row.disease_name,
        "', '",
        row.drug_name,
        "' is neither predicted by the slate nor among its candidates",
    )
    files.refuse_cells(connection, file, files.cell_problems(row.row_number, "drug_name", message))


def _find_foreign(connection: Connection, slate: Row[Any]) -> None:
    statements.run(connection, "foreign_outcome", {"slate_id": str(slate.slate_id)})
