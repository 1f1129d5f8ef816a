"""Files on their way: the part that has come so far, and the note beside one that has landed."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tracker import replacing
from tracker.errors import InputRefused, RequestFailed
from tracker.files import json_file
from tracker.http_client import NoRoom, bare, shown

# What a fetch leaves free on a disk, for the store and whatever else is there.
_SPARE_BYTES = 1 << 28
_DIGESTS = {32: "md5", 40: "sha1", 64: "sha256"}


@dataclass(frozen=True)
class Landed:
    """A file that was fetched: where from and when, the SHA-256 of its bytes, its validators."""

    url: str
    fetched_at: str
    sha256: str
    n_bytes: int
    etag: str | None = None
    last_modified: str | None = None

    @classmethod
    def now(cls, url: str, path: Path, **validators: str | None) -> "Landed":
        """Return the facts of a file that has just come from a URL and is at a path for now."""
        fetched_at = datetime.now(UTC).isoformat(timespec="seconds")
        sha256 = _digest(path, "sha256")
        return cls(bare(url), fetched_at, sha256, path.stat().st_size, **validators)

    def put(self, written: Path, path: Path) -> None:
        """Move the file to its place, once a note beside that says where it came from."""
        note(path, self)
        replacing.put(written, path)


def note_of(path: Path) -> Path:
    """Return the hidden file beside a fetched file that says where it came from."""
    return path.with_name(f".{path.name}.fetched.json")


def landed(path: Path) -> Landed | None:
    """Return where a file was fetched from, None if it was not, or has been changed since."""
    note = note_of(path)
    if not note.is_file() or not path.is_file():
        return None
    try:
        found = Landed(**json_file.read(note, "a note on a fetched file"))
    except (InputRefused, TypeError):
        return None
    return found if found.n_bytes == path.stat().st_size else None


def free_place(folder: Path, stem: str, suffix: str, done: Landed) -> Path:
    """Return where a file can go, with a part of its hash in the name if another is there."""
    path = folder / f"{stem}{suffix}"
    return folder / f"{stem}-{done.sha256[:8]}{suffix}" if path.exists() else path


def note(path: Path, done: Landed) -> None:
    """Write beside a file where it came from."""
    with replacing.file(note_of(path)) as written:
        written.write_text(json.dumps(asdict(done), indent=1) + "\n", encoding="utf-8")


def ask_again(path: Path) -> None:
    """Let the next fetch ask for the whole of a file that was refused, if it was fetched.

    It may have come cut short, by a server that stated a false length; the file that the server
    has would be unchanged since.
    """
    done = landed(path)
    if done is not None:
        note(path, replace(done, etag=None, last_modified=None))


@dataclass(frozen=True)
class Part:
    """The part of a file that has come so far, and the validators by which it is continued."""

    url: str
    path: Path
    note: Path

    @classmethod
    def of(cls, url: str, folder: Path) -> "Part":
        """Return the part of the file at a URL that goes into a folder."""
        name = f".{hashlib.sha256(url.encode()).hexdigest()[:16]}.part"
        return cls(url, folder / name, folder / f"{name}.json")

    @property
    def name(self) -> str:
        """The name of the file on its server, or that of the server."""
        return httpx.URL(self.url).path.rpartition("/")[2] or httpx.URL(self.url).host

    def resumption(self) -> tuple[int, dict[str, str]]:
        """Return where to continue, and the headers that ask for the rest of the same file."""
        held = self._held()
        if_range = held.get("if_range")
        if not if_range or held.get("url") != bare(self.url) or not self.path.is_file():
            return 0, {}
        start = self.path.stat().st_size
        return start, {"Range": f"bytes={start}-", "If-Range": if_range} if start else {}

    def is_same(self, response: httpx.Response) -> bool:
        """Whether the rest that a server sends is of the file that was begun."""
        held = self._held()
        return all(
            held.get(name) in (None, response.headers.get(header, held.get(name)))
            for name, header in (("etag", "ETag"), ("last_modified", "Last-Modified"))
        )

    def begin(self, response: httpx.Response, start: int) -> None:
        """Note the validators of the file before its first byte is written."""
        if start:
            return
        etag = response.headers.get("ETag")
        last_modified = response.headers.get("Last-Modified")
        strong = etag if etag and not etag.startswith("W/") else None
        held = {"url": bare(self.url), "etag": etag, "last_modified": last_modified}
        self.path.unlink(missing_ok=True)
        self.note.write_text(json.dumps({**held, "if_range": strong or last_modified}))

    def discard(self) -> None:
        """Remove what has come so far."""
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def land(self, place: Callable[[Landed], Path | None], checksum: str | None) -> Path | None:
        """Check the whole file, note where it came from, and put it in its place."""
        if checksum is not None and _digest(self.path, _DIGESTS[len(checksum)]) != checksum.lower():
            self.discard()
            raise RequestFailed(f"{shown(self.url)}: its checksum is not the published one")
        held = self._held()
        validators = {name: held.get(name) for name in ("etag", "last_modified")}
        done = Landed.now(self.url, self.path, **validators)
        path = place(done)
        if path is not None:
            done.put(self.path, path)
        self.discard()
        return path

    def _held(self) -> dict[str, Any]:
        try:
            held = json.loads(self.note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}


def require_space(path: Path, n_bytes: int) -> None:
    """Raise NoRoom if so many more bytes beside a file would leave too little room."""
    free = shutil.disk_usage(path.parent).free
    if n_bytes + _SPARE_BYTES > free:
        raise NoRoom(
            f"{path.parent}: needs {n_bytes:,} bytes, and {_SPARE_BYTES:,} to spare, "
            f"and has {free:,} free"
        )


def require_past(stated: date, where: str) -> None:
    """Raise RequestFailed for the date of data that is beyond tomorrow by this machine's clock."""
    if is_ahead(stated):
        raise RequestFailed(f"{where}: is dated {stated}, which is in the future")


def is_ahead(stated: date) -> bool:
    """Whether a date is later than it can be anywhere, by this machine's clock."""
    return stated > datetime.now(UTC).date() + timedelta(days=1)


def _digest(path: Path, name: str) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, name).hexdigest()
