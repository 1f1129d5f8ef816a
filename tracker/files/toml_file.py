"""Reads TOML that a user wrote: a plan, a configuration."""

import tomllib
from pathlib import Path
from typing import Any

from tracker.errors import InputRefused
from tracker.files import streams

# Size, nesting and numbers beyond any plan or configuration.
_MAX_BYTES = 1_000_000
_MAX_DEPTH = 20
_MAX_NUMBER = 10**20


def read(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; InputRefused states why it is not TOML.

    Deep nesting and numbers of thousands of digits, which cannot be stored, are refused.
    """
    content = streams.content(path, _MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise InputRefused(f"{path.name}: is longer than {_MAX_BYTES // 1_000_000} MB")
    try:
        found = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name}: is not TOML: the text is not UTF-8") from error
    except RecursionError as error:
        raise InputRefused(f"{path.name}: is nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        raise InputRefused(f"{path.name}: is not TOML: {error}") from error
    except ValueError as error:
        raise InputRefused(f"{path.name}: contains a number with too many digits") from error
    _refuse_unfit(path, found)
    return found


def _refuse_unfit(path: Path, document: dict[str, Any]) -> None:
    """Walk the values level by level: deeper nesting needs no deeper stack."""
    level: list[Any] = [document]
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif type(value) is int and abs(value) > _MAX_NUMBER:
                raise InputRefused(f"{path.name}: contains a number with too many digits")
        level = below
    if level:
        raise InputRefused(f"{path.name}: is nested too deeply")
