"""Deposits of a round: the hash of a file of predictions, and a token that dates it.

Nobody sees the file before the deadline. The store must have the hash by then, since whoever kept a
hundred dated hashes secret could reveal the best.
"""

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import clock, schema, temp_tables
from tracker.errors import InputRefused
from tracker.extras.rounds import questions
from tracker.extras.rounds.questions import Round
from tracker.log import timestamp_proofs, timestamps

MOST_CHARACTERS = 100


@dataclass(frozen=True)
class Deposited:
    """A deposit, whether it is new, and the number of the one that it replaces, if any."""

    row: Row[Any]
    is_new: bool
    replaces: int | None = None


def deposit(
    connection: Connection, name: str, token: Path, *, team: str, model: str, sha256: str | None
) -> Deposited:
    """Store the hash in a token, a trusted authority's reply, as a team's deposit.

    A later deposit of the same team and model replaces the one before. Raises InputRefused for a
    token that arrives or is dated after the deadline, has another hash than `sha256` or an
    untrusted authority, for a file that was deposited before, and where the one before is revealed.
    """
    found = questions.find(connection, name)
    for noun, text in (("team", team), ("model", model)):
        _require_name(noun, text)
    _require_team(connection, found, team)
    stated = sha256 or _hash_of(token)
    obtained = timestamps.from_file(token, stated, timestamp_proofs.roots(connection))
    verified = obtained.verified
    if verified is None:
        raise InputRefused(f"{token.name}: {obtained.problem}")
    # Never earlier than the store's contents, even if a clock set back is accepted.
    present = clock.in_order(connection)
    if verified.generated_at > found.deadline:
        raise InputRefused(
            f"late: {token.name} dates the file of {team} to "
            f"{questions.shown(verified.generated_at)}, after the deadline, "
            f"{questions.shown(found.deadline)}"
        )
    if verified.generated_at > present + clock.MAX_AHEAD:
        raise InputRefused(
            f"{token.name} is dated {questions.shown(verified.generated_at)}, and the clock here "
            f"shows {questions.shown(present)}: set it, so that no deposit is back-dated"
        )
    table = schema.round_deposit
    own = sa.select(table).where(
        table.c.round_id == found.round_id, table.c.team == team, table.c.model == model
    )
    last = connection.execute(own.order_by(table.c.deposit_id.desc())).first()
    if last is not None and last.sha256 == stated:
        return Deposited(last, is_new=False)
    if not found.row.is_replay and present > found.deadline:
        raise InputRefused(
            f"late: the deposit of {team} came after the deadline, "
            f"{questions.shown(found.deadline)}, whatever its date: a hash that nobody saw by then "
            "could be one of many"
        )
    if last is not None and is_revealed(connection, last):
        raise InputRefused(
            f"{team} has revealed its deposit of {model}, which no later one can replace; give the "
            "model another name"
        )
    before = of_hash(connection, found, stated)
    if before is not None:
        # Anyone who reads the hash on a page could claim the file.
        raise InputRefused(
            f"the file of SHA-256 {stated[:12]}... was deposited by {before.team} "
            f"({before.model}) on {questions.shown(before.deposited_at)}"
        )
    timestamps.append(connection, verified, obtained.reply)
    token_row = next(
        one
        for one in timestamps.of_hash(connection, stated)
        if one.generated_at == verified.generated_at and one.authority == verified.authority
    )
    number = temp_tables.next_key(connection, table.c.deposit_id)
    connection.execute(
        table.insert(),
        {
            "deposit_id": number,
            "round_id": found.round_id,
            "team": team,
            "model": model,
            "sha256": stated,
            "token_id": token_row.token_id,
            "deposited_at": present,
        },
    )
    row = connection.execute(sa.select(table).where(table.c.deposit_id == number)).one()
    return Deposited(row, is_new=True, replaces=None if last is None else last.deposit_id)


def of_hash(connection: Connection, found: Round, sha256: str) -> Row[Any] | None:
    """Return a round's deposit of a hash, None without one."""
    table = schema.round_deposit
    own = (table.c.round_id == found.round_id) & (table.c.sha256 == sha256)
    return connection.execute(sa.select(table).where(own)).first()


def is_replaced(connection: Connection, deposit: Row[Any]) -> bool:
    """Whether a later deposit of the same team and model replaced it."""
    table = schema.round_deposit
    later = sa.select(table.c.deposit_id).where(
        table.c.round_id == deposit.round_id,
        table.c.team == deposit.team,
        table.c.model == deposit.model,
        table.c.deposit_id > deposit.deposit_id,
    )
    return connection.execute(later).first() is not None


def is_revealed(connection: Connection, deposit: Row[Any]) -> bool:
    """Whether a slate was made of the deposit's file."""
    table = schema.round_entry
    entered = sa.select(table.c.slate_id).where(table.c.deposit_id == deposit.deposit_id)
    return connection.execute(entered).first() is not None


def _hash_of(token: Path) -> str:
    """Return the hash in a token; InputRefused names a file that is not a token."""
    try:
        return timestamps.read(timestamps.read_reply(token)).digest.hex()
    except timestamps.ReplyRefused as error:
        raise InputRefused(f"{token.name}: {error}") from error


def _require_name(noun: str, text: str) -> None:
    """Refuse the name of a team or model that cannot be printed on one line."""
    if not text.strip() or text != text.strip():
        raise InputRefused(f"the name of the {noun} is empty, or has spaces around it")
    if len(text) > MOST_CHARACTERS or not text.isprintable():
        raise InputRefused(
            f"the name of the {noun} has more than {MOST_CHARACTERS} characters, or some that "
            "cannot be printed"
        )


def _require_team(connection: Connection, found: Round, team: str) -> None:
    """Refuse a team whose name, or whose entry's name, could be taken for another's."""
    if ":" in team:
        raise InputRefused("the name of the team has a colon, which comes between it and its model")
    table = schema.round_deposit
    present = sa.select(table.c.team).where(table.c.round_id == found.round_id).distinct()
    for other in connection.execute(present).scalars():
        if other != team and _folded(other) == _folded(team):
            raise InputRefused(f"the team '{other}' takes part already; write its name like that")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
