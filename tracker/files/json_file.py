"""Reads JSON from outside and checks its fields before anything trusts them."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from tracker.errors import InputRefused
from tracker.files import streams


def instant(text: str) -> datetime:
    """Return an ISO 8601 instant in UTC; without a zone it is in UTC.

    Raises ValueError or OverflowError for anything else.
    """
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def is_text(value: object) -> bool:
    """Whether a value of a JSON file is text."""
    return isinstance(value, str)


def is_mapping(value: object) -> bool:
    """Whether a value of a JSON file is an object."""
    return isinstance(value, dict)


def is_sha256(value: object) -> bool:
    """Whether a value of a JSON file is a SHA-256 in hexadecimal."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def parses(parse: Callable[[str], object]) -> Callable[[object], bool]:
    """Return whether a value is text that `parse` accepts, as a function of the value."""

    def accepts(value: object) -> bool:
        try:
            return isinstance(value, str) and parse(value) is not None
        except (ValueError, OverflowError):
            return False

    return accepts


def optional(accepts: Callable[[Any], bool]) -> Callable[[object], bool]:
    """Return whether a value is null or accepted, as a function of the value."""
    return lambda value: value is None or accepts(value)


# Whether a field's value is accepted, and the requirement in words.
Fields = Mapping[str, tuple[Callable[[Any], bool], str]]
SLATE_ID = (parses(UUID), "a UUID")
INSTANT = (parses(instant), "an instant (YYYY-MM-DDTHH:MM:SS+00:00)")


def read(path: Path, what: str) -> Any:
    """Return the content of a JSON file; InputRefused states why it is not `what`."""
    streams.require_file(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        # Python reads NaN, 1e999 and half a surrogate pair, which cannot be stored.
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    except OSError as error:
        raise InputRefused(f"{path.name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name}: is not {what}: is not UTF-8 text") from error
    except UnicodeEncodeError as error:
        raise InputRefused(
            f"{path.name}: is not {what}: contains an incomplete character"
        ) from error
    except RecursionError as error:
        raise InputRefused(f"{path.name}: is not {what}: is nested too deeply") from error
    except ValueError as error:
        # NaN and 1e999 are not JSON; Python cannot read numbers of thousands of digits.
        is_long = "digits" in str(error)
        reason = "contains a number with too many digits" if is_long else f"is not JSON: {error}"
        raise InputRefused(f"{path.name}: is not {what}: {reason}") from error
    return found


class SeveralDocuments(InputRefused):
    """One JSON document is followed by another, as in a file of JSON lines."""


def document(place: str, content: bytes) -> Any:
    """Return the value of JSON text of any size; raises InputRefused, naming `place`.

    Half a character and numbers of thousands of digits, which cannot be stored, are refused.
    """
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputRefused(f"{place}: is not UTF-8 (byte {error.start:,})") from error
    if not decoded.strip():
        raise InputRefused(f"{place}: the file is empty")
    try:
        found = json.loads(decoded)
        # Half a character can only be an escape, so most documents are not searched.
        if "\\ud" in decoded or "\\uD" in decoded:
            json.dumps(found, ensure_ascii=False).encode()
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
        raise InputRefused(f"{place}: contains a number with too many digits") from error
    return found


def mapping(value: object, place: str) -> Mapping[str, Any]:
    """Return a JSON object, an empty one for null; raises InputRefused, naming `place`."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputRefused(f"{place}: is not a JSON object")
    return value


def mappings(parent: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    """Return a field that is a list of objects, an empty one if it is absent or null."""
    value = parent.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputRefused(f"{place}: {key} is not a list of JSON objects")
    return value


def texts(parent: Mapping[str, Any], key: str, place: str) -> list[str]:
    """Return a field that is a list of texts, an empty one if it is absent or null."""
    value = parent.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputRefused(f"{place}: {key} is not a list of texts")
    return value


def text(parent: Mapping[str, Any], key: str, place: str) -> str | None:
    """Return a field that is text, None if it is absent or null."""
    value = parent.get(key)
    if value is not None and not isinstance(value, str):
        raise InputRefused(f"{place}: {key} is not text")
    return value


def require(place: str, found: Any, fields: Fields) -> None:
    """Raise InputRefused, naming `place`, unless `found` is an object with acceptable fields."""
    if not isinstance(found, dict):
        raise InputRefused(f"{place}: is not an object of named fields")
    for name, (accepts, words) in fields.items():
        if name not in found:
            raise InputRefused(f"{place}: {name} is missing")
        if not accepts(found[name]):
            shown = json.dumps(found[name], ensure_ascii=False)[:40]
            raise InputRefused(f"{place}: {name} is not {words}: {shown}")
