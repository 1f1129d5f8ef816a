"""The rule by which a site's register, its proofs and its timestamps are checked.

assets/verify.js applies points 3 and 5 to the slate of its page; tests run the same alterations
against both.

1. The register numbers its slates 1, 2, 3 and so on, each with an id and a hash of its own, and
   says how many there are and how many are shown. Those that are shown have pages, the others
   have none, and the day on which they are to be revealed has not come.
2. The published head is one canonical line. A later number is a later entry of its log.
3. The proof of each slate leads from its entry to the root of that head (RFC 9162). The entry of a
   slate that is shown has the id and the SHA-256 of that slate.
4. A slate that was frozen in this store names, in its hashed header, the SHA-256 of the slate that
   the register numbers before it.
5. The message imprint of each timestamp is the SHA-256 of its slate, or of the head. Signatures are
   verified where the root is pinned here; otherwise the command that does so is given.
"""

import base64
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tracker import scratch
from tracker.errors import CheckFailed, InputRefused
from tracker.extras.site import register
from tracker.files import fields, json_file
from tracker.log import exported_timestamps, sealing, timestamp_proofs, timestamps, tree_proofs
from tracker.log.exported_timestamps import ROOTS
from tracker.log.sealing import Head
from tracker.log.timestamps import ReplyRefused, RootNotPinned
from tracker.log.tree_proofs import Included

# Returns a file of the site; None, after noting the reason, if it is not as listed.
Content = Callable[[str], bytes | None]

_COUNT = fields.whole(0)
_REGISTER = fields.record({"n_slates": _COUNT, "n_shown": _COUNT, "slates": fields.LIST})
_SLATE = fields.record(
    {
        "number": _COUNT,
        "slate_id": fields.IDENTIFIER,
        "content_sha256": fields.SHA256,
        "frozen_on": fields.DATE,
        "date_basis": fields.TEXT,
        "withheld_until": fields.optional(fields.DATE),
        "timestamps": fields.LIST,
    }
)
_TOKEN = fields.record(
    {
        "file": fields.text("the name of a reply", exported_timestamps.OWN_NAME.fullmatch),
        "authority": fields.TEXT,
        "generated_at": fields.INSTANT,
    }
)
_PASSED = fields.record({"head": fields.TEXT, "tokens": fields.LIST})
_REPLY = fields.record({"path": fields.TEXT, "reply": fields.TEXT})


@dataclass(frozen=True)
class Logged:
    """The register of a site and its head; `slates` are the entries of register.json."""

    slates: list[dict[str, Any]]
    head: Head
    head_line: str

    @property
    def head_sha256(self) -> str:
        """The SHA-256 that timestamps of the head state."""
        return sealing.head_sha256(self.head_line)

    def find(self, slate_id: str) -> dict[str, Any] | None:
        """Return the entry of a slate, None if the register does not list it."""
        return next((one for one in self.slates if one["slate_id"] == slate_id), None)


@dataclass
class Found:
    """The results of checking slates: differences, and in words what was checked.

    `commands` check further signatures, each after a text with what must be done first. `indexes`
    are the slates' places in the log.
    """

    differences: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    commands: list[tuple[str, str]] = field(default_factory=list)
    indexes: list[int] = field(default_factory=list)


def read(content: Content) -> Logged | None:
    """Return the register of a site; None if a file is not as listed.

    Raises InputRefused if the register or the head is not in its format.
    """
    path = f"{register.REGISTER}.json"
    listed, line = content(path), content(register.HEAD)
    if listed is None or line is None:
        return None
    found = json_file.document(path, listed)
    fields.require(path, found, _REGISTER)
    for number, one in enumerate(found["slates"], start=1):
        fields.require(f"{path}: slate {number}", one, _SLATE)
        for token in one["timestamps"]:
            fields.require(f"{path}: slate {number}: timestamp", token, _TOKEN)
    head = tree_proofs.head_of(register.HEAD, json_file.document(register.HEAD, line))
    text = sealing.head_line(head)
    if line != f"{text}\n".encode():
        raise InputRefused(f"{register.HEAD}: is not the canonical line of a head")
    counts = (len(found["slates"]), sum(one["withheld_until"] is None for one in found["slates"]))
    if counts != (found["n_slates"], found["n_shown"]):
        raise InputRefused(
            f"{path}: lists {counts[0]:,} slates, {counts[1]:,} of them shown, and says "
            f"{found['n_slates']:,} and {found['n_shown']:,}"
        )
    return Logged(found["slates"], head, text)


