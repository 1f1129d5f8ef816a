"""Checkpoints: what a witness co-signs and what it refuses, and what anybody finds altered."""

import base64
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from filelock import FileLock
from support import ok
from teams import LOG, WITNESS, Teams, coded, entry, made

from tracker.errors import CheckFailed, InputRefused
from tracker.log import checkpoints, merkle, signed_notes
from tracker.log.signed_notes import (
    Note,
    SigningKey,
    VerifierKey,
)

AT = datetime(2026, 11, 27, 9, 30, tzinfo=UTC)


@pytest.fixture
def teams(tmp_path: Path) -> Teams:
    return made(tmp_path)


@pytest.fixture
def cosigned(teams: Teams) -> Teams:
    """A checkpoint of 11 entries that the witness co-signed."""
    path = teams.checkpoint(11)
    teams.bench.accept(*teams.words(), "-o", path)
    return teams


def test_a_witness_signs_what_it_saw_grow(cosigned: Teams) -> None:
    first = (cosigned.folder / "checkpoint.txt").read_text()
    assert cosigned.seen.read_text() == first
    lines = cosigned.bench.accept(*cosigned.verification()).splitlines()
    assert lines[0].startswith(f"the log {LOG} had 11 entries with the root ")
    assert lines[1].startswith(f"co-signed by {WITNESS} on 20")
    assert len(lines) == 2
    # Again the same: one co-signature, of a later second.
    done = cosigned.bench.run(*cosigned.words())
    assert done.stdout.count(f"— {WITNESS} ") == 1
    assert f"the log {LOG} begins with the 11 entries seen on 20" in done.stderr
    path = cosigned.checkpoint(16, since=11)
    done = ok(cosigned.bench.run(*cosigned.words(), "-o", path))
    assert done.stderr.startswith(f"the log {LOG} begins with the 11 entries seen on 20")
    assert path.read_text().startswith(f"{LOG}\n16\n")
    assert cosigned.seen.read_text() == path.read_text() != first
    assert "16 entries" in cosigned.bench.accept(*cosigned.verification())


# What a witness who saw 11 entries is given, the exit code, the message.
GIVEN: dict[str, tuple[Callable[[Teams], object], int, str]] = {
    "fewer entries": (lambda one: one.checkpoint(7), 4, "has 7 entries, fewer than the 11 entries"),
    "another history": (
        lambda one: one.checkpoint(11, salt="!"),
        4,
        "has another root than the 11 entries seen on 20",
    ),
    "another history that grew": (
        lambda one: one.checkpoint(13, since=11, salt="!"),
        4,
        "its proof does not hold: the log does not begin with the 11 entries seen on 20",
    ),
    "no proof": (lambda one: one.checkpoint(16), 3, "does not prove that the log only grew since"),
    "a proof since then": (
        lambda one: one.checkpoint(16, since=7),
        3,
        "ask for 'tracker log checkpoint --from' the checkpoint of then",
    ),
    "another key": (
        lambda one: one.checkpoint(16, since=11, key="witness"),
        4,
        f"is of the log {WITNESS}, and the key is of {LOG}",
    ),
    "a proof of words": (
        lambda one: altered(one.checkpoint(16, since=11), "old 11\n", "old 11\nsteps\n"),
        3,
        "'steps' is not a step of a consistency proof",
    ),
    "an endless proof": (
        lambda one: altered(
            one.checkpoint(16, since=11), "old 11\n", "old 11\n" + f"{coded(bytes(32))}\n" * 64
        ),
        3,
        "is not a step of a consistency proof",
    ),
    "a false proof": (
        lambda one: altered(
            one.checkpoint(16, since=11), "old 11\n", f"old 11\n{coded(bytes(32))}\n"
        ),
        4,
        "its proof does not hold",
    ),
}


def altered(path: Path, old: str, new: str) -> None:
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new, 1))


@pytest.mark.parametrize("what", GIVEN)
def test_a_witness_refuses_what_did_not_only_grow(what: str, cosigned: Teams) -> None:
    make, code, message = GIVEN[what]
    make(cosigned)
    complaint = cosigned.bench.refuse(*cosigned.words(), message=[message], code=code)
    assert len(complaint.splitlines()) == 1


