"""Signed notes, and the Ed25519 keys that sign and verify them.

A note is text, an empty line, and a line for each signature. The formats are those of C2SP, which
the checksum database of Go and sigstore use: notes and verifier keys of c2sp.org/signed-note,
co-signatures of c2sp.org/tlog-cosignature. The file of a private key has the line that Go's
package golang.org/x/mod/sumdb/note reads.
"""

import base64
import binascii
import contextlib
import hashlib
import os
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tracker import replacing
from tracker.errors import CheckFailed, InputRefused
from tracker.files import fields, streams

# The types of signatures, the byte before the public key in what a key ID is the hash of.
SIGNATURE, COSIGNATURE = 1, 4
# C2SP asks for a limit; this is enough for a hundred signatures of any type.
MAX_BYTES = 1_000_000
_LONGEST_NAME = 255
_DASH = "\N{EM DASH} "
_ID_BYTES, _TIME_BYTES, _KEY_BYTES, _SIGNATURE_BYTES = 4, 8, 32, 64
_NAME = r"[^\s+]+"
_VERIFIER = re.compile(rf"({_NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]{{44}})")
_PRIVATE_WORDS = "PRIVATE+KEY+"
_PRIVATE = re.compile(
    rf"{re.escape(_PRIVATE_WORDS)}({_NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]{{44}})\n?"
)
_SIGNED = re.compile(rf"{_DASH}({_NAME}) (\S+)")
# Control characters other than the line end.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_LATEST = int(datetime.max.replace(tzinfo=UTC).timestamp())
_PRIVATE_MODE = 0o600


@dataclass(frozen=True)
class VerifierKey:
    """A name and a public key, which together say whose a signature is."""

    name: str
    public_key: bytes

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Return the key of a line name+ID+key, of either type; InputRefused if it is none.

        The type is not kept: a log's signature and a co-signature begin with different words, so
        one key can make both, and what is verified says which one is meant.
        """
        if text.startswith(_PRIVATE_WORDS):
            # Not shown: an error may end up in a log.
            raise InputRefused(
                "that is a private key; give the verifier key, which 'tracker log key' prints"
            )
        found = _VERIFIER.fullmatch(text)
        if found is None or not is_name(found[1]):
            raise InputRefused(
                f"{fields.shown(text)} is not a verifier key of Ed25519 (name+hash+base64)"
            )
        kind, public_key = _key_of(found[3])
        key = cls(found[1], public_key)
        if kind not in (SIGNATURE, COSIGNATURE):
            raise InputRefused(
                f"the verifier key of {key.name} is of type {kind}, which is not Ed25519 "
                f"({SIGNATURE} or {COSIGNATURE})"
            )
        if key.key_id(kind).hex() != found[2]:
            raise InputRefused(
                f"the verifier key of {key.name} has the ID {found[2]}, and its name and key "
                f"have {key.key_id(kind).hex()}: it was altered or is cut short"
            )
        return key

    def __str__(self) -> str:
        """Return the key as others are given it, of the type of a log's signatures."""
        return f"{self.name}+{self.key_id(SIGNATURE).hex()}+{_line_of(self.public_key)}"

    def key_id(self, kind: int) -> bytes:
        """Return what names the key in signatures of a type."""
        hashed = self.name.encode() + b"\n" + bytes([kind]) + self.public_key
        return hashlib.sha256(hashed).digest()[:_ID_BYTES]

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether a signature is one of the message by this key."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True)
class Signature:
    """A signature of a note: the key that it names, and its bytes."""

    name: str
    key_id: bytes
    value: bytes

    def __str__(self) -> str:
        """Return the line of the signature in a note."""
        return f"{_DASH}{self.name} {base64.b64encode(self.key_id + self.value).decode()}\n"


