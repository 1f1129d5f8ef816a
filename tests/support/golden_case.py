"""Golden cases: one Markdown file per case, tests/golden/<view>/<case>.md, readable on one screen.

A case opens with the heading `# <view>: <subject>` and the arithmetic worked by hand.
Indented CSV follows, one block for each table (`Given prediction:`), then the rows the view must
return (`Expected:`); `As of: <instant>` before them makes the view look back, and
`Detected at: <instant>` fills the ledger from the given evidence. Given rows have only the columns
that matter (worlds.py adds the rest), expected rows only those worth comparing. An
empty cell is NULL, 5/12 the double nearest to it, and detail.phase the field `phase` of the
JSON column `detail`.

A case of a statement of sql/statements gives the tables that it reads, whole: a column's name is
followed by a colon and its type where it is not text; `Parameters: {...}` are the statement's.
Its rows are expected as often as they are listed, and in that order if the statement sorts them.
The cell '' is the empty text.
"""

import csv
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from worlds import Row, World, parse_instant, parse_table_cell, table_of, typed

GOLDEN = Path(__file__).parents[1] / "golden"
_BLOCK = re.compile(r"^(?:Given (\w+)|(Expected)|(As of|Detected at|Parameters)): ?(.*)$")
# The numbers among the fields of an outcome's detail; the others are text.
_DETAIL_TYPES = {"detail.phase": "DOUBLE", "detail.known_phase": "DOUBLE"}


@dataclass(frozen=True)
class Case:
    """A golden case as written; the cells of `given` and `expected` are still text.

    `view` is the name of a view or of a statement.
    """

    view: str
    name: str
    why: str
    as_of: datetime | None
    detected_at: datetime | None
    parameters: dict[str, Any]
    given: dict[str, list[dict[str, str]]]
    given_columns: dict[str, list[str]]
    columns: list[str]
    expected: list[dict[str, str]]

    def world(self) -> World:
        """Return the given rows with values of the types of their tables' columns."""
        return {name: [_typed_row(name, row) for row in rows] for name, rows in self.given.items()}

    def rows(self, types: Mapping[str, str]) -> list[Row]:
        """Return the expected rows with values of the view's DuckDB `types`."""
        known = _DETAIL_TYPES | dict(types)
        return [
            {name: typed(cell, known.get(name, "VARCHAR")) for name, cell in row.items()}
            for row in self.expected
        ]


def cases(names: Iterable[str]) -> list[Case]:
    """Return the cases of these views or statements, by name and case."""
    wanted = set(names)
    return [read(path) for path in sorted(GOLDEN.glob("*/*.md")) if path.parent.name in wanted]


def read(path: Path) -> Case:
    """Read a case; raises ValueError where it is not written as a case must be."""
    why: list[str] = []
    blocks: dict[str, list[str]] = {}
    settings: dict[str, str] = {}
    body = why
    for line in path.read_text(encoding="utf-8").splitlines():
        found = _BLOCK.match(line)
        if found is None:
            body.append(line)
        elif found[3]:
            settings[found[3]] = found[4]
        else:
            body = blocks.setdefault(found[1] or "", [])
    if not why[0].startswith(f"# {path.parent.name}: ") or "" not in blocks:
        raise ValueError(f"{path}: needs a heading with the view's name, and expected rows")
    tables = {name: _table(path, lines) for name, lines in blocks.items()}
    columns, expected = tables.pop("")
    return Case(
        view=path.parent.name,
        name=path.stem,
        why="\n".join(why),
        as_of=parse_instant(settings["As of"]) if "As of" in settings else None,
        detected_at=parse_instant(settings["Detected at"]) if "Detected at" in settings else None,
        parameters=json.loads(settings.get("Parameters", "{}")),
        given={name: rows for name, (_, rows) in tables.items()},
        given_columns={name: header for name, (header, _) in tables.items()},
        columns=columns,
        expected=expected,
    )


def _table(path: Path, lines: list[str]) -> tuple[list[str], list[dict[str, str]]]:
    indented = [line for line in lines if line.strip()]
    if any(not line.startswith("    ") for line in indented):
        raise ValueError(f"{path}: a line after the first block is not indented by four spaces")
    reader = csv.DictReader([f"{line[4:]}\n" for line in indented], strict=True)
    rows = list(reader)
    columns = list(reader.fieldnames or [])
    if any(None in row or None in row.values() for row in rows):
        raise ValueError(f"{path}: a row has more or fewer cells than its header")
    return columns, rows


def _typed_row(table: str, row: Mapping[str, str]) -> dict[str, Any]:
    columns = table_of(table).columns
    return {name: parse_table_cell(columns[name], cell) for name, cell in row.items()}
