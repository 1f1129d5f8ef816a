"""Tokens in exports: written beside the slate, and verified against the importing store's roots.

The root certificates in an export are for readers who verify by hand; an import does not trust
them.
"""

import contextlib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row

from tracker.errors import CheckFailed, InputRefused
from tracker.files import fields
from tracker.log import timestamp_proofs, timestamps
from tracker.log.timestamps import ReplyRefused, RootNotPinned, Roots, Verified

FOLDER = "timestamps"
ROOTS = "roots.pem"
# What an export has in the folder.
OWN_NAME = re.compile(r"(head-)?[0-9]{1,6}\.tsr|roots\.pem")
_OF_HEAD = "head-"

ENTRY = fields.record(
    {
        "file": fields.text(
            f"{FOLDER}/ and the name of a reply", lambda name: name if _is_own(name) else None
        ),
        "sha256": fields.SHA256,
        "authority": fields.TEXT,
        "generated_at": fields.INSTANT,
        "url": fields.OPTIONAL_TEXT,
    }
)


@dataclass(frozen=True)
class Taken:
    """The tokens in an export: those that prove the slate, and those that were not checked."""

    proved: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


def write(connection: Connection, slate: Row[Any], folder: Path) -> list[dict[str, Any]]:
    """Write the replies and roots of a slate's tokens; return their entries in the manifest."""
    return _write(connection, slate.content_sha256, folder, "")


def write_of_head(connection: Connection, head_sha256: str, folder: Path) -> None:
    """Write the replies and roots of the tokens of a log's head, for readers."""
    _write(connection, head_sha256, folder, _OF_HEAD)


def _write(connection: Connection, sha256: str, folder: Path, prefix: str) -> list[dict[str, Any]]:
    tokens = timestamps.of_hash(connection, sha256)
    if not tokens:
        return []
    (folder / FOLDER).mkdir(exist_ok=True)
    entries = []
    for number, token in enumerate(tokens, start=1):
        try:
            reply = timestamps.reply_of(token)
        except ReplyRefused as error:
            raise CheckFailed(f"token {token.token_id} by {token.authority}: {error}") from error
        name = f"{FOLDER}/{prefix}{number}.tsr"
        (folder / name).write_bytes(reply)
        entries.append(
            {
                "file": name,
                "sha256": hashlib.sha256(reply).hexdigest(),
                "authority": token.authority,
                "generated_at": token.generated_at.astimezone(UTC).isoformat(),
                "url": token.url,
            }
        )
    used = {token.root_sha256 for token in tokens}
    roots = [root for root in timestamps.pinned(connection) if root.root_sha256 in used]
    path = folder / FOLDER / ROOTS
    present = path.read_text(encoding="ascii") if path.exists() else ""
    new = [root.pem for root in roots if root.pem not in present]
    path.write_text("".join([present, *new]), encoding="ascii")
    return entries


def take(
    connection: Connection, folder: Path, sha256: str, entries: Sequence[Mapping[str, Any]]
) -> Taken:
    """Store the tokens of an export that verify against the roots trusted here.

    Raises CheckFailed if one was altered or is of another hash, InputRefused if its file is absent.
    """
    trusted = timestamp_proofs.roots(connection)
    given: Roots = {}
    if entries:
        # A file of no use gives none.
        with contextlib.suppress(InputRefused):
            given = timestamps.by_sha256(timestamps.read_roots(folder / FOLDER / ROOTS))
    proved, unchecked = [], []
    for entry in entries:
        name = entry["file"]
        reply = timestamps.read_reply(folder / name)
        if hashlib.sha256(reply).hexdigest() != entry["sha256"]:
            raise _altered(folder, f"{name} does not have the SHA-256 in the manifest")
        try:
            verified = _verified(reply, sha256, trusted, given)
            found = timestamps.read(reply)
        except ReplyRefused as error:
            raise _altered(folder, f"{name} {error}") from error
        if (found.authority, found.generated_at) != (
            entry["authority"],
            fields.instant(entry["generated_at"]),
        ):
            raise _altered(folder, f"{name} does not say what the manifest says of it")
        if isinstance(verified, RootNotPinned):
            unchecked.append(
                f"the token of {verified.authority} was not checked: its root ({verified.root}) is "
                "not trusted here; if you trust it, get its certificate from the authority, run "
                "'tracker timestamp trust FILE --name NAME' and import again"
            )
        else:
            timestamps.append(connection, verified, reply, entry["url"])
            proved.append(timestamp_proofs.frozen_by(verified.generated_at, verified.authority))
    return Taken(tuple(proved), tuple(unchecked))


def _is_own(name: str) -> bool:
    folder, _, file = name.partition("/")
    is_own = file != ROOTS and not file.startswith(_OF_HEAD) and OWN_NAME.fullmatch(file)
    return folder == FOLDER and bool(is_own)


def _verified(reply: bytes, sha256: str, trusted: Roots, given: Roots) -> Verified | RootNotPinned:
    """Verify a token against the trusted roots, or else return that its root is none of them.

    Raises ReplyRefused for one that does not even verify against the roots that came with it.
    """
    try:
        return timestamps.verify(reply, sha256, trusted)
    except RootNotPinned as error:
        with contextlib.suppress(RootNotPinned):
            timestamps.verify(reply, sha256, given)
        return error


def _altered(folder: Path, how: str) -> CheckFailed:
    return CheckFailed(f"{folder}: the export was altered: {how}")
