"""Defines benchmarks and loads their truth: items, targets, labels, all of a file or nothing."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import files, schema, store, temp_tables
from tracker.errors import InputRefused, no_such
from tracker.extras.benchmarks import gate, options, staging, truths
from tracker.extras.benchmarks.options import Definition
from tracker.extras.benchmarks.presets import PRESETS
from tracker.extras.benchmarks.staging import Shape, staged_label, staged_value
from tracker.files import Column, Survey, TableFile
from tracker.store import statements

DEFAULT_CLASSES = {"binary": 2, "ordinal": 3}


@dataclass(frozen=True)
class Defined:
    """A stored definition; `is_new` is false if it was there already."""

    name: str
    kind: str
    n_items: int
    targets: list[str]
    has_truth: bool
    is_new: bool


def define(connection: Connection, definition: Definition) -> Defined:
    """Store a benchmark with its items, targets and labels, and any truth.

    Without truth the items come from the file `items`. Repeating a definition adds nothing.
    Raises InputRefused for conflicting options or a name that is taken, and ProblemsFound for a
    malformed file.
    """
    preset = PRESETS[definition.preset] if definition.preset is not None else None
    kind = options.kind_of(definition, preset)
    given = definition.truth or definition.items
    if not definition.name.strip():
        raise InputRefused("the name of a benchmark cannot be empty")
    if given is None:
        raise InputRefused("give --truth FILE, or --items FILE if the truth comes later")
    if not given.is_file():
        raise InputRefused(f"{given}: no such file")
    fingerprint = options.fingerprint_of(definition, kind)
    stored = connection.execute(
        sa.select(schema.benchmark).where(schema.benchmark.c.name == definition.name)
    ).first()
    if stored is not None:
        if stored.definition != fingerprint:
            raise InputRefused(
                f"benchmark '{definition.name}' is already defined differently; choose another name"
            )
        return _defined(connection, stored, is_new=False)
    table = files.open_table(connection, given)
    item_column = definition.item_column or (
        preset.item_column if preset else "instance" if kind == "multilabel" else "item"
    )
    fold_column = definition.fold_column or (
        preset.fold_column if preset and table.has(preset.fold_column) else None
    )
    n_classes = definition.n_classes or DEFAULT_CLASSES.get(kind)
    if kind == "multilabel":
        directions: dict[str, bool] = {}
        shape = Shape(item_column, None, [], is_long=True)
    else:
        directions = options.directions_of(
            connection, definition, preset, table, item_column, fold_column
        )
        targets = list(directions)
        shape = Shape(item_column, fold_column, targets, staging.is_long(table.names, targets))
    if kind == "ordinal" and len(directions) != 1:
        raise InputRefused(
            f"{given.name}: an ordinal benchmark has one target; found {', '.join(directions)}"
        )
    survey = _read_items(connection, definition, kind, shape, table, n_classes)
    survey.refuse()
    benchmark_id = temp_tables.next_key(connection, schema.benchmark.c.benchmark_id)
    staged = staged_label if kind == "multilabel" else staged_value
    n_items = connection.execute(sa.select(sa.func.count(staged.c.item.distinct()))).scalar_one()
    connection.execute(
        schema.benchmark.insert(),
        {
            "benchmark_id": benchmark_id,
            "name": definition.name,
            "kind": kind,
            "preset": definition.preset,
            "item_column": item_column,
            "fold_column": fold_column,
            "n_classes": n_classes,
            "n_items": n_items,
            "definition": fingerprint,
            "created_at": store.now(connection),
        },
    )
    known = {name.lower() for name in (item_column, fold_column or "", *directions)}
    known |= set(staging.LONG_COLUMNS) if shape.is_long else set()
    further = {*table.names, *(preset.ignored_columns if preset else ())}
    temp_tables.insert_rows(
        connection,
        schema.benchmark_column,
        [
            {"benchmark_id": benchmark_id, "name": name}
            for name in sorted(further)
            if name.lower() not in known
        ],
    )
    first_target = temp_tables.next_key(connection, schema.benchmark_target.c.target_id)
    temp_tables.insert_rows(
        connection,
        schema.benchmark_target,
        [
            {
                "target_id": number,
                "benchmark_id": benchmark_id,
                "name": target,
                "is_lower_better": is_lower_better,
            }
            for number, (target, is_lower_better) in enumerate(directions.items(), first_target)
        ],
    )
    first_item = temp_tables.next_key(connection, schema.benchmark_item.c.item_id)
    statements.run(
        connection,
        "append_item_of_label" if kind == "multilabel" else "append_item_of_value",
        {"benchmark_id": benchmark_id, "first_id": first_item},
    )
    if definition.labels is not None:
        _load_mapping(connection, benchmark_id, definition.labels)
    benchmark = find(connection, definition.name)
    if definition.truth is not None:
        truths.store_truth(connection, benchmark, table)
    return _defined(connection, benchmark, is_new=True)


def load_truth(connection: Connection, name: str, path: Path) -> Defined:
    """Load the truth of a benchmark defined without one; its items must match.

    Loading the file again adds nothing; another file is refused: truth never changes.
    """
    benchmark = find(connection, name)
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    stored = truth_of(connection, benchmark)
    if stored is not None:
        if stored.sha256 == files.sha256_of(path):
            return _defined(connection, benchmark, is_new=False)
        raise InputRefused(
            f"the truth of '{name}' was loaded from different content ({stored.origin}) and never "
            "changes; define a new benchmark instead"
        )
    table = files.open_table(connection, path)
    if benchmark.kind == "multilabel":
        survey = staging.stage_labels(connection, table, benchmark.item_column)
        gate.check_label_rows(connection, survey, benchmark, benchmark.item_column, must_cover=True)
    else:
        targets = target_names(connection, benchmark)
        fold_column = benchmark.fold_column if table.has(benchmark.fold_column) else None
        is_long = staging.is_long(table.names, targets)
        shape = Shape(benchmark.item_column, fold_column, targets, is_long)
        for target in () if is_long else targets:
            if not table.has(target):
                raise InputRefused(f"{path.name}: the column {target} is missing")
        survey = staging.stage_values(connection, table, shape, allow_empty_cells=True)
        gate.check_value_rows(connection, survey, benchmark, shape, is_partial=shape.is_long)
        if benchmark.n_classes is not None:
            gate.check_classes(connection, survey, benchmark.n_classes, shape)
    survey.refuse()
    truths.store_truth(connection, benchmark, table)
    return _defined(connection, benchmark, is_new=True)


def find(connection: Connection, name: str) -> Row[Any]:
    """Return the benchmark of this name; InputRefused if there is none."""
    table = schema.benchmark
    row = connection.execute(sa.select(table).where(table.c.name == name)).first()
    if row is None:
        known = connection.execute(sa.select(table.c.name).order_by(table.c.name)).scalars().all()
        hint = f"known: {', '.join(known)}" if known else "make one with 'tracker benchmark define'"
        raise no_such("benchmark", name, known, hint)
    return row


def truth_of(connection: Connection, benchmark: Row[Any]) -> Row[Any] | None:
    """Return the truth set of a benchmark, None if it has none."""
    table = schema.truth_set
    return connection.execute(
        sa.select(table).where(table.c.benchmark_id == benchmark.benchmark_id)
    ).first()


def target_names(connection: Connection, benchmark: Row[Any]) -> list[str]:
    """Return the names of a benchmark's targets in the order defined."""
    table = schema.benchmark_target
    return list(
        connection.execute(
            sa.select(table.c.name)
            .where(table.c.benchmark_id == benchmark.benchmark_id)
            .order_by(table.c.target_id)
        ).scalars()
    )