def test_a_checkpoint_that_could_not_be_read_again_is_not_co_signed(cosigned: Teams) -> None:
    path = cosigned.checkpoint(11)
    line = f"— c.example {coded(bytes(749_000))}\n"
    path.write_text(f"{path.read_text()}{line}")
    room = signed_notes.MAX_BYTES - path.stat().st_size
    path.write_text(f"{path.read_text()}— c.example {coded(bytes((room - 60) // 4 * 3))}\n")
    assert path.stat().st_size <= signed_notes.MAX_BYTES
    message = ["is too long for one more signature"]
    cosigned.bench.refuse(*cosigned.words(), message=message)


def test_a_log_is_no_witness_of_itself(teams: Teams) -> None:
    teams.checkpoint(11)
    words = list(teams.words())
    words[-1] = teams.folder / "a.key"
    teams.bench.refuse(*words, message=["a witness has a key and a name of its own"])


def test_what_a_witness_remembers_cannot_be_altered(cosigned: Teams) -> None:
    remembered = cosigned.seen.read_text()
    cosigned.checkpoint(16, since=11)
    text = "\n".join([LOG, "11", coded(merkle.root([entry(n, "!") for n in range(11)])), ""])
    for content, code, message in (
        (remembered.split("— b")[0], 4, f"has no co-signature by {WITNESS}"),
        (remembered[:-9], 3, "its last line has no end; the file may be cut short"),
        (remembered.replace("\n11\n", "\n7\n"), 4, f"co-signature by {WITNESS} does not verify"),
        (str(Note(text, (cosigned.log.sign(text),))), 4, f"has no co-signature by {WITNESS}"),
        ("", 3, "is not a signed note"),
    ):
        cosigned.seen.write_text(content)
        cosigned.bench.refuse(*cosigned.words(), message=[cosigned.seen.name, message], code=code)
    cosigned.seen.write_text(remembered)
    cosigned.bench.accept(*cosigned.words())


def test_a_witness_writes_over_no_key_and_nothing_that_was_seen(cosigned: Teams) -> None:
    for path, message in (
        (cosigned.folder / "b.key", "b.key: is a private key; choose another file"),
        (cosigned.seen, f"{cosigned.seen.name}: is in the folder of what was seen"),
    ):
        cosigned.bench.refuse(*cosigned.words(), "-o", path, message=[message])


def test_a_witness_keeps_each_log_and_moves_none(cosigned: Teams) -> None:
    other = signed_notes.make_key("c.example/tracker", cosigned.folder / "c.key")
    text = f"{other.name}\n5\n{coded(merkle.root([entry(n) for n in range(5)]))}\n"
    cosigned.bench.write("checkpoint.txt", str(Note(text, (other.sign(text),))))
    first = cosigned.seen
    words = [other.verifier if one == cosigned.log.verifier else one for one in cosigned.words()]
    assert "nothing to compare it with" in cosigned.bench.run(*words).stderr
    (second,) = {*(cosigned.folder / "b.key.seen").glob("*.txt")} - {first}
    shutil.copy(first, second)
    cosigned.bench.refuse(*words, message=[f"is of the log {LOG}; it was moved here"], code=4)


def test_a_witness_at_work_keeps_others_waiting(cosigned: Teams) -> None:
    with FileLock(cosigned.folder / "b.key.seen" / ".lock"):
        cosigned.bench.refuse(*cosigned.words(), message=["is used by another process"], code=5)
    words = (*cosigned.words(), "--seen", cosigned.folder / "none" / "seen")
    cosigned.bench.refuse(*words, message=["none: no such folder"])


def _moved(teams: Teams) -> None:
    """The co-signature of one checkpoint under another of the same log."""
    path = teams.folder / "checkpoint.txt"
    line = path.read_text().splitlines()[-1]
    path = teams.checkpoint(12)
    path.write_text(f"{path.read_text()}{line}\n")


def _forged(teams: Teams) -> None:
    """Another key of the same name, which gives itself the key ID of the known one."""
    own = SigningKey(LOG, Ed25519PrivateKey.generate())
    path = teams.folder / "checkpoint.txt"
    text = "\n".join([LOG, "99", coded(bytes(32)), ""])
    named = teams.log.sign(text)
    forged = signed_notes.Signature(named.name, named.key_id, own.sign(text).value)
    path.write_text(str(Note(text, (forged,))))