def differences(logged: Logged, pages: Set[str], as_of: str) -> list[str]:
    """Return a register's violations of the rule; `pages` are the slates that have one."""
    place = f"{register.REGISTER}.json"
    found = [
        f"{place}: the slate after number {number - 1:,} has the number {one['number']:,}"
        for number, one in enumerate(logged.slates, start=1)
        if one["number"] != number
    ][:1]
    for name in ("slate_id", "content_sha256"):
        if len({one[name] for one in logged.slates}) < len(logged.slates):
            found.append(f"{place}: has a {name} twice")
    shown = {one["slate_id"] for one in logged.slates if one["withheld_until"] is None}
    listed = {one["slate_id"] for one in logged.slates}
    found += [
        *(f"{place}: slate {one} has a page and is not listed" for one in pages - listed),
        *(f"{place}: slate {one} is shown, but has no page" for one in shown - pages),
        *(
            f"{place}: slate {one} is listed as withheld, but has a page"
            for one in pages & listed - shown
        ),
        *(
            f"{place}: slate {one['slate_id']} was to be revealed on {one['withheld_until']}, and "
            f"the site is as of {as_of[:10]}"
            for one in logged.slates
            if one["withheld_until"] is not None and one["withheld_until"] <= as_of[:10]
        ),
    ]
    return sorted(found)


def since(logged: Logged, before: Logged) -> list[str]:
    """Return what a register and head have lost or changed since an older copy."""
    found = []
    for one in before.slates:
        slate, now = f"slate {one['slate_id']}", logged.find(one["slate_id"])
        if now is None:
            found.append(f"{slate}, number {one['number']:,}, is no longer listed")
            continue
        found += [
            f"{slate}: its {name} was {one[name]}, not {now[name]}"
            for name in ("number", "content_sha256", "frozen_on")
            if now[name] != one[name]
        ]
        until = one["withheld_until"]
        if now["withheld_until"] not in (None, until):
            was = f"withheld until {until}" if until else "shown"
            found += [f"{slate}: was {was}, not withheld until {now['withheld_until']}"]
    return [*found, *head_since(logged.head, before.head)]


def head_since(head: Head, before: Head) -> list[str]:
    """Return why a head cannot be a later one of the same log."""
    if head.log_id != before.log_id:
        return [f"the log was {before.log_id} and is now {head.log_id}: this is a different store"]
    if head.n_entries < before.n_entries:
        return [f"the log had {before.n_entries:,} entries, and has {head.n_entries:,}"]
    if head.n_entries == before.n_entries and head.root_sha256 != before.root_sha256:
        return [f"the log of {head.n_entries:,} entries has another root than before"]
    return []


def check_slates(content: Content, logged: Logged, slates: Sequence[dict[str, Any]]) -> Found:
    """Check the proofs and timestamps of slates, given in the order of the register."""
    found = Found()
    for listed in slates:
        try:
            _check_slate(content, logged, listed, found)
        except (InputRefused, CheckFailed) as error:
            found.differences.append(str(error))
    if found.indexes != sorted(set(found.indexes)):
        found.differences.append(
            f"{register.REGISTER}.json: the numbers are not in the order of the log's entries"
        )
    if not found.differences and slates:
        found.checked.append(
            f"{len(slates):,} of {len(logged.slates):,} slates of the register are entries of the "
            f"log {logged.head.log_id} up to its head of {logged.head.n_entries:,} entries"
        )
    return found


def _check_slate(content: Content, logged: Logged, listed: dict[str, Any], found: Found) -> None:
    slate_id, folder = listed["slate_id"], register.token_folder(listed["slate_id"])
    path = register.proof_path(slate_id)
    given = content(path)
    replies = [(f"{folder}/{one['file']}", one) for one in listed["timestamps"]]
    tokens = [(name, content(name), one) for name, one in replies]
    if given is None or any(reply is None for _, reply, _ in tokens):
        return
    proof = json_file.document(path, given)
    entry = tree_proofs.included(path, proof)
    found.indexes.append(entry.index)
    if listed["withheld_until"] is None:
        _check_script(content, logged, listed)
    _require(path, entry, logged, listed)
    roots = content(f"{folder}/{ROOTS}") if tokens else b""
    for name, reply, one in tokens:
        _check_token(name, reply or b"", one, (listed["content_sha256"], logged), roots, found)
    if listed["withheld_until"] is None:
        script = register.log_script(slate_id)
        passed = [(name, one or b"") for name, one, _ in tokens]
        text = register.script_text(proof, logged.head_line, passed)
        if content(script) not in (None, text.encode()):
            raise CheckFailed(f"{script}: differs from {path}, the head and the timestamps")


