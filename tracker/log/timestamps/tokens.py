"""The table timestamp_token: verified tokens, appended, read, and verified again."""

import base64
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import clock, schema, temp_tables
from tracker.log.timestamps.replies import ReplyRefused, read
from tracker.log.timestamps.verifying import RootNotPinned, Roots, Verified, verify

_NO_BASE64 = "its reply is not Base64"


@dataclass(frozen=True)
class Checked:
    """A stored token, verified again: `problem` says how it is not as it was stored.

    Without its root among the pinned ones, `is_trusted` is False and the signature was not
    verified.
    """

    token: Row[Any]
    problem: str | None = None
    is_trusted: bool = True


def append(
    connection: Connection, verified: Verified, reply: bytes, url: str | None = None
) -> bool:
    """Store a verified token; return False if the store has it already."""
    table = schema.timestamp_token
    same = sa.select(table.c.token_id).where(
        table.c.sha256 == verified.sha256,
        table.c.generated_at == verified.generated_at,
        table.c.authority == verified.authority,
    )
    if connection.execute(same).first() is not None:
        return False
    connection.execute(
        table.insert(),
        {
            "token_id": temp_tables.next_key(connection, table.c.token_id),
            "sha256": verified.sha256,
            "generated_at": verified.generated_at,
            "authority": verified.authority,
            "root_sha256": verified.root_sha256,
            "url": url,
            "reply": base64.b64encode(reply).decode(),
            "recorded_at": clock.now(connection),
        },
    )
    return True


def stored(connection: Connection) -> list[Row[Any]]:
    """Return every token, in the order in which they were stored."""
    table = schema.timestamp_token
    return list(connection.execute(sa.select(table).order_by(table.c.token_id)))


def of_hash(connection: Connection, sha256: str) -> list[Row[Any]]:
    """Return the tokens of a hash, the earliest first."""
    table = schema.timestamp_token
    of_it = sa.select(table).where(table.c.sha256 == sha256)
    return list(connection.execute(of_it.order_by(table.c.generated_at, table.c.token_id)))


def reply_of(token: Row[Any]) -> bytes:
    """Return the reply as the authority sent it; raises ReplyRefused if it is not Base64."""
    try:
        return base64.b64decode(token.reply, validate=True)
    except ValueError as error:
        raise ReplyRefused(_NO_BASE64) from error


def check(token: Row[Any], roots: Roots) -> Checked:
    """Verify a stored token again, offline, and compare its columns with the reply."""
    is_pinned = token.root_sha256 in roots
    used = {token.root_sha256: roots[token.root_sha256]} if is_pinned else roots
    try:
        reply = reply_of(token)
        found = read(reply)
        stated = {"generated_at": found.generated_at, "authority": found.authority}
        altered = [name for name, value in stated.items() if getattr(token, name) != value]
        try:
            verify(reply, token.sha256, used)
        except RootNotPinned:
            if is_pinned:
                altered.append("root_sha256")
        else:
            if not is_pinned:
                altered.append("root_sha256")
    except ReplyRefused as error:
        return Checked(token, str(error))
    if altered:
        return Checked(token, f"{altered[0]} was altered: it is not what the reply says")
    return Checked(token, is_trusted=is_pinned)
