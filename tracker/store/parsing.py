"""What DuckDB's parser makes of the SELECTs of sql/, kept as Python keeps compiled modules.

It takes longer than most commands, and is the same as long as the texts and DuckDB are. What is
kept is beside the compiled modules, and is made anew where they are not as it says.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
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
    made_of = [duckdb.__version__, _COLUMNS, *selects]
    key = hashlib.sha256("\0".join(made_of).encode()).hexdigest()
    place = Path(importlib.util.cache_from_source(__file__)).with_name("sql.json")
    with contextlib.suppress(OSError, ValueError, TypeError, LookupError):
        found = json.loads(place.read_text(encoding="utf-8"))
        if found[0] == key:
            return {text: Parsed(*row) for text, row in zip(selects, found[1], strict=True)}
    parsed = parse(selects)
    if not sys.dont_write_bytecode:
        part = place.with_name(f"sql.json.{os.getpid()}")
        with contextlib.suppress(OSError):
            part.write_text(json.dumps([key, parsed]), encoding="utf-8")
            part.replace(place)
    return dict(zip(selects, parsed, strict=True))
