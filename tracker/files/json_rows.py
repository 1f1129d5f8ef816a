"""Keeps tables of JSON within bounds ahead of DuckDB: one record a line, or one array of records.

DuckDB takes a truncated array for complete, and crashes on deep nesting. One record at a time is
parsed here, so that what is held does not grow with their number.
"""

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tracker.errors import InputRefused
from tracker.files.streams import MAX_CELL_BYTES, MAX_DOCUMENT_BYTES, TOO_LONG_CELL, opened

_MAX_NESTING = 500
_SPACE = re.compile(r"[ \t\n\r]*")


def refuse_bad_lines(path: Path) -> None:
    """Raise InputRefused if the records of a file of lines are nested deeply, too long or none."""
    is_blank = True
    with opened(path) as handle:
        for number, line in enumerate(handle, start=1):
            is_blank = is_blank and not line.strip()
            if len(line) <= _MAX_NESTING:
                continue
            place = f"{path.name}, row {number}"
            if line.count(b"{") + line.count(b"[") > _MAX_NESTING:
                raise InputRefused(f"{place}: is nested too deeply")
            if len(line) > MAX_CELL_BYTES:
                # A shorter line has no cell that is too long.
                with _worded(place):
                    _refuse_long_cell(place, json.loads(line))
    if is_blank:
        raise InputRefused(f"{path.name}: the file has no rows")


def refuse_bad_array(path: Path, refuse_wide: Callable[[int], None]) -> None:
    """Raise InputRefused unless a file is one whole array of objects within bounds.

    `refuse_wide` is given the number of names that the records have.
    """
    with opened(path) as handle:
        content = handle.read(MAX_DOCUMENT_BYTES + 1)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise InputRefused(
            f"{path.name}: is an array of more than {MAX_DOCUMENT_BYTES >> 20} MB; "
            "write one record a line (.jsonl)"
        )
    names: set[str] = set()
    number = 0
    with _worded(path.name):
        for number, (record, n_characters) in enumerate(_entries(content), start=1):
            # A character has at most four bytes.
            if not isinstance(record, dict) or n_characters > MAX_CELL_BYTES // 4:
                _refuse_long_cell(f"{path.name}, row {number}", record)
            names.update(record)
    if not number:
        raise InputRefused(f"{path.name}: the file has no rows")
    if not names:
        raise InputRefused(f"{path.name}: its records have no fields")
    refuse_wide(len(names))


def _entries(content: bytes) -> Iterator[tuple[Any, int]]:
    """Yield each entry of an array and the number of characters it takes in the text."""
    text = content.decode("utf-8-sig")
    decode = json.JSONDecoder().raw_decode
    position = _after_space(text, _after_space(text, 0) + 1)
    if text[position : position + 1] != "]":
        while True:
            start = _after_space(text, position)
            entry, end = decode(text, start)
            yield entry, end - start
            position = _after_space(text, end)
            if text[position : position + 1] != ",":
                break
            position += 1
    if text[position : position + 1] != "]":
        raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
    position = _after_space(text, position + 1)
    if position < len(text):
        raise json.JSONDecodeError("Extra data", text, position)


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return position if found is None else found.end()


@contextlib.contextmanager
def _worded(place: str) -> Iterator[None]:
    """Word for the user why Python cannot parse JSON."""
    try:
        yield
    except RecursionError as error:
        raise InputRefused(f"{place}: is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise InputRefused(f"{place}: cannot be read: {error}") from error
    except ValueError as error:
        raise InputRefused(f"{place}: contains a number with too many digits") from error


def _refuse_long_cell(place: str, record: Any) -> None:
    if not isinstance(record, dict):
        raise InputRefused(f"{place}: is not an object")
    for name, value in record.items():
        text = value if isinstance(value, str) else json.dumps(value)
        if len(text.encode("utf-8", "surrogatepass")) > MAX_CELL_BYTES:
            raise InputRefused(f"{place}, column {name[:40]}: {TOO_LONG_CELL}")
