"""Signed notes: those that others published, keys, and signatures that openssl verifies."""

import base64
import subprocess
from pathlib import Path

import authority
import pytest
from teams import LOG, Teams, made

from tracker.errors import CheckFailed, InputRefused
from tracker.log import checkpoints, signed_notes
from tracker.log.signed_notes import Note, VerifierKey

# Published elsewhere: the example of C2SP's signed-note, a checkpoint of sigstore's log, and one of
# a log of web certificates that has two signatures of its own, each with public keys of then.
EXAMPLE = (
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ON"
    "ncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
SIGSTORE = (
    "log2025-1.rekor.sigstore.dev\n139911860\nEliTHtnx44DhEBH+5qIXBtQsSpc54Avam7mIYEvxnTA=\n\n"
    "— log2025-1.rekor.sigstore.dev zxGZFcOra4Y7QpuiQen+CmnUvDZbxSXfBOXJzL+HKIeR9aC58QTfao58ABqk"
    "hVyBhQDseS+TZdDNpcnZhoRxkh7IbQ0=\n"
    "— witness.stagemole.eu Z/euoAAAAABqxF18wrJCADsJ1G5Lc2JaRjZqqBwjpNqH24yQse4iJ4rKS6b5MtvHP+Ib"
    "KYXwaWuWokdGA+BubLFi+TrwK7xpKr6XBw==\n"
)
CERTIFICATES = (
    "arche2025h1.staging.ct.transparency.dev\n1432088532\n"
    "U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n\n"
    "— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGRE"
    "PMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=\n"
    "— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC"
    "3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=\n"
    "— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9"
    "sXTynk5XeU/zZ0WBxtqB0DrAWfBw==\n"
    "— witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJ"
    "mIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==\n"
)
SIGSTORE_KEY = "log2025-1.rekor.sigstore.dev+cf119915+AbfK5adZJxsI323FwGD2AJJ9F4i89cfDuLdGJBIYntuO"
STAGEMOLE_KEY = "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv"
ARCHE_KEY = (
    "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
)
REMORA_KEY = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
# The key of the tests of golang.org/x/mod/sumdb/note, and a note that it signed.
NEUMANN = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
NEUMANN_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
NEUMANN_TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
NEUMANN_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpR"
    "Zb6KE6RyyBwJnAM=\n"
)


@pytest.fixture
def teams(tmp_path: Path) -> Teams:
    return made(tmp_path)


def test_published_notes_verify() -> None:
    note = Note.parse("note", EXAMPLE)
    note.require_signature("note", VerifierKey.parse(EXAMPLE_KEY))
    assert str(note) == EXAMPLE
    assert str(VerifierKey.parse(EXAMPLE_KEY)) == EXAMPLE_KEY


