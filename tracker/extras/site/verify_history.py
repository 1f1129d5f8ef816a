"""Decides with Python's standard library whether the history of a published site was rewritten.

Run it with the folder of the site and that of an older copy of it, whoever kept that:
python3 downloads/verify_history.py . ../older. The log of the older copy must be the beginning of
the log of the site (RFC 9162, section 2.1.4), and what its register lists must still be listed.
Where openssl is there, timestamps of slates, and of the publication, are verified by the
certificates of the older copy.
Exit code 1: history was rewritten, or a file is missing.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIXED = ("number", "content_sha256", "frozen_on")


class Rewritten(Exception):
    """What an older copy had is no longer so."""


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two nodes (RFC 9162, section 2.1.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


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


def read(folder: Path, name: str) -> Any:
    """Return a file of the downloads of a site as JSON."""
    path = folder / "downloads" / name
    if not path.is_file():
        raise Rewritten(f"{path}: is missing")
    return json.loads(path.read_text(encoding="utf-8"))


def size_of(head: Any) -> int:
    """Return the number of entries of a head."""
    n_entries = head["n_entries"]
    if type(n_entries) is not int or n_entries < 1:
        raise Rewritten(f"a head has {n_entries!r} entries")
    return n_entries


def compare_logs(site: Path, older: Path) -> str:
    """Return that the log of a site begins with that of an older copy; Rewritten if it does not."""
    head, before = read(site, "head.json"), read(older, "head.json")
    if head["log_id"] != before["log_id"]:
        raise Rewritten("the site has another log")
    n_entries = size_of(before)
    earlier = [{**head, "consistency_path": []}, *read(site, "heads.json")]
    found = [one for one in earlier if one["n_entries"] == n_entries]
    if not found or found[0]["root_sha256"] != before["root_sha256"]:
        raise Rewritten(f"the site's log does not begin with the {n_entries:,} entries of then")
    path = [bytes.fromhex(step) for step in found[0]["consistency_path"]]
    roots = [bytes.fromhex(one["root_sha256"]) for one in (before, head)]
    if not is_consistent(n_entries, roots[0], size_of(head), roots[1], path):
        raise Rewritten(
            f"nothing proves that the log begins with the {n_entries:,} entries of then"
        )
    return f"the log begins with the {n_entries:,} entries of the older copy: none was altered"


def compare_registers(site: Path, older: Path) -> str:
    """Return that all slates of an older copy are still listed; Rewritten if one is not."""
    listed_now = read(site, "register.json")["slates"]
    now = {one["slate_id"]: one for one in listed_now}
    if len(now) < len(listed_now):
        raise Rewritten("the register of the site lists a slate twice")
    slates = read(older, "register.json")["slates"]
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


def compare_timestamps(site: Path, older: Path) -> str:
    """Return how many timestamps openssl verified; Rewritten if one is not of its hash."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return "timestamps were not verified: openssl is missing"
    n_verified = 0
    for file, digest in tokens(site):
        roots = (older / file).with_name("roots.pem")
        if not roots.exists():
            continue
        words = ["-digest", digest, "-in", str(site / file)]
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


def tokens(site: Path) -> Iterator[tuple[Path, str]]:
    """Yield the timestamps of slates and of the publication, each with the hash that it is of."""
    for slate in read(site, "register.json")["slates"]:
        folder = Path("downloads") / slate["slate_id"] / "timestamps"
        for one in slate["timestamps"]:
            yield folder / one["file"], slate["content_sha256"]
    replies = sorted((site / "publication").glob("*.tsr"))
    if replies:
        proof = json.loads((site / "publication.json").read_text(encoding="utf-8"))
        line = json.dumps(proof["head"], sort_keys=True, separators=(",", ":"))
        for path in replies:
            yield path.relative_to(site), hashlib.sha256(f"{line}\n".encode()).hexdigest()


if __name__ == "__main__":
    try:
        folders = [Path(word) for word in sys.argv[1:]]
        if len(folders) != 2:
            sys.exit("give the folder of the site and that of an older copy of it")
        for compare in (compare_logs, compare_registers, compare_timestamps):
            sys.stdout.write(f"{compare(*folders)}\n")
    except Rewritten as error:
        sys.exit(f"does not hold: {error}")
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        sys.exit(f"does not hold: a file is not as a site has it: {error!r}")
