"""Opens folders, zips and gzipped tars of an outside source without trusting them.

Nothing is unpacked under a name the archive chooses, and nothing inflates without bound.
"""

import contextlib
import hashlib
import lzma
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from tracker import scratch
from tracker.errors import InputRefused, RefusedForNow
from tracker.files import stand_ins

# An official ChEMBL dump inflates five-fold to some 30 GB; registry text ten-fold.
MAX_RATIO = 200
MAX_BYTES = 100 * 1024**3
# Limit for a zip's file parsed in memory, where it takes several times its size.
MAX_BYTES_IN_MEMORY = 1024**3
# Below this, a ratio is meaningless: a small file may be one repeated character.
_RATIO_FREE_BYTES = 10 * 1024**2
_CHUNK_BYTES = 1 << 20
_JOURNALS = ("-journal", "-wal")
# Errors zipfile raises for a damaged, encrypted or oddly packed member.
_DAMAGED = (
    zipfile.BadZipFile,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True)
class Stamp:
    """Shows whether a file was changed while it was read."""

    path: Path
    size: int
    modified_ns: int

    @classmethod
    def of(cls, path: Path) -> "Stamp":
        """Take the stamp of a file; raises InputRefused if there is none."""
        try:
            found = path.stat()
        except OSError as error:
            raise InputRefused(f"{path}: cannot be read: {error.strerror}") from error
        return cls(path, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True)
class Member:
    """A file in a folder or zip: its name there and its bytes."""

    name: str
    content: bytes


def stamped(paths: Sequence[Path]) -> tuple[Stamp, ...]:
    """Return the stamps of files about to be hashed and read, for `refuse_changed` afterwards.

    Raises RefusedForNow for a file a database is writing, and InputRefused for one that stands in
    for the data.
    """
    for path in paths:
        stand_ins.refuse(path)
        for suffix in _JOURNALS:
            journal = Path(f"{path}{suffix}")
            if journal.exists() and journal.stat().st_size > 0:
                raise RefusedForNow(f"{path.name}: is still being written: {journal.name} exists")
    return tuple(Stamp.of(path) for path in paths)


def refuse_changed(stamps: Sequence[Stamp]) -> None:
    """Raise RefusedForNow if a file has changed since it was stamped."""
    for stamp in stamps:
        if Stamp.of(stamp.path) != stamp:
            raise RefusedForNow(f"{stamp.path.name}: was changed while it was read; try again")


def files_below(paths: Sequence[Path], suffixes: Sequence[str]) -> list[Path]:
    """Return the files `paths` name; folders are searched for files with one of `suffixes`.

    Hidden files are left out. Raises InputRefused for a path that is absent or has none.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_file():
            found.append(path)
            continue
        if not path.is_dir():
            raise InputRefused(f"{path}: no such file or folder")
        inside = [
            child
            for child in sorted(path.rglob("*"))
            if child.is_file()
            and child.name.lower().endswith(tuple(suffixes))
            and not any(part.startswith(".") for part in child.relative_to(path).parts)
        ]
        if not inside:
            raise InputRefused(
                f"{path}: the folder contains no file ending in {', '.join(suffixes)}"
            )
        found += inside
    for path in found:
        if not str(path).isascii() and any("\ud800" <= sign <= "\udfff" for sign in path.name):
            raise InputRefused(f"{path.name!a}: the name of the file is not UTF-8")
    return list(dict.fromkeys(found))


def content_sha256(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of one file's bytes, or of the sorted hashes of several files.

    File names do not count: the same content elsewhere has the same hash.
    """
    hashes = []
    for path in paths:
        try:
            with path.open("rb") as handle:
                hashes.append(hashlib.file_digest(handle, "sha256").hexdigest())
        except OSError as error:
            raise InputRefused(f"{path}: cannot be read: {error.strerror}") from error
    return combined_sha256(hashes)


def combined_sha256(hashes: Sequence[str]) -> str:
    """Return the one hash of a file, or that of the sorted hashes of several."""
    if len(hashes) == 1:
        return hashes[0]
    return hashlib.sha256("".join(f"{value}\n" for value in sorted(hashes)).encode()).hexdigest()


