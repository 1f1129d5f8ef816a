"""Proves when a slate was frozen: tokens of its SHA-256, obtained, stored and verified again."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import timestamps
from tracker.store import schema
from tracker.timestamps import Obtained, Patience, Roots

CLAIMED = "date claimed"


@dataclass(frozen=True)
class Proof:
    """What the tokens of a slate say of its freeze; `problems` names those that are not sound."""

    words: str
    problems: tuple[str, ...] = ()


def roots(connection: Connection) -> Roots:
    """Return the certificates that are trusted in a store."""
    return timestamps.certificates(timestamps.pinned(connection))


def obtain(
    connection: Connection,
    slate: Row[Any],
    urls: Sequence[str],
    patience: Patience | None = None,
) -> list[Obtained]:
    """Ask authorities for tokens of a slate; none is stored yet."""
    found = timestamps.obtain(urls, slate.content_sha256, roots(connection), patience)
    return list(found)


def record(connection: Connection, obtained: Iterable[Obtained]) -> int:
    """Store the tokens that were obtained; return how many are new."""
    return sum(
        timestamps.append(connection, one.verified, one.reply, one.url)
        for one in obtained
        if one.verified is not None
    )


def of_slate(connection: Connection, slate: Row[Any], trusted: Roots) -> Proof:
    """Verify the tokens of a slate again and return what they prove."""
    checked = [
        timestamps.check(token, trusted)
        for token in timestamps.of_hash(connection, slate.content_sha256)
    ]
    sound = [one.token for one in checked if one.problem is None and one.is_trusted]
    words = [frozen_by(sound[0].generated_at, sound[0].authority) if sound else CLAIMED]
    words += [
        f"token {one.token.token_id} by {one.token.authority} is not checked: its root "
        f"{one.token.root_sha256[:12]}... is no longer trusted here"
        for one in checked
        if one.problem is None and not one.is_trusted
    ]
    return Proof("; ".join(words), tuple(_problem(one) for one in checked if one.problem))


def of_other_hashes(connection: Connection) -> list[str]:
    """Verify the tokens of hashes that are no slate's; return what is not sound."""
    slate, trusted = schema.slate, roots(connection)
    own = set(connection.execute(sa.select(slate.c.content_sha256)).scalars())
    checked = [
        timestamps.check(token, trusted)
        for token in timestamps.stored(connection)
        if token.sha256 not in own
    ]
    return [_problem(one) for one in checked if one.problem]


def frozen_by(generated_at: datetime, authority: str) -> str:
    """Return what a token proves of a slate, in words; the second is rounded up, as a bound."""
    instant = generated_at.astimezone(UTC)
    whole = instant.replace(microsecond=0) + timedelta(seconds=math.ceil(instant.microsecond / 1e6))
    return f"frozen no later than {whole:%Y-%m-%d %H:%M:%S} UTC, by {authority}"


def _problem(one: timestamps.Checked) -> str:
    return f"token {one.token.token_id} by {one.token.authority}: {one.problem}"
