"""The files of a site: written once, hashed while written, listed in a manifest."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from tracker import files
from tracker.errors import InputRefused
from tracker.files.exports import ATTRIBUTES, keep_line_ends

SITE_VERSION = 3
MANIFEST = "manifest.json"
# Written after the manifest is sealed (tracker.extras.site.publications).
PROOF, SCRIPT, TOKENS = "publication.json", "publication.js", "publication"
# Servers may leave out hidden files, so no manifest lists ATTRIBUTES.
UNLISTED = frozenset((MANIFEST, PROOF, SCRIPT, ATTRIBUTES))
_TOKEN = re.compile(rf"{TOKENS}/([1-9][0-9]{{0,2}}\.tsr|roots\.pem)")


def is_unlisted(path: str) -> bool:
    """Whether a site's manifest leaves out this file."""
    return path in UNLISTED or _TOKEN.fullmatch(path) is not None


class Files:
    """A folder under construction, with the SHA-256 and size of each file in it.

    Paths are relative to the folder, with forward slashes; they consist of the site's own words and
    of numbers and UUIDs of the store, never of user-supplied names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, tuple[str, int]] = {}

    @property
    def n_bytes(self) -> int:
        """The total number of bytes of the files."""
        return sum(size for _, size in self._known.values())

    def __len__(self) -> int:
        return len(self._known)

    def place(self, path: str) -> Path:
        """Return the place of a file with this path; its folder exists afterwards."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def write(self, path: str, text: str) -> None:
        """Write a text as UTF-8; raises FileExistsError if the file is there already."""
        self.write_bytes(path, text.encode())

    def write_bytes(self, path: str, content: bytes) -> None:
        """Write bytes; raises FileExistsError if the file is there already."""
        with self.place(path).open("xb") as handle:
            handle.write(content)
        self._known[path] = (hashlib.sha256(content).hexdigest(), len(content))

    def adopt(self, path: str) -> None:
        """Add a file that is already at its place."""
        place = self.folder / path
        self._known[path] = (files.sha256_of(place), place.stat().st_size)

    def adopt_folder(self, path: str) -> None:
        """Add all files that are already in a folder."""
        for place in sorted((self.folder / path).rglob("*")):
            if place.is_file():
                self.adopt(place.relative_to(self.folder).as_posix())

    def sha256(self, path: str) -> str:
        """Return the SHA-256 of a file in the folder."""
        return self._known[path][0]

    def listing(self) -> dict[str, dict[str, Any]]:
        """Return the SHA-256 and the size in bytes of every file, by path."""
        return {
            path: {"sha256": sha256, "bytes": size}
            for path, (sha256, size) in sorted(self._known.items())
        }

    def write_manifest(self, facts: dict[str, Any]) -> None:
        """Write the manifest of all other files, and a file that keeps Git from converting them."""
        manifest = {"site_version": SITE_VERSION, **facts, "files": self.listing()}
        self.write(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
        keep_line_ends(self.folder)


def require_own(folder: Path) -> None:
    """Refuse a folder whose replacement would remove more than an earlier site.

    Raises InputRefused unless the folder is absent, empty, or contains a site's manifest and only
    files that the manifest lists.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        own = {*manifest["files"]} if manifest["site_version"] else set()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputRefused(
            f"{folder}: is not empty and contains no site that tracker published"
        ) from error
    present = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    ]
    others = sorted(path for path in set(present) - own if not is_unlisted(path))
    if others:
        raise InputRefused(
            f"{folder}: contains more than a published site: {', '.join(others[:5])}"
        )