def is_zip(path: Path) -> bool:
    """Whether a file begins like a zip, whatever its name."""
    try:
        with path.open("rb") as handle:
            return handle.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except OSError as error:
        raise InputRefused(f"{path}: cannot be read: {error.strerror}") from error


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file to parse in memory; raises InputRefused if it is too big."""
    size = Stamp.of(path).size
    if size > MAX_BYTES_IN_MEMORY:
        raise InputRefused(
            f"{path.name}: has {size:,} bytes; at most {MAX_BYTES_IN_MEMORY:,} are read at once"
        )
    return path.read_bytes()


def zip_names(path: Path) -> list[str]:
    """Return the sorted names of a zip's files; refuses outside paths and endless inflation."""
    with _open_zip(path) as archive:
        return sorted(_checked(path, archive))


def zip_sizes(path: Path) -> dict[str, int]:
    """Return the size that each of a zip's files inflates to; refuses as `zip_names` does."""
    with _open_zip(path) as archive:
        return {name: archive.getinfo(name).file_size for name in _checked(path, archive)}


def zip_members(path: Path, suffixes: Sequence[str]) -> Iterator[Member]:
    """Yield the files of a zip whose names end in one of `suffixes`, in order of name."""
    with _open_zip(path) as archive:
        for name in sorted(_checked(path, archive)):
            if name.lower().endswith(tuple(suffixes)):
                yield Member(name, _inflate(path, archive, name))