def _resigned(teams: Teams) -> None:
    """Another key of the same name."""
    own = SigningKey(LOG, Ed25519PrivateKey.generate())
    text = "\n".join([LOG, "99", coded(bytes(32)), ""])
    (teams.folder / "checkpoint.txt").write_text(str(Note(text, (own.sign(text),))))


def _replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda content: content.replace(old, new, 1)


def _with_ids_exchanged(content: str) -> str:
    """The co-signature under the key ID of the signature."""
    signatures = [base64.b64decode(line.split()[-1]) for line in content.splitlines()[-2:]]
    exchanged = coded(signatures[0][:4] + signatures[1][4:])
    return content.replace(coded(signatures[1]), exchanged)


def _at_no_time(teams: Teams) -> None:
    path = teams.folder / "checkpoint.txt"
    note, seconds = checkpoints.read(path).note, 1 << 62
    value = teams.witness.private_key.sign(f"cosignature/v1\ntime {seconds}\n{note.text}".encode())
    named = teams.witness.cosign(note.text, AT)
    stamped = signed_notes.Signature(named.name, named.key_id, seconds.to_bytes(8, "big") + value)
    path.write_text(str(note.with_signature(stamped)))


def _repeated(teams: Teams) -> None:
    """More co-signatures than anybody makes, by the names of a witness."""
    path = teams.folder / "checkpoint.txt"
    named = teams.witness.cosign("", AT)
    path.write_text(path.read_text() + str(named) * 5_000)


# What another key is used for, or the known ones for another checkpoint, and the message.
FORGED: dict[str, tuple[Callable[[Teams], None], str]] = {
    "moved": (_moved, f"the co-signature by {WITNESS} does not verify"),
    "forged": (_forged, f"the signature by {LOG} does not verify"),
    "another key": (_resigned, f"has no signature by {LOG} with the key ID "),
    "no time": (_at_no_time, f"the co-signature by {WITNESS} states no date"),
    "repeated": (_repeated, f"co-signature by {WITNESS} does not verify"),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_signature_is_refused_in_one_line(how: str, cosigned: Teams) -> None:
    forge, message = FORGED[how]
    forge(cosigned)
    complaint = cosigned.bench.refuse(*cosigned.verification(), message=[message], code=4)
    assert len(complaint.splitlines()) == 1


# How a co-signed checkpoint is altered, the exit code, the message.
ALTERED: dict[str, tuple[Callable[[str], str], int, str]] = {
    "another ID": (_with_ids_exchanged, 4, ", of another key or type"),
    "size": (_replaced("\n11\n", "\n12\n"), 4, f"the signature by {LOG} does not verify"),
    "another log": (_replaced(LOG, "c.example"), 4, "is of the log c.example, and the key is of a"),
    "a line more": (_replaced("=\n\n", "=\nmore\n\n"), 4, f"the signature by {LOG} does not"),
    "cut": (lambda content: content[:-5], 3, "its last line has no end; the file may be cut short"),
    "cut at a line": (lambda content: content.split("—")[0], 3, "has no signatures after an empty"),
    "one signature": (
        lambda content: content.split(f"— {WITNESS}")[0],
        4,
        f"has no co-signature by {WITNESS} with the key ID ",
    ),
    "empty": (lambda _: "", 3, "is not a signed note"),
    "an empty line": (_replaced("\n11\n", "\n11\n\n"), 3, "its third line, '', is not a SHA-256"),
    "a name of two words": (
        _replaced(LOG, "a tracker"),
        3,
        "'a tracker', is not the name",
    ),
    "a size of words": (_replaced("\n11\n", "\nten\n"), 3, "'ten', is not a number of entries"),
    "zeros": (_replaced("\n11\n", "\n011\n"), 3, "'011', is not a number of entries"),
    "no entries": (_replaced("\n11\n", "\n0\n"), 3, "'0', is not a number of entries"),
    "other digits": (_replaced("\n11\n", "\n\u0661\u0661\n"), 3, "is not a number of entries"),
    "huge": (_replaced("\n11\n", f"\n{'9' * 40}\n"), 3, "is not a number of entries"),
    "a short root": (
        lambda content: re.sub("\n.{43}=\n", "\nAAAA\n", content),
        3,
        "'AAAA', is not a SHA-256 in base64",
    ),
    "no dash": (_replaced(f"— {WITNESS}", f"- {WITNESS}"), 3, "is not the line of a signature"),
    "no base64": (
        _replaced(f"— {WITNESS} ", f"— {WITNESS} *"),
        3,
        "is not the line of a signature",
    ),
    "Windows": (lambda content: content.replace("\n", "\r\n"), 3, "control character U+000D"),
    "a bell": (_replaced("\n11\n", "\n11\x07\n"), 3, "line 2 has the control character U+0007"),
    "not UTF-8": (lambda content: content + "\udcff", 3, "is not UTF-8 (byte "),
    "10 MB": (lambda content: content * 30_000, 3, "is longer than 1 MB"),
    "10 MB of origin": (_replaced(LOG, "a" * 10**7), 3, "is longer than 1 MB"),
    "a long origin": (_replaced(LOG, "a" * 900_000), 3, "is not the name of a log"),
}


@pytest.mark.parametrize("how", ALTERED)
def test_an_altered_checkpoint_is_refused_in_one_line(how: str, cosigned: Teams) -> None:
    change, code, message = ALTERED[how]
    path = cosigned.folder / "checkpoint.txt"
    path.write_bytes(change(path.read_text()).encode(errors="surrogateescape"))
    complaint = cosigned.bench.refuse(*cosigned.verification(), message=[message], code=code)
    assert len(complaint.splitlines()) == 1
    assert len(complaint) < 1_100


def test_no_byte_can_be_altered_or_left_out(cosigned: Teams) -> None:
    path = cosigned.folder / "checkpoint.txt"
    content, keys = path.read_bytes(), [cosigned.log.verifier, cosigned.witness.verifier]
    assert checkpoints.verify(None, path, keys)
    cut = [content[:place] for place in range(len(content))]
    changed = [
        content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :]
        for place in range(len(content))
        for bit in (1, 0x20)
    ]
    for one in cut + changed:
        path.write_bytes(one)
        with pytest.raises((CheckFailed, InputRefused)) as refused:
            checkpoints.verify(None, path, keys)
        assert "\n" not in str(refused.value)


