"""Stores the staged truth of a benchmark: values or labels, and the file they came from."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row

from tracker import store
from tracker.files import formats
from tracker.store import schema, statements


def store_truth(connection: Connection, benchmark: Row[Any], path: Path) -> None:
    """Store what is staged of the file `path` as the truth of a benchmark."""
    key = {"benchmark_id": benchmark.benchmark_id}
    if benchmark.kind == "multilabel":
        statements.run(connection, "append_unlisted_label", key)
        n_values = statements.run(connection, "append_truth_label", key).rowcount
    else:
        n_values = statements.run(connection, "append_truth", key).rowcount
    connection.execute(
        schema.truth_set.insert(),
        {
            **key,
            "sha256": formats.sha256_of(path),
            "origin": path.name,
            "n_values": max(n_values, 0),
            "loaded_at": store.now(connection),
        },
    )
