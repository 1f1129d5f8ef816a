"""Reveals of a round: a file of predictions, identified by its hash, becomes a slate."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import clock, files, schema, temp_tables
from tracker.errors import InputRefused
from tracker.extras.rounds import deposits, questions
from tracker.extras.rounds.questions import Round
from tracker.files import Survey
from tracker.progress import Progress, silent
from tracker.slates import freezing, loads, plans, resolving
from tracker.slates.frozen import Slate
from tracker.store import sealed_sets, statements
from tracker.version import VERSION

# The rows of a submission with the numbers of disease and drug, ranked as candidates are.
submission_row = sa.Table(
    "submission_row",
    sa.MetaData(),
    sa.Column("row_number", sa.BigInteger),
    sa.Column("candidate_set_id", sa.Integer),
    sa.Column("disease_id", sa.Integer),
    sa.Column("drug_id", sa.Integer),
    sa.Column("score", sa.Double),
    prefixes=["TEMPORARY"],
)


@dataclass(frozen=True)
class Revealed:
    """A team's slate; it lacks `n_left_out` diseases of the round, which count as misses."""

    slate_id: uuid.UUID
    name: str
    n_predictions: int
    n_left_out: int
    is_new: bool


def reveal(connection: Connection, name: str, path: Path, progress: Progress = silent) -> Revealed:
    """Store a deposited file as a slate of the round, dated by the token of its hash.

    Raises ProblemsFound with file, row and column for pairs outside the round, repeated pairs and
    lists filled in part; InputRefused before the deadline, and for a file that was not deposited or
    whose deposit was replaced.
    """
    found = questions.find(connection, name)
    files.require_file(path)
    sha256 = files.sha256_of(path)
    deposit = deposits.of_hash(connection, found, sha256)
    if deposit is None:
        raise InputRefused(
            f"{path.name}: has SHA-256 {sha256[:12]}..., which no team deposited in round '{name}'"
        )
    own_name = f"{deposit.team}: {deposit.model}"
    entry = schema.round_entry
    own = sa.select(entry).where(entry.c.deposit_id == deposit.deposit_id)
    known = connection.execute(own).first()
    if known is not None:
        return Revealed(known.slate_id, own_name, 0, 0, is_new=False)
    if deposits.is_replaced(connection, deposit):
        raise InputRefused(
            f"{path.name}: {deposit.team} replaced this deposit of {deposit.model} by a later one"
        )
    present = clock.now(connection)
    if not found.row.is_replay and present <= found.deadline:
        raise InputRefused(
            f"{path.name}: can be revealed after the deadline, {questions.shown(found.deadline)}"
        )
    require_open(connection, found)
    survey = read(connection, found.row.candidate_set_id, path, progress)
    sets = (found.row.candidate_set_id, found.row.label_set_id)
    n_left_out = keep_novel(connection, survey, found.question["top_k"], *sets)
    token = schema.timestamp_token
    stamped = connection.execute(
        sa.select(token.c.generated_at).where(token.c.token_id == deposit.token_id)
    ).scalar_one()
    frozen = freeze(
        connection,
        found,
        entry_kind="team",
        entry_name=own_name,
        created_at=stamped,
        stated={"team": deposit.team, "model": deposit.model},
        submitted={path.name: sha256},
        deposit_id=deposit.deposit_id,
        progress=progress,
    )
    return Revealed(frozen.slate_id, own_name, frozen.n_predictions, n_left_out, is_new=True)


def read(
    connection: Connection, candidate_set_id: int, path: Path, progress: Progress = silent
) -> Survey:
    """Read a file into submission_row; return the problems of single rows.

    Raises ProblemsFound for cells and names that cannot be read.
    """
    progress(f"checking every row of {path.name}")
    file = files.read(connection, path, loads.CANDIDATE_COLUMNS, allow_extra=True)
    pairs, _ = resolving.resolve_pairs(connection, file, file.numbered, create=False)
    own = sa.literal(candidate_set_id).label("candidate_set_id")
    names = ("row_number", "disease_id", "drug_id", "score")
    numbered = sa.select(own, *[pairs.c[one] for one in names]).subquery("numbered")
    temp_tables.refill(connection, submission_row, numbered)
    survey = Survey(file.table)
    survey.note(connection, statements.problems("repeated_pair"))
    foreign = statements.problems("foreign_pair", candidate_set_id=candidate_set_id)
    survey.note(connection, foreign)
    return survey