def test_signatures_of_unknown_keys_are_ignored(cosigned: Teams) -> None:
    path = cosigned.folder / "checkpoint.txt"
    others = f"— {LOG} {coded(bytes(80))}\n— c.example {coded(bytes(4_000))}\n"
    path.write_text(path.read_text() + others)
    assert len(cosigned.bench.accept(*cosigned.verification()).splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 3, "is a checkpoint; give the keys of its log and its witnesses (--vkey)"),
        (("--vkey", "{witness}"), 4, f"is of the log {LOG}, and the key is of {WITNESS}"),
        (("--vkey", "{log}", "--vkey", "{log}"), 3, "two of the verifier keys are the same"),
        (("--vkey", "absent.vkey"), 3, "'absent.vkey' is not a verifier key of Ed25519"),
        (("--vkey", "x" * 3_000), 3, " ... is not a verifier key of Ed25519"),
        (("--vkey", "{log}", "--format", "json"), 2, "list slates or checks, not a checkpoint"),
        (("--vkey", "{log}", "--render"), 2, "are for a site, not for a checkpoint"),
    ],
)
def test_what_verifies_nothing_is_refused(
    words: tuple[str, ...], code: int, message: str, cosigned: Teams
) -> None:
    named = {"log": cosigned.log.verifier, "witness": cosigned.witness.verifier}
    given = [word.format(**named) for word in words]
    path = cosigned.folder / "checkpoint.txt"
    cosigned.bench.refuse("verify", path, *given, message=[message], code=code)


def test_a_verifier_key_is_given_in_a_file_and_of_either_type(cosigned: Teams) -> None:
    key = cosigned.witness.verifier
    typed = f"{key.name}+{key.key_id(4).hex()}+{coded(bytes([4]) + key.public_key)}"
    assert VerifierKey.parse(typed) == key
    log = cosigned.bench.write("a.vkey", f"{cosigned.log.verifier}\n")
    path = cosigned.folder / "checkpoint.txt"
    said = cosigned.bench.accept("verify", path, "--vkey", log, "--vkey", typed)
    assert said == cosigned.bench.accept(*cosigned.verification())