@dataclass(frozen=True)
class SigningKey:
    """A private key and its name."""

    name: str
    private_key: Ed25519PrivateKey = field(repr=False)

    @property
    def verifier(self) -> VerifierKey:
        """The key for others, which verifies what this one signs."""
        return VerifierKey(self.name, self.private_key.public_key().public_bytes_raw())

    def sign(self, text: str) -> Signature:
        """Return the signature of a log's own note."""
        value = self.private_key.sign(text.encode())
        return Signature(self.name, self.verifier.key_id(SIGNATURE), value)

    def cosign(self, text: str, instant: datetime) -> Signature:
        """Return the co-signature of a checkpoint, which states the second when it was made."""
        seconds = int(instant.timestamp())
        value = self.private_key.sign(_cosigned(seconds, text))
        stamped = seconds.to_bytes(_TIME_BYTES, "big") + value
        return Signature(self.name, self.verifier.key_id(COSIGNATURE), stamped)


@dataclass(frozen=True)
class Note:
    """A text that ends in a line end, and its signatures, none of them verified yet."""

    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, place: str, content: str) -> "Note":
        """Return the note that a text is; raises InputRefused, naming `place`, if it is none."""
        control = _CONTROL.search(content)
        if control is not None:
            n_line = content.count("\n", 0, control.start()) + 1
            _refuse(place, f"line {n_line:,} has the control character U+{ord(control[0]):04X}")
        if not content.endswith("\n"):
            _refuse(place, "its last line has no end; the file may be cut short")
        text, blank, lines = content.rpartition("\n\n")
        if not blank or not text or not lines:
            _refuse(place, "it has no signatures after an empty line; the file may be cut short")
        return cls(f"{text}\n", tuple(_signature(place, one) for one in lines[:-1].split("\n")))

    def __str__(self) -> str:
        """Return the note as it is written."""
        return "".join((self.text, "\n", *map(str, self.signatures)))

    def with_signature(self, signature: Signature) -> "Note":
        """Return the note with one more signature, in place of earlier ones of the same key."""
        kept = [
            one
            for one in self.signatures
            if (one.name, one.key_id) != (signature.name, signature.key_id)
        ]
        return Note(self.text, (*kept, signature))

    def require_signature(self, place: str, key: VerifierKey) -> None:
        """Raise CheckFailed, naming `place`, unless the key signed the note."""
        for value in self._values(place, key, SIGNATURE, "signature"):
            if not key.verifies(value, self.text.encode()):
                raise CheckFailed(f"{place}: the signature by {key.name} does not verify")

    def require_cosignature(self, place: str, key: VerifierKey) -> datetime:
        """Return when the key co-signed the note; CheckFailed, naming `place`, if it did not."""
        times = []
        for value in self._values(place, key, COSIGNATURE, "co-signature"):
            seconds = int.from_bytes(value[:_TIME_BYTES], "big")
            if not key.verifies(value[_TIME_BYTES:], _cosigned(seconds, self.text)):
                raise CheckFailed(f"{place}: the co-signature by {key.name} does not verify")
            if seconds > _LATEST:
                raise CheckFailed(f"{place}: the co-signature by {key.name} states no date")
            times.append(seconds)
        return datetime.fromtimestamp(max(times), UTC)

    def _values(self, place: str, key: VerifierKey, kind: int, what: str) -> list[bytes]:
        """Return the signatures of a type that name the key; those of others are ignored."""
        key_id = key.key_id(kind)
        named = [one for one in self.signatures if one.name == key.name]
        found = [one.value for one in named if one.key_id == key_id]
        if not found:
            others = ", ".join(sorted({one.key_id.hex() for one in named})[:3])
            by = f"by {key.name} with the key ID {key_id.hex()}"
            also = f"; under that name it has {others}, of another key or type" if others else ""
            raise CheckFailed(f"{place}: has no {what} {by}{also}")
        return found


def is_name(text: str) -> bool:
    """Whether a key or a log may be called so: in one word without a plus, as C2SP asks."""
    is_word = re.fullmatch(_NAME, text) is not None
    return is_word and text.isprintable() and len(text) <= _LONGEST_NAME