def keep_novel(
    connection: Connection, survey: Survey, top_k: int, candidate_set_id: int, label_set_id: int
) -> int:
    """Drop the pairs that a question's labels know; return how many diseases have no row left.

    Raises ProblemsFound with the problems noted so far and the lists filled in part.
    """
    label, row = schema.labeled_pair, submission_row.c
    known = sa.exists().where(
        label.c.label_set_id == label_set_id,
        label.c.label > 0,
        label.c.disease_id == row.disease_id,
        label.c.drug_id == row.drug_id,
    )
    connection.execute(sa.delete(submission_row).where(known))
    sets = {"candidate_set_id": candidate_set_id, "label_set_id": label_set_id}
    survey.note(connection, statements.problems("short_list", top_k=top_k, **sets))
    survey.refuse()
    return len(statements.run(connection, "left_out_disease", sets).all())


def freeze(
    connection: Connection,
    found: Round,
    *,
    entry_kind: str,
    entry_name: str,
    created_at: datetime,
    stated: Mapping[str, Any],
    submitted: Mapping[str, str],
    deposit_id: int | None = None,
    progress: Progress = silent,
) -> Slate:
    """Store the rows of submission_row as a slate and an entry of a round.

    It has the question's plan, length and embargo, and the date `created_at`; in a replay, which is
    made now, the day of the deadline. Raises CheckFailed if a file of the round's candidates is not
    as it was sealed.
    """
    question, row = found.question, found.row
    sealed_sets.require_unaltered(connection, row.candidate_set_id)
    plan = plans.given(question["plan"])
    sets = {
        name: connection.execute(
            sa.select(table).where(table.c[f"{table.name}_id"] == getattr(row, f"{table.name}_id"))
        ).one()
        for name, table in (("candidates", schema.candidate_set), ("labels", schema.label_set))
    }
    present = clock.now(connection)
    embargo = question["embargo_until"]
    slate = Slate(
        slate_id=uuid.uuid4(),
        created_at=present if row.is_replay else created_at,
        frozen_on=(found.deadline if row.is_replay else created_at).date(),
        description=f"{entry_name}, in round {found.name}",
        model_version=entry_name,
        parameters={
            "candidates": sets["candidates"].name,
            "labels": sets["labels"].name,
            "top_k": question["top_k"],
            "min_score": None,
            "diseases": [],
            "tiers": plan.tiers,
            "round": found.name,
            "question_sha256": row.question_sha256,
            **stated,
            **({} if embargo is None else {"embargo_until": embargo}),
        },
        fingerprint={"tracker": VERSION, "files": dict(submitted)},
        n_predictions=0,
        plan=plan.document,
        is_replay=row.is_replay,
        candidate_sha256=sets["candidates"].sha256,
        label_sha256=sets["labels"].sha256,
    )
    frozen = freezing.record_ranked(
        connection,
        slate,
        origin="imported",
        recorded_at=clock.in_order(connection, present),
        set_ids={"candidate_set_id": row.candidate_set_id, "label_set_id": row.label_set_id},
        scored_in=submission_row.name,
        progress=progress,
    )
    enter(connection, found, frozen.slate.slate_id, entry_kind, entry_name, deposit_id)
    return frozen.slate


def enter(
    connection: Connection,
    found: Round,
    slate_id: uuid.UUID,
    entry_kind: str,
    entry_name: str,
    deposit_id: int | None = None,
) -> None:
    """Make a stored slate an entry of a round."""
    connection.execute(
        schema.round_entry.insert(),
        {
            "slate_id": slate_id,
            "round_id": found.round_id,
            "entry_kind": entry_kind,
            "entry_name": entry_name,
            "deposit_id": deposit_id,
            "entered_at": clock.now(connection),
        },
    )


def require_open(connection: Connection, found: Round) -> None:
    """Raise InputRefused if a round is closed, since the combined list is frozen."""
    table = schema.round_entry
    closed = sa.select(table.c.slate_id).where(
        table.c.round_id == found.round_id, table.c.entry_kind == "all teams"
    )
    if connection.execute(closed).first() is not None:
        raise InputRefused(f"round '{found.name}' is closed: no file can be revealed any more")
