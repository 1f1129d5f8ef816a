"""Proves when a slate was frozen: tokens of its SHA-256, obtained, stored and verified again."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.log import timestamps
from tracker.log.timestamps import REQUEST_LIMITS, Obtained, Roots
from tracker.progress import Progress, silent
from tracker.request_limits import RequestLimits
from tracker.rows import Rows

CLAIMED = "date claimed"

_PROOFS = sa.text(
    "select token_id from slate_proof where slate_id = :slate_id order by generated_at, token_id"
)


@dataclass(frozen=True)
class Proof:
    """What the tokens of a slate say of its freeze; `problems` names those that are not sound."""

    words: str
    problems: tuple[str, ...] = ()


def roots(connection: Connection) -> Roots:
    """Return the certificates that are trusted in a store."""
    return {one.root_sha256: one.certificate for one in timestamps.pinned(connection)}


def obtain(
    connection: Connection,
    sha256: str,
    urls: Sequence[str] = (),
    *,
    token: Path | None = None,
    limits: RequestLimits = REQUEST_LIMITS,
    progress: Progress = silent,
) -> list[Obtained]:
    """Ask authorities for tokens of a hash, or read one from a file; none is stored yet.

    The hash is a slate's, or that of a head of the log, which proves every slate that it covers.

    Without `urls` the public ones are asked. An authority that fails does not stop the others; its
    problem is returned. Raises InputRefused for what is no address, and for a file without a token.
    """
    trusted = roots(connection)
    if token is not None:
        return [timestamps.from_file(token, sha256, trusted)]
    asked = urls or timestamps.PUBLIC
    timestamps.require_urls(asked)
    return list(timestamps.obtain(asked, sha256, trusted, limits, progress))


def record(connection: Connection, obtained: Iterable[Obtained]) -> int:
    """Store the tokens that were obtained; return how many are new."""
    return sum(
        timestamps.append(connection, one.verified, one.reply, one.url)
        for one in obtained
        if one.verified is not None
    )


def of_slate(connection: Connection, slate: Row[Any], trusted: Roots) -> Proof:
    """Verify the tokens of a slate again and return what they prove."""
    found = connection.execute(_PROOFS, {"slate_id": str(slate.slate_id)}).scalars().all()
    tokens = {token.token_id: token for token in timestamps.stored(connection)}
    checked = [timestamps.check(tokens[token_id], trusted) for token_id in found]
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
    """Return what a token proves of a slate, in words."""
    return f"frozen {_no_later(generated_at, authority)}"


def published_by(generated_at: datetime, authority: str) -> str:
    """Return what a token of the head that covers a publication proves, in words."""
    return f"published {_no_later(generated_at, authority)}"


def _no_later(generated_at: datetime, authority: str) -> str:
    """Return an instant as a bound: the second is rounded up."""
    instant = generated_at.astimezone(UTC)
    whole = instant.replace(microsecond=0) + timedelta(seconds=math.ceil(instant.microsecond / 1e6))
    return f"no later than {whole:%Y-%m-%d %H:%M:%S} UTC, by {authority}"


def rows_of(obtained: Iterable[Obtained]) -> Rows:
    """Return what each authority stated, or its problem."""
    columns = ["url", "authority", "generated_at", "root_sha256", "problem"]
    return Rows(
        columns,
        [
            (one.url, *[getattr(one.verified, name, None) for name in columns[1:4]], one.problem)
            for one in obtained
        ],
    )


def listed(connection: Connection) -> Rows:
    """Return the tokens, each with the slate that it is of and the name of its root, if any."""
    slate, token = schema.slate, schema.timestamp_token
    names = {root.root_sha256: root.name for root in timestamps.pinned(connection)}
    found = connection.execute(
        sa.select(token, slate.c.slate_id)
        .outerjoin(slate, slate.c.content_sha256 == token.c.sha256)
        .order_by(token.c.token_id)
    )
    columns = ["token_id", "slate_id", "sha256", "generated_at", "authority", "root"]
    values = [
        (
            row.token_id,
            None if row.slate_id is None else str(row.slate_id),
            row.sha256,
            row.generated_at,
            row.authority,
            names.get(row.root_sha256),
        )
        for row in found
    ]
    return Rows(columns, values)


def listed_roots(connection: Connection) -> Rows:
    """Return the trusted roots; those without an instant are public ones."""
    columns = ["root_sha256", "name", "added_at"]
    found = timestamps.pinned(connection)
    return Rows(columns, [tuple(getattr(one, name) for name in columns) for one in found])


def _problem(one: timestamps.Checked) -> str:
    return f"token {one.token.token_id} by {one.token.authority}: {one.problem}"
