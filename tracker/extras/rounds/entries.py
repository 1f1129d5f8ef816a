"""A round's own entries: baselines when it opens, and the combined list when it closes."""

from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import clock, schema, slates
from tracker.errors import InputRefused
from tracker.extras.retrospective import evaluations
from tracker.extras.rounds import questions, reveals
from tracker.extras.rounds.questions import BASELINES, RELATED, Asked, Round
from tracker.progress import Progress, silent
from tracker.slates import freezing
from tracker.slates.frozen import Frozen
from tracker.store import statements
from tracker.store.state import scope

ALL_TEAMS = "all teams"
_NEAR = sa.text("select count(*) from nearness where slate_id = :slate_id and is_candidate")


@dataclass(frozen=True)
class Closed:
    """A closed round: the teams' combined slate, and the deposits without a revealed file."""

    slate_id: UUID
    n_teams: int
    never_revealed: list[str]
    is_new: bool


def freeze_baselines(
    connection: Connection, asked: Asked, progress: Progress = silent
) -> dict[str, Frozen]:
    """Freeze the baselines, fitted on the question's labels; return each by its name."""
    found = {}
    for ranker in BASELINES:
        progress(f"freezing the baseline {ranker}")
        scored = evaluations.score_candidates(
            connection,
            ranker,
            candidates_of=asked.candidates,
            labels=asked.labels,
            progress=progress,
        )
        found[ranker] = freezing.freeze(
            connection,
            candidates=scored,
            labels=asked.labels,
            top_k=asked.top_k,
            description=f"{ranker}, a baseline of round {asked.name}",
            plan=asked.plan,
            replay_as_of=asked.deadline.date() if asked.replay else None,
            embargo_until=asked.embargo_until,
            novel_only=True,
            progress=progress,
        )
    return found


def add_related(
    connection: Connection, found: Round, of_slate: UUID, progress: Progress = silent
) -> None:
    """Freeze the candidates, ranked by the number of related diseases that they are known for.

    Does nothing if no diseases are related. `of_slate` has the same candidates and labels.
    """
    row = slates.find(connection, str(of_slate))
    key = {"slate_id": str(of_slate)}
    with scope.of_slates(connection, row):
        if not connection.execute(_NEAR, key).scalar_one():
            return
        sets = {
            "slate_set_id": row.candidate_set_id,
            "candidate_set_id": found.row.candidate_set_id,
        }
        statements.run(connection, "related_disease_row", {**key, **sets})
    reveals.freeze(
        connection,
        found,
        entry_kind="baseline",
        entry_name=RELATED,
        created_at=found.row.opened_at,
        stated={},
        submitted={},
        progress=progress,
    )


def close(connection: Connection, name: str, progress: Progress = silent) -> Closed:
    """Freeze the mean rank of all teams' entries; no file can be revealed from then on.

    The slate follows from files deposited in time, and has the date of the last of their tokens.
    Raises InputRefused before the deadline, and if no team has an entry.
    """
    found = questions.find(connection, name)
    entry = schema.round_entry
    own = sa.select(entry).where(entry.c.round_id == found.round_id)
    entries = connection.execute(own).all()
    teams = [one for one in entries if one.entry_kind == "team"]
    closed = next((one for one in entries if one.entry_kind == ALL_TEAMS), None)
    left = sorted(
        f"{row.team}: {row.model}"
        for row in connection.execute(
            sa.text(
                "select team, model from deposit_state where round_id = :round_id "
                "and deposit_state in ('sealed', 'never revealed')"
            ),
            {"round_id": found.round_id},
        )
    )
    if closed is not None:
        return Closed(closed.slate_id, len(teams), left, is_new=False)
    if not found.row.is_replay and clock.now(connection) <= found.deadline:
        raise InputRefused(
            f"round '{name}' is open until its deadline, {questions.shown(found.deadline)}"
        )
    if not teams:
        raise InputRefused(f"round '{name}' has no entry of a team; reveal one first")
    deposit, token = schema.round_deposit, schema.timestamp_token
    stamped = connection.execute(
        sa.select(sa.func.max(token.c.generated_at))
        .join(deposit, deposit.c.token_id == token.c.token_id)
        .where(deposit.c.deposit_id.in_([one.deposit_id for one in teams]))
    ).scalar_one()
    given = {
        "round_id": found.round_id,
        "candidate_set_id": found.row.candidate_set_id,
        "top_k": found.question["top_k"],
    }
    statements.run(connection, "all_teams_row", given)
    slate = reveals.freeze(
        connection,
        found,
        entry_kind=ALL_TEAMS,
        entry_name=ALL_TEAMS,
        created_at=stamped,
        stated={"mean_rank_of": sorted(str(one.slate_id) for one in teams)},
        submitted={},
        progress=progress,
    )
    return Closed(slate.slate_id, len(teams), left, is_new=True)
