"""Opens a published site for verification: its manifest and the files listed there."""

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

from tracker.errors import InputRefused
from tracker.extras.site import site_files
from tracker.extras.site.files import MANIFEST, SITE_VERSION
from tracker.files import exports, fields, json_file

LONGEST_MANIFEST = 64 << 20
_LONGEST_FILE = 1 << 30
_LONGEST_TEXT = 64 << 20

_PATH = re.compile(r"(?!\.)[A-Za-z0-9_.-]+(/(?!\.)[A-Za-z0-9_.-]+)*")
_ENTRY = fields.record({"sha256": fields.SHA256, "bytes": fields.whole(0)})


@dataclass
class OpenedSite:
    """A site opened for reading: the files in its manifest, and their differences from it.

    `manifest` is the manifest's text, `sha256` the hash of its bytes.
    """

    read: site_files.Read
    manifest: str
    sha256: str
    entries: dict[str, Any]
    tracker: str
    as_of: str
    differences: list[str] = field(default_factory=list)

    def content(self, path: str) -> bytes | None:
        """Return a file of the site; None, noting a difference, if it is not as listed."""
        entry = self.entries.get(path)
        if entry is None:
            self.differences.append(f"{path}: is not in the manifest")
            return None
        found = self.read(path, entry["bytes"] + 1)
        if found is None:
            self.differences.append(f"{path}: is in the manifest, but is missing")
        elif hashlib.sha256(found).hexdigest() == entry["sha256"]:
            return found
        elif self._is_converted(path, entry):
            self.differences.append(
                f"{path}: line endings were changed, and nothing else, as Git does where "
                "core.autocrlf is set; check the site out again without it"
            )
        elif len(found) != entry["bytes"]:
            size = "more" if len(found) > entry["bytes"] else f"{len(found):,}"
            self.differences.append(f"{path}: has {size} bytes, not {entry['bytes']:,} as listed")
        else:
            self.differences.append(f"{path}: its SHA-256 is not the one in the manifest")
        return None

    def _is_converted(self, path: str, entry: dict[str, Any]) -> bool:
        """Whether a file differs only by its line endings."""
        # Converting line ends at most doubles a file.
        found = self.read(path, 2 * entry["bytes"]) if entry["bytes"] <= _LONGEST_TEXT else None
        return found is not None and exports.line_ends_changed(found, entry["sha256"])


def open_site(location: str) -> OpenedSite:
    """Return the site at an address or in a folder; InputRefused if there is none to verify."""
    read = site_files.opened(location)
    content = read(MANIFEST, LONGEST_MANIFEST + 1)
    if content is None:
        raise InputRefused(f"{location}: is not a published site: it has no {MANIFEST}")
    if len(content) > LONGEST_MANIFEST:
        raise InputRefused(f"{location}: {MANIFEST} is longer than {LONGEST_MANIFEST:,} bytes")
    if content.lstrip()[:1] == b"<":
        raise InputRefused(
            f"{location}: {MANIFEST} is a web page instead, such as one that asks to log in"
        )
    manifest = json_file.document(f"{location}: {MANIFEST}", content)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise InputRefused(f"{location}: {MANIFEST} is not that of a published site")
    if manifest.get("site_version") != SITE_VERSION:
        raise InputRefused(f"{location}: was published by another version of tracker")
    for path, entry in manifest["files"].items():
        if not _PATH.fullmatch(path):
            raise InputRefused(f"{location}: {MANIFEST} lists '{path}', which no site has")
        fields.require(f"{location}: {MANIFEST}: {path}", entry, _ENTRY)
        if entry["bytes"] > _LONGEST_FILE:
            raise InputRefused(f"{location}: {MANIFEST} lists a file of {entry['bytes']:,} bytes")
    version, as_of = manifest.get("tracker"), manifest.get("as_of")
    return OpenedSite(
        read,
        content.decode("utf-8"),
        hashlib.sha256(content).hexdigest(),
        manifest["files"],
        version if isinstance(version, str) else "(not named)",
        as_of if isinstance(as_of, str) else "",
    )
