"""Appends outcomes to the ledger; nothing in the ledger is ever changed or removed."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, FromClause, Row

from tracker import files, store
from tracker.files import Column, InputFile, Survey
from tracker.slates.loads import PAIR_COLUMNS, Loaded, resolve_pairs
from tracker.store import filling, keys, schema, statements

OUTCOME_TYPES = ("first_trial_seen", "phase_advanced", "fda_approved", "status_transition")
OUTCOME_COLUMNS = (
    *PAIR_COLUMNS,
    Column("outcome_type", choices=OUTCOME_TYPES),
    Column("source"),
    Column("event_date", "date", required=False),
    Column("first_public_on", "date", required=False),
    Column("observed_at", "instant", required=False),
    Column("detail", "json", required=False),
)

_incoming = sa.Table(
    "incoming_outcome",
    sa.MetaData(),
    sa.Column("row_number", sa.BigInteger),
    sa.Column("disease_id", sa.Integer),
    sa.Column("drug_id", sa.Integer),
    sa.Column("disease_name", sa.String),
    sa.Column("drug_name", sa.String),
    sa.Column("outcome_type", sa.String),
    sa.Column("event_date", sa.Date),
    sa.Column("first_public_on", sa.Date),
    sa.Column("source", sa.String),
    sa.Column("detail", sa.String),
    sa.Column("observed_at", sa.TIMESTAMP(timezone=True)),
    prefixes=["TEMPORARY"],
)

_foreign = sa.table(
    "foreign_outcome", *[sa.column(name) for name in ("row_number", "disease_name", "drug_name")]
)


def load(
    connection: Connection, path: Path, slate: Row[Any], *, allow_extra: bool = False
) -> Loaded:
    """Append the outcomes of a file to a slate's ledger; those already there are left alone.

    Names are matched through the aliases present when the slate was recorded. Raises
    ProblemsFound for a pair neither predicted nor a candidate, or a future instant.
    """
    file = files.read(connection, path, OUTCOME_COLUMNS, allow_extra=allow_extra)
    pairs, _ = resolve_pairs(connection, file, file.numbered, create=False, until=slate.recorded_at)
    stage(connection, pairs)
    refuse_future(connection, file)
    _refuse_foreign_pairs(connection, file, slate)
    return Loaded(path.name, append(connection, slate, "loaded"), file.n_rows)


def stage(connection: Connection, rows: FromClause) -> None:
    """Put outcomes with resolved pairs into the temporary table incoming_outcome."""
    filling.refill(connection, _incoming, rows)


def drop_foreign(connection: Connection, slate: Row[Any]) -> int:
    """Drop incoming outcomes of pairs the slate neither predicts nor scored; return how many."""
    _find_foreign(connection, slate)
    is_foreign = _incoming.c.row_number.in_(sa.select(_foreign.c.row_number))
    return connection.execute(_incoming.delete().where(is_foreign)).rowcount


def append(connection: Connection, slate: Row[Any], origin: str) -> int:
    """Append incoming_outcome to the slate's ledger and return how many rows were new.

    The rows are stamped with the present; their own time of observation is kept as a claim.
    """
    count = sa.select(sa.func.count()).select_from(schema.outcome)
    before = connection.execute(count).scalar_one()
    statements.run(
        connection,
        "append_outcome",
        {
            "slate_id": str(slate.slate_id),
            "recorded_at": store.now(connection),
            "outcome_origin": origin,
            "first_id": keys.next_key(connection, schema.outcome.c.outcome_id),
        },
    )
    return int(connection.execute(count).scalar_one() - before)


def refuse_future(connection: Connection, file: InputFile) -> None:
    """Raise ProblemsFound if incoming_outcome has rows observed in the future."""
    row = _incoming.c
    in_future = files.cell_problems(row.row_number, "observed_at", sa.literal("is in the future"))
    survey = Survey(file.table)
    survey.note(connection, in_future.where(row.observed_at > store.now(connection)))
    survey.refuse()


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
    survey = Survey(file.table)
    survey.note(connection, files.cell_problems(row.row_number, "drug_name", message))
    survey.refuse()


def _find_foreign(connection: Connection, slate: Row[Any]) -> None:
    statements.run(
        connection,
        "foreign_outcome",
        {"slate_id": str(slate.slate_id), "candidate_set_id": slate.candidate_set_id},
    )
