"""Renders any number of rows as tracker.rows does, one batch at a time."""

import json
from collections.abc import Iterator
from typing import Any

from tracker.rows import Rows, csv_lines, escaped, markdown_lines, render, to_csv

# The C encoder cannot indent, but its separator can include the indentation.
_flat = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",\n    ", ": ")).encode


def render_batches(
    columns: list[str], batches: Iterator[list[tuple[Any, ...]]], form: str
) -> Iterator[str]:
    """Return csv, json or markdown in pieces.

    A Markdown column is right-aligned if it has numbers in the first batch.
    """
    if form == "json":
        return _json(columns, batches)
    if form == "csv":
        return _csv(columns, batches)
    return _markdown(columns, batches)


def _csv(columns: list[str], batches: Iterator[list[tuple[Any, ...]]]) -> Iterator[str]:
    yield to_csv(columns, [])
    yield from map(csv_lines, batches)


def _markdown(columns: list[str], batches: Iterator[list[tuple[Any, ...]]]) -> Iterator[str]:
    yield render(Rows(columns, next(batches)), "markdown")
    yield from map(markdown_lines, batches)


def _json(columns: list[str], batches: Iterator[list[tuple[Any, ...]]]) -> Iterator[str]:
    before = "[\n  "
    for values in batches:
        records = Rows(columns, values).records()
        if records:
            yield before + escaped(",\n  ".join(map(_member, records)))
            before = ",\n  "
    yield "[]\n" if before[0] == "[" else "\n]\n"


def _member(record: dict[str, Any]) -> str:
    """Return a record as json.dumps(indent=2) writes it in a list."""
    if any(isinstance(value, dict | list) for value in record.values()):
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False).replace(
            "\n", "\n  "
        )
    return "{\n    " + _flat(record)[1:-1] + "\n  }"
