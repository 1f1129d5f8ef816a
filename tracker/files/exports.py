"""The folder of an export: data in Parquet, and a manifest with the hash of each file."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tracker.errors import InputRefused
from tracker.files import streams

MANIFEST = "manifest.json"
ATTRIBUTES = ".gitattributes"


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Write the manifest: these facts and the SHA-256 of every Parquet file in the folder."""
    hashes = {path.name: streams.sha256_of(path) for path in sorted(folder.glob("*.parquet"))}
    manifest = {**facts, "files": hashes}
    (folder / MANIFEST).write_text(
        json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def keep_line_ends(folder: Path) -> None:
    """Write the file that keeps Git from converting the line endings of a folder."""
    (folder / ATTRIBUTES).write_text("* -text\n", encoding="utf-8")


def line_ends_changed(content: bytes, sha256: str) -> bool:
    """Whether bytes of another hash have it with the line feeds that tracker writes."""
    restored = content.replace(b"\r\n", b"\n")
    return restored != content and hashlib.sha256(restored).hexdigest() == sha256


def refuse_foreign_content(
    folder: Path,
    data_files: Sequence[str],
    read_manifest: Callable[[Path], object],
    subfolders: Mapping[str, re.Pattern[str]] | None = None,
) -> None:
    """Refuse a target whose replacement would remove more than an earlier export.

    `read_manifest` raises InputRefused for a file that is not a manifest of such an export;
    `subfolders` may have files of these names.
    """
    content = sorted(folder.iterdir()) if folder.is_dir() else []
    if not content:
        return
    try:
        read_manifest(folder / MANIFEST)
    except InputRefused as error:
        raise InputRefused(f"{folder}: is not empty and contains no earlier export") from error
    own = (*data_files, MANIFEST, ATTRIBUTES)
    others = []
    for path in content:
        names = (subfolders or {}).get(path.name)
        if names is not None and path.is_dir() and not path.is_symlink():
            others += [
                f"{path.name}/{file.name}"
                for file in sorted(path.iterdir())
                if not names.fullmatch(file.name) or not file.is_file()
            ]
        elif path.name not in own or not path.is_file():
            others.append(path.name)
    if others:
        raise InputRefused(
            f"{folder}: contains more than an earlier export: {', '.join(others[:5])}"
        )