@pytest.mark.parametrize(
    ("content", "keys", "said"),
    [
        (SIGSTORE, [SIGSTORE_KEY, STAGEMOLE_KEY], ["139,911,860", "2026-10-06 "]),
        (CERTIFICATES, [REMORA_KEY, ARCHE_KEY, STAGEMOLE_KEY], ["1,432,088,532", "2026-05-23 "]),
    ],
    ids=["sigstore", "certificates"],
)
def test_published_checkpoints_verify_with_their_witnesses(
    content: str, keys: list[str], said: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "checkpoint.txt"
    path.write_text(content)
    assert str(checkpoints.read(path).note) == content
    lines = checkpoints.verify(None, path, [*map(VerifierKey.parse, keys)])
    assert len(lines) == len(keys)
    assert said[0] in lines[0]
    assert all(said[1] in line for line in lines[1:])
    path.write_text(content.replace("\n1", "\n2", 1))
    with pytest.raises(CheckFailed, match="does not verify"):
        checkpoints.verify(None, path, [*map(VerifierKey.parse, keys)])


def test_a_key_of_go_signs_as_go_does(tmp_path: Path) -> None:
    """Ed25519 signs the same text always alike."""
    path = tmp_path / "neumann.key"
    path.write_text(NEUMANN)
    path.chmod(0o600)
    key = signed_notes.read_key(path)
    assert str(key.verifier) == NEUMANN_KEY
    assert str(key.sign(NEUMANN_TEXT)) == NEUMANN_LINE
    note = Note.parse("note", f"{NEUMANN_TEXT}\n{NEUMANN_LINE}")
    note.require_signature("note", key.verifier)


def test_no_part_of_a_verifier_key_and_no_altered_one_is_one() -> None:
    """As the tests of Go's package try it."""
    size = len(NEUMANN_KEY)
    parts = {NEUMANN_KEY[i:j] for i in range(size) for j in range(i, size + 1)} - {NEUMANN_KEY}
    altered = {
        NEUMANN_KEY[:i] + chr(ord(NEUMANN_KEY[i]) + 1) + NEUMANN_KEY[i + 1 :] for i in range(size)
    }
    for text in parts | altered | {f"{NEUMANN_KEY}\n", f" {NEUMANN_KEY}"}:
        with pytest.raises(InputRefused) as refused:
            VerifierKey.parse(text)
        assert "\n" not in str(refused.value)
    with pytest.raises(InputRefused, match="of type 101, which is not Ed25519"):
        VerifierKey.parse("PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")


@pytest.mark.skipif(authority.OPENSSL is None, reason="no openssl here")
def test_openssl_verifies_both_signatures(teams: Teams, tmp_path: Path) -> None:
    teams.checkpoint(11)
    content = teams.bench.accept(*teams.words())
    text, lines = content.split("\n\n")
    own, other = (base64.b64decode(line.split()[-1]) for line in lines.splitlines())
    seconds = int.from_bytes(other[4:12], "big")
    messages = {
        teams.log.verifier: (f"{text}\n", own[4:]),
        teams.witness.verifier: (f"cosignature/v1\ntime {seconds}\n{text}\n", other[12:]),
    }
    # The prefix of a public key of Ed25519 in DER (RFC 8410).
    prefix = bytes.fromhex("302a300506032b6570032100")
    for key, (message, signature) in messages.items():
        (tmp_path / "key.der").write_bytes(prefix + key.public_key)
        (tmp_path / "signature").write_bytes(signature)
        for signed, expected in ((message, 0), (message.replace("11", "12"), 1)):
            (tmp_path / "message").write_text(signed)
            words = (
                "openssl pkeyutl -verify -pubin -keyform DER -rawin "
                "-inkey key.der -sigfile signature -in message"
            )
            done = subprocess.run(words.split(), cwd=tmp_path, capture_output=True, check=False)
            assert done.returncode == expected, done


def test_a_key_is_its_owners_alone_and_is_never_replaced(teams: Teams) -> None:
    bench, path = teams.bench, teams.folder / "c.key"
    printed = bench.accept("log", "key", "c.example/tracker", "-o", path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(signed_notes.read_key(path).verifier) == printed.strip()
    assert "PRIVATE" not in printed
    assert "private" not in repr(signed_notes.read_key(path))
    assert bench.accept("log", "key", "c.example/tracker", "-o", path) == printed
    for words, message in (
        (("d.example", "-o", path), "has the key of c.example/tracker; choose another file"),
        (("d.example", "-o", teams.folder / "none" / "d.key"), "none: no such folder"),
        (("d.example", "-o", bench.write("d.txt", "text")), "d.txt: is not a private key"),
    ):
        bench.refuse("log", "key", *words, message=[message])
    path.chmod(0o640)
    bench.refuse("log", "key", "c.example/tracker", "-o", path, message=["run 'chmod 600 c.key'"])
    path.chmod(0o600)
    path.write_text(path.read_text().replace("c.example", "d.example"))
    bench.refuse("log", "key", "d.example/tracker", "-o", path, message=["it was altered"])


@pytest.mark.parametrize(
    "name", ["two words", "a+b", "a\nb", "a\u00a0b", "a\u200bb", "", "a\x1bb", "a" * 256, "\u2028"]
)
def test_a_name_that_no_note_can_have_is_refused(name: str, teams: Teams) -> None:
    words = ("log", "key", name, "-o", teams.folder / "c.key")
    complaint = teams.bench.refuse(*words, message=["cannot name a key: at most 255 letters"])
    assert len(complaint.splitlines()) == 1


def test_a_private_key_is_never_shown(teams: Teams) -> None:
    path, key = teams.checkpoint(11), teams.folder / "a.key"
    for given in (key, key.read_text().strip()):
        complaint = teams.bench.refuse("verify", path, "--vkey", given, message=["a private key"])
        assert LOG not in complaint
    teams.bench.refuse("verify", key, message=["a.key: is not a head or a proof"])
    words = (*teams.words()[:-1], teams.bench.write("b.vkey", f"{teams.witness.verifier}\n"))
    teams.bench.refuse(*words, message=["b.vkey: is not a private key"])
