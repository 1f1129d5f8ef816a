"""Compares the rows and the download of a slate on a published site with its registered hash.

The rows, as the page passes them on, are the bytes of the frozen slate.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from tracker.errors import InputRefused
from tracker.extras.site import download_lines, downloads
from tracker.extras.site.opened import OpenedSite
from tracker.files import fields
from tracker.slates.exports import DATA_FILES

_MOST_ROWS_BYTES = 1 << 30
_ROWS_FILE = re.compile(r"slates/([0-9a-f-]{36})/rows-[0-9]+\.js")
_HEADER = fields.record(
    {"slate_id": fields.IDENTIFIER, "n_predictions": fields.whole(0), "is_replay": fields.FLAG}
)


class _Unreadable(Exception):
    """A file that is not text, or whose difference from the manifest is already recorded."""


@dataclass
class _Slate:
    """A slate's canonical bytes as published with its page."""

    sha256: str
    header_line: str
    header: dict[str, Any]
    lines: list[str]


def check(site: OpenedSite, listed: dict[str, Any]) -> list[str]:
    """Compare a slate's rows and download with its registered hash; return what was equal.

    Adds differences to the site.
    """
    n_before = len(site.differences)
    folder = f"slates/{listed['slate_id']}"
    slate = _read_slate(site, folder)
    if slate is None:
        return []
    header, n = slate.header, len(slate.lines)
    if slate.sha256 != listed["content_sha256"]:
        site.differences.append(
            f"{folder}: the published rows have the SHA-256 {slate.sha256}, not that of the "
            f"register, {listed['content_sha256']}"
        )
        return []
    if n != header["n_predictions"]:
        site.differences.append(
            f"{folder}: {n:,} rows are published, {header['n_predictions']:,} were frozen"
        )
    if header["slate_id"] != listed["slate_id"]:
        site.differences.append(f"{folder}: the rows are of the slate {header['slate_id']}")
    _check_downloads(site, listed["slate_id"], slate)
    if len(site.differences) > n_before:
        return []
    replay = " (a replay, frozen with hindsight)" if header["is_replay"] else ""
    return [
        f"slate {header['slate_id']}{replay}: {n:,} published rows, the download and the header "
        f"have the SHA-256 {slate.sha256}"
    ]


def _text(site: OpenedSite, path: str) -> str:
    content = site.content(path)
    if content is None:
        raise _Unreadable
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        site.differences.append(f"{path}: is not UTF-8 (byte {error.start:,})")
        raise _Unreadable from error


def _read_slate(site: OpenedSite, folder: str) -> _Slate | None:
    """Read a slate's canonical bytes from the files in its page's folder."""
    sizes = [
        entry["bytes"]
        for path, entry in site.entries.items()
        if _ROWS_FILE.fullmatch(path) and path.startswith(f"{folder}/")
    ]
    if sum(sizes) > _MOST_ROWS_BYTES:
        site.differences.append(f"{folder}: has rows of more than {_MOST_ROWS_BYTES:,} bytes")
        return None
    path = f"{folder}/rows-0.js"
    lines: list[str] = []
    try:
        header_line = _passed_value(_text(site, path), 0)
        header = json.loads(header_line)
        fields.require(path, header, _HEADER)
        for number in range(1, max(len(sizes), 2)):
            path = f"{folder}/rows-{number}.js"
            found = _passed_value(_text(site, path), number)
            if not isinstance(found, list) or not all(map(_is_line, found)):
                raise ValueError
            lines += found
        digest = hashlib.sha256(header_line.encode())
        for line in lines:
            digest.update(f"{line}\n".encode())
    except _Unreadable:
        return None
    except (ValueError, TypeError, OverflowError, RecursionError, InputRefused) as error:
        reason = f": {error}" if isinstance(error, InputRefused) else ""
        site.differences.append(f"{path}: does not contain the expected rows{reason}")
        return None
    return _Slate(digest.hexdigest(), header_line, header, lines)


def _passed_value(text: str, number: int) -> Any:
    """Return the value that a file of rows passes to the page; raises ValueError."""
    start, end = f"slateRows({number}, ", ");\n"
    if not text.startswith(start) or not text.endswith(end):
        raise ValueError
    return json.loads(text[len(start) : -len(end)])


def _is_line(value: object) -> bool:
    # The eleven fields of sql/prospective/prediction_line.sql.
    return isinstance(value, str) and value.count("\t") == 10 and "\n" not in value


def _check_downloads(site: OpenedSite, slate_id: str, slate: _Slate) -> None:
    folder = downloads.folder_of(slate_id)
    path = f"{folder}/manifest.json"
    try:
        manifest = json.loads(_text(site, path))
        compact = json.dumps(
            manifest["header"], sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        listed = dict(manifest["files"])
        is_equal = manifest["content_sha256"] == slate.sha256
    except _Unreadable:
        return
    except (ValueError, KeyError, TypeError, RecursionError):
        site.differences.append(f"{path}: is not the manifest of a slate")
        return
    if not is_equal or f"{compact}\n" != slate.header_line:
        site.differences.append(f"{path}: describes a slate other than {slate.sha256}")
    for name in DATA_FILES:
        content = site.content(f"{folder}/{name}")
        if content is None:
            continue
        if hashlib.sha256(content).hexdigest() != listed.get(name):
            site.differences.append(f"{folder}/{name}: its SHA-256 is not the one in its manifest")
        if name == "predictions.parquet":
            site.differences += [
                f"{folder}/{name}: {one}"
                for one in download_lines.differences(content, slate.lines)
            ]