def zip_contents(path: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes of a zip's files whose last path part is one of `names`."""
    with _open_zip(path) as archive:
        found = _plainly_named(path, archive, names)
        return {plain: _inflate(path, archive, name) for plain, name in found.items()}


def unzip(path: Path, names: Sequence[str], folder: Path) -> None:
    """Write the files of a zip whose last path part is one of `names` into `folder`, flat."""
    with _open_zip(path) as archive:
        for plain, name in _plainly_named(path, archive, names).items():
            size = archive.getinfo(name).file_size
            _require_space(path, size, folder)
            try:
                with archive.open(name) as source, (folder / plain).open("wb") as target:
                    _copy(source, target, size, f"{path.name}, {name}")
            except _DAMAGED as error:
                raise InputRefused(f"{path.name}: {name} cannot be unpacked: {error}") from error


@contextlib.contextmanager
def database_in_tar(path: Path) -> Iterator[Path]:
    """Yield the SQLite file (.db, .sqlite) of a gzipped tar, unpacked to a temporary file.

    Raises InputRefused if there is none, if the archive is truncated or inflates without bound,
    or if the disk has no room for it.
    """
    with scratch.folder() as folder:
        target = folder / "unpacked.db"
        try:
            with path.open("rb") as packed, tarfile.open(fileobj=packed, mode="r|gz") as archive:
                _unpack_database(path, archive, target)
        except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
            raise InputRefused(f"{path.name}: is damaged or cut short: {error}") from error
        yield target


def tar_contents(path: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes of a gzipped tar's files whose last path part is one of `names`.

    Raises InputRefused if it is damaged, inflates without bound or has two files of a name.
    """
    found: dict[str, bytes] = {}
    n_bytes = 0
    try:
        with tarfile.open(path, mode="r|gz") as archive:
            for member in archive:
                _refuse_outside(path, member.name)
                n_bytes += member.size
                refuse_bomb(path, "in all", n_bytes, path.stat().st_size)
                plain = PurePosixPath(member.name).name
                source = archive.extractfile(member) if plain in names else None
                if source is None:
                    continue
                if plain in found:
                    raise InputRefused(f"{path.name}: contains {plain} twice")
                if member.size > MAX_BYTES_IN_MEMORY:
                    raise InputRefused(f"{path.name}: {plain} has {member.size:,} bytes")
                found[plain] = source.read()
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
        raise InputRefused(f"{path.name}: is damaged or cut short: {error}") from error
    return found


def _unpack_database(path: Path, archive: tarfile.TarFile, target: Path) -> None:
    n_bytes = 0
    for member in archive:
        _refuse_outside(path, member.name)
        n_bytes += member.size
        refuse_bomb(path, "in all", n_bytes, path.stat().st_size)
        if not member.isfile() or not member.name.lower().endswith((".db", ".sqlite", ".sqlite3")):
            continue
        _require_space(path, member.size, target.parent)
        source = archive.extractfile(member)
        if source is None:
            continue
        with source, target.open("wb") as out:
            _copy(source, out, member.size, f"{path.name}, {member.name}")
        return
    raise InputRefused(f"{path.name}: contains no SQLite file (.db, .sqlite)")


@contextlib.contextmanager
def _open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGED as error:
        raise InputRefused(f"{path.name}: is not a zip, or is cut short: {error}") from error
    with archive:
        yield archive


def _checked(path: Path, archive: zipfile.ZipFile) -> list[str]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    for info in infos:
        _refuse_outside(path, info.filename)
        refuse_bomb(path, info.filename, info.file_size, info.compress_size)
    total = sum(info.file_size for info in infos)
    refuse_bomb(path, "in all", total, path.stat().st_size)
    names = [info.filename for info in infos]
    for name, n_times in Counter(names).items():
        if n_times > 1:
            raise InputRefused(f"{path.name}: contains {name} twice")
    return names


def _plainly_named(path: Path, archive: zipfile.ZipFile, names: Sequence[str]) -> Mapping[str, str]:
    """Return the names in the zip by their last path part; refuses duplicate last parts."""
    found: dict[str, str] = {}
    for name in _checked(path, archive):
        plain = PurePosixPath(name).name
        if plain in names and plain in found:
            raise InputRefused(f"{path.name}: contains {plain} twice: {found[plain]} and {name}")
        if plain in names:
            found[plain] = name
    return found


def _refuse_outside(path: Path, name: str) -> None:
    place = PurePosixPath(name.replace("\\", "/"))
    if place.is_absolute() or ".." in place.parts or ":" in "".join(place.parts[:1]):
        raise InputRefused(f"{path.name}: contains a path outside itself: {name}")


def refuse_bomb(path: Path, name: str, size: int, packed: int) -> None:
    """Raise InputRefused if `packed` bytes inflate to too many, or too many times their size."""
    if size > MAX_BYTES:
        raise InputRefused(
            f"{path.name}: {name} inflates to {size:,} bytes; at most {MAX_BYTES:,} are unpacked"
        )
    if size > _RATIO_FREE_BYTES and size > MAX_RATIO * max(packed, 1):
        raise InputRefused(
            f"{path.name}: {name} inflates {size // max(packed, 1):,}-fold; "
            f"at most {MAX_RATIO}-fold is unpacked"
        )


def _require_space(path: Path, size: int, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise RefusedForNow(
            f"{path.name}: needs {size:,} bytes unpacked; {folder} has {free:,} free"
        )


def _inflate(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    """Read a member into memory, no more than the size its header states."""
    size = archive.getinfo(name).file_size
    if size > MAX_BYTES_IN_MEMORY:
        raise InputRefused(
            f"{path.name}: {name} inflates to {size:,} bytes; at most {MAX_BYTES_IN_MEMORY:,} "
            "are read from a zip at once"
        )
    try:
        with archive.open(name) as source:
            content = source.read(size + 1)
    except _DAMAGED as error:
        raise InputRefused(f"{path.name}: {name} cannot be unpacked: {error}") from error
    if len(content) != size:
        raise InputRefused(
            f"{path.name}: {name} is damaged: its size is not the one stated in the zip"
        )
    return content


def _copy(source: IO[bytes], target: IO[bytes], size: int, label: str) -> None:
    copied = 0
    while chunk := source.read(_CHUNK_BYTES):
        copied += len(chunk)
        if copied > size:
            break
        target.write(chunk)
    if copied != size:
        raise InputRefused(f"{label}: is damaged or cut short")
