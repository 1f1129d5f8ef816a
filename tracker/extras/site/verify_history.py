"""Decides with Python's standard library whether the history of a published site was rewritten.

Run it with the folder of the site and that of an older copy of it, whoever kept that, and use the
script of the older copy: python3 ../older/downloads/verify_history.py . ../older

Of the site: every file has the hash that the manifest lists, the manifest is an entry of the log,
and so is each slate of the register, in the order of the register (RFC 9162, section 2.1.3). Since
the older copy: its log is the beginning of the log of the site (section 2.1.4), what its register
lists is still listed, and what both say of the same heads is the same. Where openssl is there,
timestamps of slates, and of the publication, are verified by the certificates of the older copy.
It does not hash the rows of slates, nor compare what two files say twice: tracker verify does.
Exit code 1: history was rewritten, or a file is missing or not as it was published.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIXED = ("number", "content_sha256", "frozen_on")
HEAD, HEADS, REGISTER = "downloads/head.json", "downloads/heads.json", "downloads/register.json"
MANIFEST, PROOF, SCRIPT = "manifest.json", "publication.json", "publication.js"
CONSOLE = "console/index.html"
# What the manifest cannot list: itself, what was made of it, and a file that servers leave out.
UNLISTED = re.compile(
    rf"{MANIFEST}|{PROOF}|{SCRIPT}|\.gitattributes|publication/([0-9]{{1,3}}\.tsr|roots\.pem)"
)
NAME = re.compile(r"(?!\.)[A-Za-z0-9_.-]+(/(?!\.)[A-Za-z0-9_.-]+)*")


class Rewritten(Exception):
    """What an older copy had is no longer so, or a site is not as it was published."""


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two nodes (RFC 9162, section 2.1.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def is_included(leaf: bytes, index: int, n_entries: int, root: bytes, path: list[bytes]) -> bool:
    """Whether a path proves that a leaf is that entry of a tree (section 2.1.3.2)."""
    if not 0 <= index < n_entries:
        return False
    place, last, found = index, n_entries - 1, leaf
    for step in path:
        if last == 0:
            return False
        if place % 2 or place == last:
            found = node(step, found)
            while place and not place % 2:
                place, last = place // 2, last // 2
        else:
            found = node(found, step)
        place, last = place // 2, last // 2
    return last == 0 and found == root


def is_consistent(
    n_first: int, first_root: bytes, n_second: int, second_root: bytes, path: list[bytes]
) -> bool:
    """Whether a path proves that a tree begins with all leaves of another (section 2.1.4.2)."""
    if n_first == n_second:
        return not path and first_root == second_root
    steps = path if n_first & (n_first - 1) else [first_root, *path]
    if not 0 < n_first < n_second or not steps:
        return False
    place, last = n_first - 1, n_second - 1
    while place % 2:
        place, last = place // 2, last // 2
    first = second = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place % 2 or place == last:
            first, second = node(step, first), node(step, second)
            while place and not place % 2:
                place, last = place // 2, last // 2
        else:
            second = node(second, step)
        place, last = place // 2, last // 2
    return last == 0 and (first, second) == (first_root, second_root)


def located(folder: Path, name: str) -> Path:
    """Return the place of a file of a site; Rewritten if it is missing, or not in the folder."""
    path = folder / name
    if not NAME.fullmatch(name) or not path.resolve().is_relative_to(folder.resolve()):
        raise Rewritten(f"{name!r} is not the name of a file of a site")
    if not path.is_file():
        raise Rewritten(f"{path}: is missing")
    return path


def read(folder: Path, name: str) -> Any:
    """Return a file of a site as JSON."""
    return json.loads(located(folder, name).read_text(encoding="utf-8"))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def hashes(listed: list[str]) -> list[bytes]:
    """Return the hashes of a path."""
    return [bytes.fromhex(one) for one in listed]


def tree_of(head: Any) -> tuple[int, bytes]:
    """Return the number of entries of a head, and their root."""
    n_entries = head["n_entries"]
    if type(n_entries) is not int or n_entries < 1:
        raise Rewritten(f"a head has {n_entries!r} entries")
    return n_entries, bytes.fromhex(head["root_sha256"])


def require_entry(name: str, proof: Any, leaf: bytes) -> int:
    """Return which entry of the log of its head a proof shows a leaf to be; Rewritten if none."""
    index = proof["leaf_index"]
    if type(index) is not int or not is_included(
        leaf, index, *tree_of(proof["head"]), hashes(proof["inclusion_path"])
    ):
        raise Rewritten(f"{name}: the row is not entry {index!r} of the log of its head")
    return index


def sealed_row(name: str, proof: Any, table: str) -> tuple[int, Any]:
    """Return the entry of a proof, and the row of a table that is sealed there."""
    if proof["table"] != table:
        raise Rewritten(f"{name}: is the proof of a row of {proof['table']}, not of {table}")
    leaf = hashlib.sha256(b"\x00" + f"{table}\n{proof['line']}".encode()).digest()
    return require_entry(name, proof, leaf), json.loads(proof["line"])


def check_files(site: Path, _older: Path) -> str:
    """Return that the files of a site are those that its manifest lists; Rewritten if not."""
    listed = read(site, MANIFEST)["files"]
    for name, entry in listed.items():
        path = located(site, name)
        if (sha256_of(path), path.stat().st_size) != (entry["sha256"], entry["bytes"]):
            raise Rewritten(f"{name}: is not as {MANIFEST} lists it")
    for path in site.rglob("*"):
        name = path.relative_to(site).as_posix()
        if not path.is_dir() and name not in listed and not UNLISTED.fullmatch(name):
            raise Rewritten(f"{name}: is not in {MANIFEST}")
    return f"the {len(listed):,} files are as {MANIFEST} lists them"


def check_publication(site: Path, _older: Path) -> str:
    """Return that the manifest of a site is sealed in its log; Rewritten if that is not proved."""
    proof, head = read(site, PROOF), read(site, HEAD)
    index, row = sealed_row(PROOF, proof, "publication")
    if row["manifest_sha256"] != sha256_of(site / MANIFEST):
        raise Rewritten(f"{PROOF}: is of another manifest")
    if proof["from_head"] != head or proof["head"]["log_id"] != head["log_id"]:
        raise Rewritten(f"{PROOF}: does not begin at {HEAD}")
    path = hashes(proof["consistency_path"])
    if not is_consistent(*tree_of(head), *tree_of(proof["head"]), path):
        raise Rewritten(f"{PROOF}: its log does not begin with that of {HEAD}")
    passed = json.dumps({"manifest": (site / MANIFEST).read_text(encoding="utf-8"), "proof": proof})
    if located(site, SCRIPT).read_bytes() != f'slateRows("publication", {passed});\n'.encode():
        raise Rewritten(f"{SCRIPT}: differs from {MANIFEST} and {PROOF}")
    return f"{MANIFEST} is entry {index:,} of the log"


def check_slates(site: Path, _older: Path) -> str:
    """Return that all slates of the register are entries of the log; Rewritten if one is not."""
    register, head, day = read(site, REGISTER), read(site, HEAD), read(site, MANIFEST)["as_of"]
    slates = register["slates"]
    last, before = -1, None
    for number, one in enumerate(slates, start=1):
        name = f"downloads/{one['slate_id']}/proof.json"
        proof = read(site, name)
        if one["number"] != number:
            raise Rewritten(f"{REGISTER}: slate {number} has the number {one['number']}")
        if proof["head"] != head:
            raise Rewritten(f"{name}: its head is not {HEAD}")
        if one["withheld_until"] is None:
            index, row = sealed_row(name, proof, "slate")
            if (row["slate_id"], row["content_sha256"]) != (one["slate_id"], one["content_sha256"]):
                raise Rewritten(f"{name}: is of another slate")
            if row.get("origin") == "frozen" and row.get("previous_sha256") != before:
                raise Rewritten(f"{name}: the slate before it is not in the register")
        else:
            if one["withheld_until"] <= day[:10]:
                raise Rewritten(f"slate {one['slate_id']}: was to be revealed before {day[:10]}")
            index = require_entry(name, proof, bytes.fromhex(proof["leaf_sha256"]))
        if index <= last:
            raise Rewritten(f"{REGISTER}: the numbers are not in the order of the log's entries")
        last, before = index, one["content_sha256"]
    shown = [one["slate_id"] for one in slates if one["withheld_until"] is None]
    pages = sorted(path.stem for path in (site / "slates").glob("*.html"))
    if (register["n_slates"], register["n_shown"]) != (len(slates), len(shown)):
        raise Rewritten(f"{REGISTER}: does not list as many slates as it says")
    if sorted(shown) != pages:
        raise Rewritten(f"{REGISTER}: the slates that it shows are not those with a page")
    return f"the {len(slates):,} slates of the register are entries of the log"


def compare_logs(site: Path, older: Path) -> str:
    """Return that the log of a site begins with that of an older copy; Rewritten if it does not."""
    head, before = read(site, HEAD), read(older, HEAD)
    if head["log_id"] != before["log_id"]:
        raise Rewritten("the site has another log")
    n_entries, root = tree_of(before)
    earlier = [{**head, "consistency_path": []}, *read(site, HEADS)]
    found = [one for one in earlier if one["n_entries"] == n_entries]
    if not found or found[0]["root_sha256"] != before["root_sha256"]:
        raise Rewritten(f"the site's log does not begin with the {n_entries:,} entries of then")
    path = hashes(found[0]["consistency_path"])
    if not is_consistent(n_entries, root, *tree_of(head), path):
        raise Rewritten(
            f"nothing proves that the log begins with the {n_entries:,} entries of then"
        )
    return f"the log begins with the {n_entries:,} entries of the older copy: none was altered"


def compare_registers(site: Path, older: Path) -> str:
    """Return that all slates of an older copy are still listed; Rewritten if one is not."""
    listed_now = read(site, REGISTER)["slates"]
    now = {one["slate_id"]: one for one in listed_now}
    if len(now) < len(listed_now):
        raise Rewritten("the register of the site lists a slate twice")
    slates = read(older, REGISTER)["slates"]
    for slate in slates:
        listed = now.get(slate["slate_id"])
        if listed is None:
            raise Rewritten(f"slate {slate['slate_id']} is no longer listed")
        for name in FIXED:
            if listed[name] != slate[name]:
                raise Rewritten(f"slate {slate['slate_id']}: its {name} was {slate[name]}")
        if listed["withheld_until"] not in (None, slate["withheld_until"]):
            raise Rewritten(f"slate {slate['slate_id']}: is withheld again")
        if len(listed["timestamps"]) < len(slate["timestamps"]):
            raise Rewritten(f"slate {slate['slate_id']}: has fewer timestamps than then")
    return f"the {len(slates):,} slates of the older copy are listed as they were"


def compare_copies(site: Path, older: Path) -> str:
    """Return that a site says what an older copy says of the same heads; Rewritten if not.

    Where both show the same head, as of the same instant, by the same version of tracker, every
    file is the same.
    """
    heads, manifests = [], []
    for folder in (site, older):
        found = [read(folder, HEAD), *read(folder, HEADS)]
        heads.append({one["head_id"]: {**one, "consistency_path": None} for one in found})
        manifests.append(read(folder, MANIFEST))
    common = sorted(heads[0].keys() & heads[1].keys())
    for number in common:
        if heads[0][number] != heads[1][number]:
            raise Rewritten(f"{HEADS}: head {number} is not as the older copy has it")
    drawn, then = (
        (one["tracker"], one["as_of"], max(of), CONSOLE in one["files"])
        for one, of in zip(manifests, heads, strict=True)
    )
    if drawn == then and manifests[0] != manifests[1]:
        raise Rewritten("a file differs from the older copy, which shows the same head of the log")
    return f"what both say of {len(common):,} heads of the log is the same"


def compare_timestamps(site: Path, older: Path) -> str:
    """Return how many timestamps openssl verified; Rewritten if one is not of its hash."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return "timestamps were not verified: openssl is missing"
    n_verified = 0
    for file, digest in tokens(site):
        reply, roots = located(site, file), (older / file).with_name("roots.pem")
        if not roots.exists():
            continue
        words = ["-digest", digest, "-in", str(reply)]
        # The words are those above, and names of files in the folders that were given.
        done = subprocess.run(  # noqa: S603
            [openssl, "ts", "-verify", *words, "-CAfile", str(roots), "-no_check_time"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Rewritten(f"{file}: openssl says: {done.stderr.strip()}")
        n_verified += 1
    return f"{n_verified:,} timestamps are verified by the roots of the older copy"


def tokens(site: Path) -> Iterator[tuple[str, str]]:
    """Yield the timestamps of slates and of the publication, each with the hash that it is of."""
    for slate in read(site, REGISTER)["slates"]:
        for one in slate["timestamps"]:
            yield (
                f"downloads/{slate['slate_id']}/timestamps/{one['file']}",
                slate["content_sha256"],
            )
    line = json.dumps(read(site, PROOF)["head"], sort_keys=True, separators=(",", ":"))
    for path in sorted((site / "publication").glob("*.tsr")):
        yield path.relative_to(site).as_posix(), hashlib.sha256(f"{line}\n".encode()).hexdigest()


CHECKS = (
    check_files,
    check_publication,
    check_slates,
    compare_logs,
    compare_registers,
    compare_copies,
    compare_timestamps,
)
# What Python raises where a file has not the form that it has in a site.
MALFORMED = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)

if __name__ == "__main__":
    try:
        folders = [Path(word) for word in sys.argv[1:]]
        if len(folders) != 2:
            sys.exit("give the folder of the site and that of an older copy of it")
        for check in CHECKS:
            sys.stdout.write(f"{check(*folders)}\n")
    except Rewritten as error:
        sys.exit(f"does not hold: {error}")
    except MALFORMED as error:
        sys.exit(f"does not hold: a file is not as a site has it: {error!r}")
