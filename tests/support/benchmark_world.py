"""Puts small benchmarks straight into the tables of a store, for golden cases and properties.

As in golden_case, given/<table>.csv has only the columns that matter. The defaults below fill
the rest; a benchmark and a submission that other rows point to are added: benchmark 1, of the
kind the case's given/benchmark.csv states, and submissions on the track 'test' of it.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from worlds import Row, World

from tracker import schema

EARLY = datetime(2026, 1, 1, tzinfo=UTC)

# Parents before children; rows are inserted in this order.
TABLES = (
    "cutoff",
    "benchmark",
    "benchmark_target",
    "benchmark_item",
    "truth_set",
    "truth",
    "benchmark_label",
    "truth_label",
    "submission",
    "submission_target",
    "submission_value",
    "ranked_prediction",
)

DEFAULTS: dict[str, Row] = {
    "cutoff": {},
    "benchmark": {
        "name": "benchmark {benchmark_id}",
        "item_column": "item",
        "n_items": 1,
        "definition": {},
        "created_at": EARLY,
    },
    "benchmark_target": {
        "benchmark_id": 1,
        "name": "target {target_id}",
        "is_lower_better": False,
    },
    "benchmark_item": {"benchmark_id": 1, "name": "item {item_id}"},
    "truth_set": {"sha256": "-", "origin": "test", "n_values": 0, "loaded_at": EARLY},
    "truth": {"target_id": 1},
    "benchmark_label": {"benchmark_id": 1, "name": "label {label_id}"},
    "truth_label": {"benchmark_id": 1},
    "submission": {
        "benchmark_id": 1,
        "submitted_at": EARLY,
        "submitter": "submitter {submission_id}",
        "track": "test",
        "origin": "test",
        "file_sha256": "-",
        "is_partial": False,
        "n_values": 1,
        "content_sha256": "-",
    },
    "submission_target": {},
    "submission_value": {"submission_id": 1, "target_id": 1, "line_checksum": 0},
    "ranked_prediction": {"submission_id": 1, "line_checksum": 0},
}


def complete(world: World) -> World:
    """Return the world with defaults and the rows it implies.

    Items of truth or predictions, submissions with values, and the targets each of them has.
    """
    full: World = {table: [dict(row) for row in world.get(table, [])] for table in TABLES}
    for table in ("submission_value", "ranked_prediction"):
        for row in full[table]:
            _add(full["submission"], submission_id=row.get("submission_id", 1))
    for table in ("truth", "submission_value"):
        for row in full[table]:
            _add(full["benchmark_target"], target_id=row.get("target_id", 1))
    for table in ("truth", "truth_label", "submission_value", "ranked_prediction"):
        for row in full[table]:
            _add(full["benchmark_item"], item_id=row["item_id"])
    for row in full["submission_value"]:
        _add(
            full["submission_target"],
            submission_id=row.get("submission_id", 1),
            target_id=row.get("target_id", 1),
        )
    for table in TABLES:
        columns = schema.metadata.tables[table].columns.keys()
        full[table] = [_fill(row, DEFAULTS[table], columns) for row in full[table]]
    return full


def insert(connection: Connection, world: World) -> None:
    """Insert a complete world, parents first."""
    for table in TABLES:
        if world[table]:
            connection.execute(sa.insert(schema.metadata.tables[table]).values(world[table]))


def _add(rows: list[Row], **key: Any) -> None:
    if all(any(row.get(name) != value for name, value in key.items()) for row in rows):
        rows.append(key)


def _fill(row: Row, defaults: Row, columns: Any) -> Row:
    filled = dict.fromkeys(columns) | row
    for name, default in defaults.items():
        if filled[name] is None:
            filled[name] = default.format(**filled) if isinstance(default, str) else default
    return filled