def make_key(name: str, path: Path) -> SigningKey:
    """Return a new private key, which is then in a file that its owner alone can read.

    A file that has a key of this name stays as it is, and its key is returned. Raises InputRefused
    for an invalid name, and for any other file: a key is never replaced.
    """
    if not is_name(name):
        raise InputRefused(
            f"{fields.shown(name)} cannot name a key: at most {_LONGEST_NAME} letters without "
            "spaces or '+', such as example.org/tracker"
        )
    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder")
    if path.exists():
        found = read_key(path)
        if found.name != name:
            raise InputRefused(f"{path.name}: has the key of {found.name}; choose another file")
        return found
    made = SigningKey(name, Ed25519PrivateKey.generate())
    line = f"{_PRIVATE_WORDS}{name}+{made.verifier.key_id(SIGNATURE).hex()}+"
    content = f"{line}{_line_of(made.private_key.private_bytes_raw())}\n"
    # Never over another file, and never readable by others, not even for a moment.
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_MODE)
    with os.fdopen(handle, "wb") as written:
        written.write(content.encode())
    replacing.synchronise(path)
    return made


def read_key(path: Path) -> SigningKey:
    """Return the private key in a file; InputRefused if there is none or others can read it."""
    found = _PRIVATE.fullmatch(read_text(path))
    kind, seed = _key_of(found[3]) if found is not None and is_name(found[1]) else (None, b"")
    if found is None or kind != SIGNATURE:
        raise InputRefused(f"{path.name}: is not a private key that 'tracker log key' made")
    if path.stat().st_mode & 0o077:
        raise InputRefused(
            f"{path.name}: others than its owner can read this private key; "
            f"run 'chmod 600 {path.name}', or make a new one if they may have read it"
        )
    key = SigningKey(found[1], Ed25519PrivateKey.from_private_bytes(seed))
    if key.verifier.key_id(SIGNATURE).hex() != found[2]:
        raise InputRefused(f"{path.name}: its key has another ID than it says; it was altered")
    return key


def verifier_key(given: str) -> VerifierKey:
    """Return a verifier key that is given as its text or as the file that has it alone."""
    if not _VERIFIER.fullmatch(given):
        # A text of another kind may be too long for the name of a file.
        with contextlib.suppress(OSError):
            if Path(given).exists():
                return VerifierKey.parse(read_text(Path(given)).removesuffix("\n"))
    return VerifierKey.parse(given)


def read_text(path: Path) -> str:
    """Return a file of text; raises InputRefused if it is none or longer than a note may be."""
    content = streams.content(path, MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise InputRefused(f"{path.name}: is longer than {MAX_BYTES // 1_000_000} MB")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name}: is not UTF-8 (byte {error.start:,})") from error


def hash_of(text: str) -> bytes | None:
    """Return the SHA-256 that base64 stands for; None if it does not, in this one spelling."""
    found = _decoded(text)
    return found if found is not None and len(found) == hashlib.sha256().digest_size else None


def _signature(place: str, line: str) -> Signature:
    found = _SIGNED.fullmatch(line)
    decoded = _decoded(found[2]) if found else None
    if found is None or decoded is None or len(decoded) <= _ID_BYTES:
        _refuse(place, f"{fields.shown(line)} is not the line of a signature")
    return Signature(found[1], decoded[:_ID_BYTES], decoded[_ID_BYTES:])


def _cosigned(seconds: int, text: str) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def _line_of(key: bytes) -> str:
    return base64.b64encode(bytes([SIGNATURE]) + key).decode()


def _key_of(text: str) -> tuple[int, bytes]:
    """Return the type and the bytes of a key in 44 digits of base64."""
    decoded = base64.b64decode(text)
    return decoded[0], decoded[1:]


def _decoded(text: str) -> bytes | None:
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    # Other spellings differ in digits that mean nothing.
    return found if base64.b64encode(found).decode() == text else None


def _refuse(place: str, problem: str) -> NoReturn:
    raise InputRefused(f"{place}: is not a signed note: {problem}")