def _require(path: str, entry: Included, logged: Logged, listed: dict[str, Any]) -> None:
    """Refuse a proof of another entry, or in another head, than the register's."""
    is_withheld, row = listed["withheld_until"] is not None, entry.row
    if is_withheld and entry.line is not None:
        raise CheckFailed(f"{path}: reveals a slate that is listed as withheld")
    stated = (entry.table, row.get("slate_id"), row.get("content_sha256"))
    if not is_withheld and stated != ("slate", listed["slate_id"], listed["content_sha256"]):
        raise CheckFailed(f"{path}: the entry of the log is of another slate")
    if entry.head != logged.head:
        raise CheckFailed(f"{path}: its head is not {register.HEAD}")
    number = listed["number"]
    if row.get("origin") == "frozen" and number <= len(logged.slates):
        before = logged.slates[number - 2]["content_sha256"] if number > 1 else None
        if row.get("previous_sha256") != before:
            raise CheckFailed(
                f"{path}: slate {number:,} follows the slate with the SHA-256 "
                f"{row.get('previous_sha256')}, which the register does not have before it"
            )


def _check_script(content: Content, logged: Logged, listed: dict[str, Any]) -> None:
    """Apply the rule to what a slate's page loads, as its button does."""
    path = register.log_script(listed["slate_id"])
    given = content(path)
    start, end = b'slateRows("log", ', b");\n"
    if given is None:
        return
    if not given.startswith(start) or not given.endswith(end):
        raise CheckFailed(f"{path}: does not contain a proof")
    passed = json_file.document(path, given[len(start) : -len(end)])
    fields.require(path, passed, _PASSED)
    head = json_file.document(f"{path}, head", passed["head"].encode())
    _require(path, tree_proofs.included(path, {**passed, "head": head}), logged, listed)
    for one in passed["tokens"]:
        fields.require(f"{path}: token", one, _REPLY)
        try:
            reply = base64.b64decode(one["reply"], validate=True)
            digest = timestamps.read(reply).digest.hex()
        except ValueError as error:
            raise CheckFailed(
                f"{path}: {one['path']} is not a timestamp reply: it is not Base64"
            ) from error
        except ReplyRefused as error:
            raise CheckFailed(f"{path}: {one['path']} {error}") from error
        if digest not in (listed["content_sha256"], logged.head_sha256):
            raise CheckFailed(f"{path}: {one['path']} is for another hash, {digest}")


def _check_token(
    path: str,
    reply: bytes,
    stated: dict[str, Any],
    hashes: tuple[str, Logged],
    roots: bytes | None,
    found: Found,
) -> None:
    """Verify a token of the slate's hash or of the head that covers the slate."""
    sha256, logged = hashes
    try:
        read = timestamps.read(reply)
    except ReplyRefused as error:
        raise CheckFailed(f"{path}: {error}") from error
    said = (stated["authority"], fields.instant(stated["generated_at"]))
    if (read.authority, read.generated_at) != said:
        raise CheckFailed(f"{path}: does not say what the register says")
    wanted = logged.head_sha256 if read.digest.hex() == logged.head_sha256 else sha256
    check_signature(path, reply, wanted, roots or b"", found, timestamp_proofs.frozen_by)


def check_signature(
    path: str,
    reply: bytes,
    sha256: str,
    roots: bytes,
    found: Found,
    words: Callable[[datetime, str], str],
) -> None:
    """Verify a token of a hash against the pinned roots, or the site's, which prove less.

    `words` says what an instant and an authority prove. Raises CheckFailed if the token does not
    verify.
    """
    try:
        try:
            verified = timestamps.verify(reply, sha256, timestamps.public_roots())
        except RootNotPinned as error:
            _require_sound(reply, sha256, roots)
            found.commands.append(
                (
                    f"{path}: the signature of {error.authority}, whose root ({error.root}) is not "
                    f"pinned by tracker; with that root in place of {ROOTS}:",
                    register.openssl_line(path, sha256),
                )
            )
        else:
            proved = words(verified.generated_at, verified.authority)
            found.checked.append(f"{path}: {proved}; its signature is that of a pinned root")
    except ReplyRefused as error:
        raise CheckFailed(f"{path}: {error}") from error


def _require_sound(reply: bytes, sha256: str, roots: bytes) -> None:
    """Refuse a token that does not verify even against its own roots."""
    with scratch.folder() as folder:
        place = folder / ROOTS
        place.write_bytes(roots)
        try:
            given = timestamps.by_sha256(timestamps.read_roots(place))
        except InputRefused:
            return
        try:
            timestamps.verify(reply, sha256, given)
        except RootNotPinned:
            return
