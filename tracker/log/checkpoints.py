"""Checkpoints: the head of a log as other logs of this kind write it, signed and co-signed.

A checkpoint (c2sp.org/tlog-checkpoint) is a signed note of three lines: the name of the log, the
number of its entries, the root of their tree. A witness co-signs it after it has verified that the
log only grew since the last checkpoint that it saw. So a log cannot have two histories that are
both co-signed by a witness who keeps what it saw.

A checkpoint that proves growth begins with the lines of a request to a witness
(c2sp.org/tlog-witness): the number of entries since when, and the hashes of the proof.
"""

import base64
import contextlib
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from sqlalchemy import Connection

from tracker import clock, replacing
from tracker.errors import DEFAULT_WAIT_SECONDS, CheckFailed, InputRefused, StoreBusy
from tracker.files import fields
from tracker.log import merkle, signed_notes, tree_proofs
from tracker.log.signed_notes import Note, SigningKey, VerifierKey

# From one entry, and within 63 bits.
_SIZE = r"[1-9][0-9]{0,17}"
_REQUEST = re.compile(rf"old ({_SIZE})\n((?:[^\n]+\n)*)\n")
# Fewer than the digits of a number of entries can ask for.
_MAX_STEPS = 63
_N_LINES = 3


@dataclass(frozen=True)
class Checkpoint:
    """A file that states the root of a log; `path` is said to prove growth since `since` entries.

    Neither its signatures nor the proof are verified yet.
    """

    place: str
    note: Note
    origin: str
    n_entries: int
    root: bytes
    since: int | None = None
    path: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Witnessed:
    """A checkpoint with a further co-signature, and what the witness compared it with."""

    note: Note
    compared: str


def read(path: Path) -> Checkpoint:
    """Return the checkpoint in a file; InputRefused if there is none."""
    place, content = path.name, signed_notes.read_text(path)
    request = _REQUEST.match(content)
    note = Note.parse(place, content[request.end() :] if request else content)
    lines = note.text[:-1].split("\n")
    origin, size, root, *more = [*lines, *[""] * (_N_LINES - len(lines))]
    hashed = signed_notes.hash_of(root)
    if not signed_notes.is_name(origin):
        _refuse(place, f"its first line, {fields.shown(origin)}, is not the name of a log")
    if not re.fullmatch(_SIZE, size):
        _refuse(place, f"its second line, {fields.shown(size)}, is not a number of entries")
    if hashed is None:
        _refuse(place, f"its third line, {fields.shown(root)}, is not a SHA-256 in base64")
    if not all(more):
        _refuse(place, "it has an empty line before those of its signatures")
    if request is None:
        return Checkpoint(place, note, origin, int(size), hashed)
    return Checkpoint(
        place, note, origin, int(size), hashed, int(request[1]), _path(place, request[2])
    )


def signed(connection: Connection, key: SigningKey, since: Path | None = None) -> str:
    """Return the latest head of the store as a checkpoint, signed; the log has the key's name.

    With `since`, an earlier checkpoint by this key, it proves that the log only grew since then.
    Raises CheckFailed if the log is not as it was sealed or does not begin with the earlier one.
    """
    head = tree_proofs.latest_head(connection)
    leaves = tree_proofs.leaves(connection, head.n_entries)
    tree_proofs.require_root(leaves, head)
    text = f"{key.name}\n{head.n_entries}\n{_base64(bytes.fromhex(head.root_sha256))}\n"
    note = str(Note(text, (key.sign(text),)))
    if since is None:
        return note
    earlier = read(since)
    _require_owner(earlier, key.verifier)
    _require_in_store(connection, earlier)
    (path,) = merkle.consistency_paths(leaves, [earlier.n_entries])
    proof = "".join(f"{_base64(step)}\n" for step in path)
    return f"old {earlier.n_entries}\n{proof}\n{note}"


def witness(
    path: Path, owner: VerifierKey, key: SigningKey, seen: Path, wait: float = DEFAULT_WAIT_SECONDS
) -> Witnessed:
    """Return the checkpoint of another log, co-signed; it is then the last of its log in `seen`.

    Raises CheckFailed if it is not signed by its owner, or the log did not only grow since the
    last checkpoint there; InputRefused if nothing proves that it did; StoreBusy if another process
    uses the folder for longer than `wait` seconds. Then the folder stays as it was.
    """
    found = read(path)
    _require_owner(found, owner)
    if key.name == owner.name or key.verifier.public_key == owner.public_key:
        raise InputRefused(
            f"{found.place}: is of the log of this key, {key.name}; a witness has a key and a name "
            "of its own"
        )
    kept = seen / f"{hashlib.sha256(found.origin.encode()).hexdigest()}.txt"
    with _locked(seen, wait):
        compared = _compared(found, kept, key)
        cosigned = found.note.with_signature(key.cosign(found.note.text, clock.read()))
        content = str(cosigned).encode()
        if len(content) > signed_notes.MAX_BYTES:
            # It could not be read again, and every later checkpoint would be refused.
            raise InputRefused(f"{found.place}: is too long for one more signature")
        # Kept before it is given away: a witness that forgets could co-sign a second history.
        with replacing.file(kept) as part:
            part.write_bytes(content)
    return Witnessed(cosigned, compared)


