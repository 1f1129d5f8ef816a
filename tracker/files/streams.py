"""Reads the bytes of a file, packed or not, and refuses those unfit for an engine.

One pass, in little memory, finds text that is not UTF-8, endless lines and gzip files that are
truncated or inflate without bound.
"""

import codecs
import contextlib
import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tracker.errors import InputRefused
from tracker.files import archives, stand_ins

MAX_LINE_BYTES = 2_000_000
# An engine parses some thousand rows at a time.
MAX_CELL_BYTES = 100_000
# Parsed in memory, where it takes about ten times its size.
MAX_DOCUMENT_BYTES = 100 * 1024**2
_CHUNK_BYTES = 1 << 20
# UTF-16 and UTF-32; the little-endian UTF-32 mark begins like that of UTF-16.
_FOREIGN_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
NOT_UTF8 = "the text is not UTF-8; save the file as UTF-8"
MARKED_JSON = "begins with a byte order mark; save the file as UTF-8 without it"
TOO_LONG = f"the line is longer than {MAX_LINE_BYTES // 1_000_000} MB"
TOO_LONG_CELL = f"the cell is longer than {MAX_CELL_BYTES // 1_000} kB"
DOCUMENT_TOO_LONG = f"the document is longer than {MAX_DOCUMENT_BYTES >> 20} MB"


@dataclass(frozen=True)
class Text:
    """The result of one pass over a text file: its first line and the hash of its bytes.

    `is_ended` is False if the last line has no end, as in a file that was cut short.
    """

    first_line: str
    is_json_array: bool
    is_ended: bool
    sha256: str


def require_file(path: Path) -> None:
    """Raise InputRefused unless `path` is a file, and not one that stands in for the data."""
    if path.is_dir():
        raise InputRefused(f"{path}: is a folder")
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    stand_ins.refuse(path)


def content(path: Path, most_bytes: int = -1) -> bytes:
    """Return the bytes of a file, at most so many if a number is given.

    Raises InputRefused if it is no file of data, or cannot be read.
    """
    require_file(path)
    try:
        with path.open("rb") as handle:
            return handle.read(most_bytes)
    except OSError as error:
        raise InputRefused(f"{path.name}: cannot be read: {error.strerror}") from error


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the file's bytes in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file's bytes, unpacked; raises InputRefused where gzip is damaged."""
    handle: Any
    try:
        with gzip.open(path) if _is_packed(path) else path.open("rb") as handle:
            yield handle
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputRefused(f"{path.name}: is not a complete gzip file: {error}") from error


def unpacked_chunks(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes, unpacked; raises InputRefused for damaged or endless gzip."""
    n_packed = path.stat().st_size
    n_bytes = 0
    try:
        with opened(path) as handle:
            while chunk := handle.read(_CHUNK_BYTES):
                n_bytes += len(chunk)
                if _is_packed(path):
                    archives.refuse_bomb(path, "the file", n_bytes, n_packed)
                yield chunk
    except OSError as error:
        raise InputRefused(f"{path.name}: cannot be read: {error.strerror}") from error


def unpacked_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, unpacked; raises InputRefused like unpacked_chunks."""
    digest = hashlib.sha256()
    for chunk in unpacked_chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file that `read_text` accepted, each with its end as a line feed."""
    with opened(path) as handle, io.TextIOWrapper(handle, encoding="utf-8-sig") as lines:
        yield from lines


def require_whole(path: Path) -> None:
    """Raise InputRefused if the file is empty, or is damaged gzip or a gzip bomb."""
    if _is_packed(path):
        n_bytes = sum(len(chunk) for chunk in unpacked_chunks(path))
    else:
        n_bytes = path.stat().st_size
    if not n_bytes:
        raise InputRefused(f"{path.name}: the file is empty")


def read_text(
    path: Path, *, is_json: bool, follow: Callable[[bytes], object] | None = None
) -> Text:
    """Read a file once; raise InputRefused unless it is UTF-8 in lines of bounded length.

    Rows are counted as lines. The one line of a JSON array may be as long as a document. `follow`
    is called with all bytes, chunk by chunk, and may refuse them.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    # The hash is of the packed bytes, which are not seen here.
    digest = None if _is_packed(path) else hashlib.sha256()
    head, is_array, longest = b"", False, MAX_LINE_BYTES
    n_rows, n_bytes, n_open = 1, 0, 0
    is_after_return = False
    for chunk in unpacked_chunks(path):
        if digest is not None:
            digest.update(chunk)
        if n_bytes == 0:
            is_array = is_json and chunk.lstrip().startswith(b"[")
            longest = MAX_DOCUMENT_BYTES if is_array else MAX_LINE_BYTES
            _refuse_foreign_mark(path, chunk)
            if is_json and chunk.startswith(codecs.BOM_UTF8):
                raise InputRefused(f"{path.name}, row 1: {MARKED_JSON}")
        if not is_array and b"\n" not in head:
            head += chunk
        # By line feeds alone, as line readers split them.
        first = chunk.find(b"\n")
        if n_open + (len(chunk) if first < 0 else first) > longest:
            reason = DOCUMENT_TOO_LONG if is_array else TOO_LONG
            raise InputRefused(f"{path.name}, row {n_rows}: {reason}")
        n_pending = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            good = chunk[: max(error.start - n_pending, 0)]
            row = n_rows + _n_ends(good, is_after_return)
            raise InputRefused(f"{path.name}, row {row}: {NOT_UTF8}") from error
        if follow is not None:
            follow(chunk)
        n_rows += _n_ends(chunk, is_after_return)
        is_after_return = chunk.endswith(b"\r")
        last = chunk.rfind(b"\n")
        n_open = n_open + len(chunk) if last < 0 else len(chunk) - last - 1
        n_bytes += len(chunk)
    if n_bytes == 0:
        raise InputRefused(f"{path.name}: the file is empty")
    if decoder.getstate()[0]:
        raise InputRefused(f"{path.name}, row {n_rows}: {NOT_UTF8}")
    return Text(
        first_line=head.partition(b"\n")[0].decode("utf-8-sig"),
        is_json_array=is_array,
        is_ended=n_open == 0 or is_after_return,
        sha256=sha256_of(path) if digest is None else digest.hexdigest(),
    )


def _is_packed(path: Path) -> bool:
    """Whether a file is gzip by its name."""
    return path.suffix.lower() == ".gz"


def _refuse_foreign_mark(path: Path, head: bytes) -> None:
    for mark, name in _FOREIGN_MARKS.items():
        if head.startswith(mark):
            raise InputRefused(
                f"{path.name}, row 1: the text is not UTF-8 but {name}; save the file as UTF-8"
            )


def _n_ends(text: bytes, is_after_return: bool) -> int:
    """Count line ends: LF, CRLF or, in files of old machines, CR alone.

    A line feed at the beginning ends no line if it is after the carriage return that ended one.
    """
    n_ends = text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
    return n_ends - (is_after_return and text.startswith(b"\n"))
