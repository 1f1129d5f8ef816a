"""Reads JSON from outside; what its fields must be, tracker.files.fields checks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracker.errors import InputRefused
from tracker.files import fields, streams

# What parsed JSON takes in memory grows with both: `{},` is 3 bytes of text and becomes some 80,
# `"ab",` is 5 and becomes some 60. The largest document of a registry has a quarter of either.
_MOST_BRACKETS = 1 << 23
_MOST_SIGNS = 1 << 25


def read(path: Path, what: str) -> Any:
    """Return the content of a JSON file; InputRefused states why it is not `what`."""
    return document(f"{path.name}: is not {what}", streams.content(path), is_finite=True)


class SeveralDocuments(InputRefused):
    """One JSON document is followed by another, as in a file of JSON lines."""


def document(place: str, content: bytes, *, is_finite: bool = False) -> Any:
    """Return the value of JSON text of any size; raises InputRefused, naming `place`.

    Half a character and numbers of thousands of digits, which cannot be stored, are refused; so are
    NaN and 1e999, which are not JSON, where the value has to be finite.
    """
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputRefused(f"{place}: is not UTF-8 (byte {error.start:,})") from error
    if not decoded.strip():
        raise InputRefused(f"{place}: the file is empty")
    _refuse_dense(place, decoded)
    try:
        found = json.loads(decoded)
        # Half a character can only be an escape, so most documents are not searched.
        if is_finite or "\\ud" in decoded or "\\uD" in decoded:
            json.dumps(found, ensure_ascii=False, allow_nan=not is_finite).encode()
    except json.JSONDecodeError as error:
        kind = SeveralDocuments if error.msg.startswith("Extra data") else InputRefused
        raise kind(
            f"{place}: is not JSON at line {error.lineno}, column {error.colno}: {error.msg}; "
            "the file may be cut short"
        ) from error
    except RecursionError as error:
        raise InputRefused(f"{place}: is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise InputRefused(f"{place}: contains an incomplete character") from error
    except ValueError as error:
        is_long = "digits" in str(error)
        problem = "a number with too many digits" if is_long else "NaN or an infinite number"
        raise InputRefused(f"{place}: contains {problem}") from error
    return found


def _refuse_dense(place: str, text: str) -> None:
    """Raise InputRefused for a text with so many values that they would take too much memory."""
    if len(text) <= _MOST_BRACKETS:
        return
    n_brackets = text.count("{") + text.count("[")
    n_signs = n_brackets + text.count(",") + text.count(":")
    for found, most, what in (
        (n_brackets, _MOST_BRACKETS, "opening brackets"),
        (n_signs, _MOST_SIGNS, "opening brackets, commas and colons"),
    ):
        if found > most:
            raise InputRefused(f"{place}: has {found:,} {what}; at most {most:,} are parsed")


def mapping(value: Any, place: str) -> Mapping[str, Any]:
    """Return a JSON object, an empty one for null; raises InputRefused, naming `place`."""
    found: Mapping[str, Any] = fields.require(place, {} if value is None else value, fields.OBJECT)
    return found


def mappings(parent: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    """Return a field that is a list of objects, an empty one if it is absent or null."""
    found: list[Mapping[str, Any]] = _checked(parent.get(key) or [], key, place, fields.OBJECTS)
    return found


def texts(parent: Mapping[str, Any], key: str, place: str) -> list[str]:
    """Return a field that is a list of texts, an empty one if it is absent or null."""
    found: list[str] = _checked(parent.get(key) or [], key, place, fields.TEXTS)
    return found


def text(parent: Mapping[str, Any], key: str, place: str) -> str | None:
    """Return a field that is text, None if it is absent or null."""
    found: str | None = _checked(parent.get(key), key, place, fields.OPTIONAL_TEXT)
    return found


def _checked(value: Any, key: str, place: str, kind: fields.Kind) -> Any:
    # The words are put together only where they are needed: studies have millions of fields.
    return value if kind.accepts(value) else fields.require(f"{place}, {key}", value, kind)
