"""Verifies the slate in this folder with Python's standard library and openssl.

Run it in the folder: python3 verify.py. It says what the files prove: that slate.txt (present once
the content is revealed) is what was frozen, that its hash is in the log, and when an authority has
seen that hash. Whether to trust an authority is yours to say: compare the SHA-256 of the
certificates in timestamps/roots.pem with what it publishes. Exit code 1: something does not fit.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
LINE_ENDS = (
    "line endings were changed, and nothing else, as Git does where core.autocrlf is set; check "
    "the folder out again without it"
)


class VerificationFailed(Exception):
    """A file is not what another one says."""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf of a Merkle tree (RFC 9162, section 2.1.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def root_above(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """Return the root that a path leads to from a leaf (RFC 9162, section 2.1.3.2)."""
    place, last, found = index, size - 1, leaf
    if not 0 <= index < size:
        raise VerificationFailed("proof.json: the place of the slate is outside the log")
    for step in path:
        if last == 0:
            raise VerificationFailed("proof.json: the path is too long")
        if place % 2 or place == last:
            found = hashlib.sha256(b"\x01" + step + found).digest()
            while place and not place % 2:
                place, last = place // 2, last // 2
        else:
            found = hashlib.sha256(b"\x01" + found + step).digest()
        place, last = place // 2, last // 2
    if last:
        raise VerificationFailed("proof.json: the path is too short")
    return found


def logged_slate() -> tuple[dict[str, str], str]:
    """Return the slate's row in the log and the hash of the log's head, if one leads to the other.

    Raises VerificationFailed if the row is not in the log with that head.
    """
    proof = json.loads((FOLDER / "proof.json").read_text(encoding="utf-8"))
    head, line = proof["head"], proof["line"]
    leaf = leaf_hash(f"{proof['table']}\n{line}".encode())
    path = [bytes.fromhex(step) for step in proof["inclusion_path"]]
    root = root_above(leaf, proof["leaf_index"], head["n_entries"], path)
    if proof["table"] != "slate" or root.hex() != head["root_sha256"]:
        raise VerificationFailed("proof.json: the slate is not in the log with this head")
    canonical = json.dumps(head, sort_keys=True, separators=(",", ":")) + "\n"
    return json.loads(line), hashlib.sha256(canonical.encode()).hexdigest()


def stated_time(token: Path, sha256: str) -> str:
    """Return when an authority states that it has seen a hash, as openssl reads its token.

    Raises VerificationFailed if openssl finds that the token is not of this hash, or not of an
    authority with a certificate in roots.pem.
    """
    if shutil.which("openssl") is None:
        return "a time that is not checked, since openssl is missing"
    # A certificate that has expired since then was valid when the token was made.
    verified = run_openssl(
        "-verify",
        "-digest",
        sha256,
        "-in",
        str(token),
        "-no_check_time",
        "-CAfile",
        str(token.with_name("roots.pem")),
    )
    if verified.returncode:
        raise VerificationFailed(
            f"timestamps/{token.name}: openssl says: {verified.stderr.strip()}"
        )
    text = run_openssl("-reply", "-in", str(token), "-text").stdout
    return next(line.partition(": ")[2] for line in text.splitlines() if "Time stamp:" in line)


def run_openssl(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run openssl's command for timestamps; return what it printed."""
    command = [shutil.which("openssl") or "openssl", "ts", *words]
    # The words are those above, and names of files in this folder.
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


def check() -> list[str]:
    """Return what the files of the folder prove.

    Raises VerificationFailed if they do not fit together.
    """
    row, head_sha256 = logged_slate()
    sha256 = row["content_sha256"]
    found = [f"slate {row['slate_id']}, SHA-256 {sha256}, is in the log with head {head_sha256}"]
    content = FOLDER / "slate.txt"
    if content.exists():
        given = content.read_bytes()
        if hashlib.sha256(given).hexdigest() != sha256:
            restored = hashlib.sha256(given.replace(b"\r\n", b"\n")).hexdigest()
            if restored == sha256:
                raise VerificationFailed(f"slate.txt: {LINE_ENDS}")
            raise VerificationFailed(
                "slate.txt: is not what was frozen: it has a different SHA-256"
            )
        found.append("slate.txt is what was frozen: it has this SHA-256")
    tokens = sorted((FOLDER / "timestamps").glob("*.tsr"))
    for token in tokens:
        of_head = token.name.startswith("head")
        time = stated_time(token, head_sha256 if of_head else sha256)
        found.append(f"{'the head' if of_head else 'the slate'} existed by {time} ({token.name})")
    if not tokens:
        found.append("no authority states when: the date is claimed")
    return found


if __name__ == "__main__":
    try:
        sys.stdout.write("".join(f"{line}\n" for line in check()))
    except (VerificationFailed, OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"does not fit: {error}")
