"""Stores the staged truth of a benchmark: values or labels, and the file they came from."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker import schema, store
from tracker.sources import formats

_TRUTH = text(
    """
insert into truth (target_id, item_id, value)
select
    benchmark_target.target_id,
    benchmark_item.item_id,
    staged_value.value
from staged_value
inner join benchmark_target on staged_value.target = benchmark_target.name
inner join benchmark_item
    on staged_value.item = benchmark_item.name
    and benchmark_target.benchmark_id = benchmark_item.benchmark_id
where benchmark_target.benchmark_id = :benchmark_id and staged_value.value is not null
"""
)


# Labels of the file that the benchmark does not know yet stay outside the mapping.
NEW_LABELS = text(
    """
insert into benchmark_label (label_id, benchmark_id, name)
select
    (select coalesce(max(label_id), 0) from benchmark_label) + row_number() over (order by label),
    :benchmark_id,
    label
from (select distinct label from staged_label where label is not null)
where label not in (select name from benchmark_label where benchmark_id = :benchmark_id)
"""
)


_TRUTH_LABELS = text(
    """
insert into truth_label (benchmark_id, item_id, label_id)
select
    :benchmark_id,
    benchmark_item.item_id,
    benchmark_label.label_id
from staged_label
inner join benchmark_item
    on staged_label.item = benchmark_item.name and benchmark_item.benchmark_id = :benchmark_id
inner join benchmark_label
    on staged_label.label = benchmark_label.name and benchmark_label.benchmark_id = :benchmark_id
"""
)


def store_truth(connection: Connection, benchmark: Row[Any], path: Path) -> None:
    """Store what is staged of the file `path` as the truth of a benchmark."""
    key = {"benchmark_id": benchmark.benchmark_id}
    if benchmark.kind == "multilabel":
        connection.execute(NEW_LABELS, key)
        n_values = connection.execute(_TRUTH_LABELS, key).rowcount
    else:
        n_values = connection.execute(_TRUTH, key).rowcount
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