def template(connection: Connection, name: str) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return header and rows of a submission to fill in: all items, empty values."""
    benchmark = find(connection, name)
    item = schema.benchmark_item
    rows = connection.execute(
        sa.select(item.c.name, item.c.fold)
        .where(item.c.benchmark_id == benchmark.benchmark_id)
        .order_by(item.c.item_id)
    ).all()
    if benchmark.kind == "multilabel":
        return [benchmark.item_column, "label", "rank"], [(row.name, "", "1") for row in rows]
    targets = target_names(connection, benchmark)
    empty = [""] * len(targets)
    if benchmark.fold_column is None:
        return [benchmark.item_column, *targets], [(row.name, *empty) for row in rows]
    names = [benchmark.item_column, benchmark.fold_column, *targets]
    return names, [(row.name, row.fold or "", *empty) for row in rows]


def _read_items(
    connection: Connection,
    definition: Definition,
    kind: str,
    shape: Shape,
    table: TableFile,
    n_classes: int | None,
) -> Survey:
    """Stage the rows of the truth or items file and note their problems."""
    if definition.items is not None:
        shape = Shape(shape.item_column, shape.fold_column, [], is_long=False)
        staged = staged_label if kind == "multilabel" else staged_value
        survey = staging.stage(connection, staged, table, shape.item_columns)
    elif kind == "multilabel":
        survey = staging.stage_labels(connection, table, shape.item_column)
    else:
        survey = staging.stage_values(connection, table, shape, allow_empty_cells=True)
    if kind == "multilabel":
        gate.check_repeats(connection, survey, "keyed_label")
        return survey
    gate.check_own_values(connection, survey, shape)
    if n_classes is not None:
        gate.check_classes(connection, survey, n_classes, shape)
    return survey


def _load_mapping(connection: Connection, benchmark_id: int, path: Path) -> None:
    """Load the labels with their deciles, or with the counts that determine them."""
    table = files.open_table(connection, path)
    has_decile = table.has("decile")
    if has_decile == table.has("count"):
        raise InputRefused(f"{path.name}: give either a column count or a column decile")
    column = Column("count", "integer", low=0, high=2**31 - 1)
    if has_decile:
        column = Column("decile", "integer", low=1, high=10)
    file, survey = files.examine(connection, table, (Column("label"), column))
    mapping = sa.Table(
        "mapping_row",
        sa.MetaData(),
        sa.Column("row_number", sa.BigInteger),
        sa.Column("label", sa.String),
        sa.Column("frequency", sa.BigInteger),
        sa.Column("decile", sa.BigInteger),
        prefixes=["TEMPORARY"],
    )
    temp_tables.recreate(connection, mapping)
    rows = file.numbered.c
    connection.execute(
        mapping.insert().from_select(
            ["row_number", "label", "decile" if has_decile else "frequency"],
            sa.select(rows.row_number, rows.label, rows[column.name]),
        )
    )
    gate.check_repeats(connection, survey, "keyed_mapping")
    survey.refuse()
    first_label = temp_tables.next_key(connection, schema.benchmark_label.c.label_id)
    statements.run(
        connection, "append_label", {"benchmark_id": benchmark_id, "first_id": first_label}
    )


def _defined(connection: Connection, benchmark: Row[Any], *, is_new: bool) -> Defined:
    return Defined(
        benchmark.name,
        benchmark.kind,
        benchmark.n_items,
        target_names(connection, benchmark),
        truth_of(connection, benchmark) is not None,
        is_new,
    )
