"""What DuckDB's parser makes of the SELECTs of sql/, kept as Python keeps compiled modules.

It takes longer than most commands, and is the same as long as the texts and DuckDB are. What is
kept is beside the compiled modules, with the mode that Python gives them, and is made anew where
the texts or its own bytes are not as it says, or others than the owner of this module can write it.
A check believes nothing that is kept: it parses afresh.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

# In the order of Parsed; `tree` is the JSON of a SELECT, or of the reason why it cannot be parsed.
_COLUMNS = (
    "tree->>'error_message', tree->>'$..table_name', tree->>'$..cte_map.map[*].key', "
    "case when tree->>'error_message' is null then json_deserialize_sql(tree) end"
)


class Parsed(NamedTuple):
    """A SELECT: what is wrong with it, the names in it, and its text as DuckDB stores it."""

    problem: str | None
    tables: list[str]
    ctes: list[str]
    stored: str | None


def parse(selects: Sequence[str]) -> list[Parsed]:
    """Parse some SELECTs of sql/."""
    # Not bound, since DuckDB imports pandas to bind a value: that takes longer than to parse sql/.
    # A second thread would only add to the time.
    texts = ", ".join("'" + select.replace("'", "''") + "'" for select in selects)
    with duckdb.connect(config={"threads": 1}) as parser:
        found = parser.execute(
            "from (select json_serialize_sql(unnest([" + texts + "])) as tree) select " + _COLUMNS
        )
        return [Parsed(*row) for row in found.fetchall()]


def kept(selects: Sequence[str]) -> dict[str, Parsed]:
    """Return each of all SELECTs of sql/ as parsed, and keep that for the next command."""
    key = _sha256_of("\0".join([duckdb.__version__, _COLUMNS, *selects]))
    place = Path(importlib.util.cache_from_source(__file__)).with_name("sql.json")
    with contextlib.suppress(OSError, ValueError, TypeError, LookupError):
        if _is_trusted(place):
            first, _, rows = place.read_text(encoding="utf-8").partition("\n")
            if first == f"{key} {_sha256_of(rows)}":
                found = json.loads(rows)
                return {text: Parsed(*row) for text, row in zip(selects, found, strict=True)}
    parsed = parse(selects)
    if not sys.dont_write_bytecode:
        rows = json.dumps(parsed)
        with contextlib.suppress(OSError):
            _write(place, f"{key} {_sha256_of(rows)}\n{rows}")
    return dict(zip(selects, parsed, strict=True))


def _is_trusted(place: Path) -> bool:
    """Whether nobody can write a file but who can write this module."""
    found, own = place.lstat(), Path(__file__).stat()
    others = stat.S_IWGRP | stat.S_IWOTH
    is_of_owner = found.st_uid in (0, own.st_uid, os.geteuid())
    return stat.S_ISREG(found.st_mode) and is_of_owner and not found.st_mode & others & ~own.st_mode


def _write(place: Path, text: str) -> None:
    """Write a file as Python writes a compiled module: with the mode of its source."""
    part = place.with_name(f"{place.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    part.touch(Path(__file__).stat().st_mode & 0o666 | stat.S_IWUSR, exist_ok=False)
    part.write_text(text, encoding="utf-8")
    part.replace(place)


def _sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
