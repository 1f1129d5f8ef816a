"""Stores the staged truth of a benchmark: values or labels, and their source file."""

from typing import Any

from sqlalchemy import Connection, Row

from tracker import schema, store, temp_tables
from tracker.files import TableFile
from tracker.store import statements


def store_truth(connection: Connection, benchmark: Row[Any], table: TableFile) -> None:
    """Store a file's staged rows as the truth of a benchmark."""
    key = {"benchmark_id": benchmark.benchmark_id}
    if benchmark.kind == "multilabel":
        append_unlisted_labels(connection, benchmark.benchmark_id)
        n_values = statements.run(connection, "append_truth_label", key).rowcount
    else:
        n_values = statements.run(connection, "append_truth", key).rowcount
    connection.execute(
        schema.truth_set.insert(),
        {
            **key,
            "sha256": table.sha256,
            "origin": table.path.name,
            "n_values": max(n_values, 0),
            "loaded_at": store.now(connection),
        },
    )


def append_unlisted_labels(connection: Connection, benchmark_id: int) -> int:
    """Add the staged labels a benchmark does not yet have; return their number."""
    first_id = temp_tables.next_key(connection, schema.benchmark_label.c.label_id)
    key = {"benchmark_id": benchmark_id, "first_id": first_id}
    return statements.run(connection, "append_unlisted_label", key).rowcount