def verify(connection: Connection | None, path: Path, keys: Sequence[VerifierKey]) -> list[str]:
    """Return what a checkpoint proves, in a line each: every key signed or co-signed it.

    The key with the name of the log is that of its owner, the others are those of witnesses. A
    connection is to the store of the log. Raises CheckFailed, naming the file, if a signature is
    missing or does not verify, or if the log of the store does not begin with these entries.
    """
    found = read(path)
    if not keys:
        raise InputRefused(
            f"{found.place}: is a checkpoint; give the keys of its log and its witnesses (--vkey)"
        )
    if len({key.public_key for key in keys}) < len(keys):
        # A co-signature does not cover the name of its key: two names would count it twice.
        raise InputRefused(f"{found.place}: two of the verifier keys are the same")
    owners = [key for key in keys if key.name == found.origin] or [keys[0]]
    for owner in owners:
        _require_owner(found, owner)
    said = [
        f"the log {found.origin} had {found.n_entries:,} entries with the root {found.root.hex()}"
    ]
    for key in keys:
        if key not in owners:
            instant = found.note.require_cosignature(found.place, key)
            said.append(f"co-signed by {key.name} on {clock.shown(instant)}")
    if connection is not None:
        _require_in_store(connection, found)
        said.append(tree_proofs.later(connection, "these entries", found.n_entries))
    return said


def _require_owner(found: Checkpoint, owner: VerifierKey) -> None:
    # One key for two names would let its owner keep two histories, each with a witness.
    if owner.name != found.origin:
        raise CheckFailed(
            f"{found.place}: is of the log {found.origin}, and the key is of {owner.name}"
        )
    found.note.require_signature(found.place, owner)


def _require_in_store(connection: Connection, found: Checkpoint) -> None:
    tree_proofs.require_first_entries(
        connection, found.n_entries, found.root.hex(), "that checkpoint", found.place
    )


def _compared(found: Checkpoint, kept: Path, key: SigningKey) -> str:
    """Return what a checkpoint was compared with; raises if the log did not only grow since."""
    if not kept.exists():
        return f"the first checkpoint of {found.origin} seen: nothing to compare it with"
    last = read(kept)
    # The witness's own word: whoever alters the file cannot make it.
    instant = clock.shown(last.note.require_cosignature(kept.name, key.verifier))
    if last.origin != found.origin:
        raise CheckFailed(f"{kept.name}: is of the log {last.origin}; it was moved here")
    as_seen = f"the {last.n_entries:,} entries seen on {instant}"
    both = f"keep it and {kept}, which prove it"
    if found.n_entries < last.n_entries:
        raise CheckFailed(
            f"{found.place}: has {found.n_entries:,} entries, fewer than {as_seen}: it is an "
            "earlier checkpoint, or the log shrank"
        )
    if found.n_entries == last.n_entries:
        if found.root != last.root:
            raise CheckFailed(
                f"{found.place}: has another root than {as_seen}: the log has two histories; {both}"
            )
    elif found.since != last.n_entries:
        raise InputRefused(
            f"{found.place}: does not prove that the log only grew since {as_seen}; ask for "
            "'tracker log checkpoint --from' the checkpoint of then"
        )
    elif not merkle.is_consistent(
        last.n_entries, last.root, found.n_entries, found.root, found.path
    ):
        raise CheckFailed(
            f"{found.place}: its proof does not hold: the log does not begin with {as_seen}; {both}"
        )
    return f"the log {found.origin} begins with {as_seen}"


@contextlib.contextmanager
def _locked(seen: Path, wait: float) -> Iterator[None]:
    """Make the folder if it is absent, and keep other processes from using it."""
    # It imports sqlite3 and asyncio.
    from filelock import FileLock, Timeout

    if not seen.parent.is_dir():
        raise InputRefused(f"{seen.parent}: no such folder")
    replacing.make_folder(seen)
    try:
        with FileLock(seen / ".lock", timeout=wait):
            yield
    except Timeout:
        raise StoreBusy(f"{seen} is used by another process") from None


def _path(place: str, lines: str) -> tuple[bytes, ...]:
    path: list[bytes] = []
    for line in lines.split("\n")[:-1]:
        step = signed_notes.hash_of(line)
        if step is None or len(path) == _MAX_STEPS:
            _refuse(place, f"{fields.shown(line)} is not a step of a consistency proof")
        path.append(step)
    return tuple(path)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _refuse(place: str, problem: str) -> NoReturn:
    raise InputRefused(f"{place}: is not a checkpoint: {problem}")
