"""Reads a truth or submission file into a temporary table, a row for each item and target or label.

Wide files have a column per target, long files the columns target and value. Nothing reaches the
store's own tables from here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import files
from tracker.files.reading import Column, Survey

LONG_COLUMNS = ("target", "value")


staged_value = sa.Table(
    "staged_value",
    sa.MetaData(),
    sa.Column("row_number", sa.BigInteger),
    sa.Column("item", sa.String),
    sa.Column("target", sa.String),
    sa.Column("fold", sa.String),
    sa.Column("value", sa.Double),
    prefixes=["TEMPORARY"],
)


staged_label = sa.Table(
    "staged_label",
    sa.MetaData(),
    sa.Column("row_number", sa.BigInteger),
    sa.Column("item", sa.String),
    sa.Column("label", sa.String),
    sa.Column("rank", sa.BigInteger),
    sa.Column("score", sa.Double),
    prefixes=["TEMPORARY"],
)


@dataclass(frozen=True)
class Shape:
    """How a file lays out its values: its targets if wide, and the columns of a long one."""

    item_column: str
    fold_column: str | None
    targets: list[str]
    is_long: bool

    def value_column(self, target: str) -> str:
        """The column in which the value of a target stands."""
        return "value" if self.is_long else target


def is_long(names: Sequence[str], targets: Sequence[str]) -> bool:
    """Whether a header is that of a long file: target and value, and neither is a target."""
    folded = {name.lower() for name in names}
    return folded >= set(LONG_COLUMNS) and not {t.lower() for t in targets} & set(LONG_COLUMNS)


def stage_values(
    connection: Connection, path: Path, shape: Shape, *, allow_empty_cells: bool
) -> Survey:
    """Read the file into staged_value, one row per item and target; return what is wrong so far.

    Cells without a number are left out. Raises InputRefused if the file cannot be read at all.
    """
    fold = []
    if shape.fold_column is not None:
        fold = [Column("fold", required=False, header=shape.fold_column)]
    columns = [Column("item", header=shape.item_column), *fold]
    if shape.is_long:
        columns += [
            Column("target", choices=shape.targets),
            Column("value", "number", required=not allow_empty_cells),
        ]
    else:
        columns += [
            Column(f"value_{number}", "number", required=not allow_empty_cells, header=target)
            for number, target in enumerate(shape.targets)
        ]
    survey = files.examine(connection, path, columns, allow_extra=True)
    rows = files.numbered(survey.file)
    staged_value.drop(connection, checkfirst=True)
    staged_value.create(connection)
    fold_cell = rows.c.fold if fold else sa.cast(sa.null(), sa.String)
    parts = (
        [(rows.c.target, rows.c.value)]
        if shape.is_long
        else [
            (sa.literal(target), rows.c[f"value_{number}"])
            for number, target in enumerate(shape.targets)
        ]
    )
    for target, value in parts:
        connection.execute(
            staged_value.insert().from_select(
                ["row_number", "item", "target", "fold", "value"],
                sa.select(rows.c.row_number, rows.c.item, target, fold_cell, value),
            )
        )
    return survey


def stage_labels(
    connection: Connection, path: Path, item_column: str, *, ordered_by: str | None
) -> Survey:
    """Read instance and label, and `ordered_by` (rank or score) of predictions, into staged_label.

    Truth may have an instance with an empty label: it has no true label.
    """
    columns = [
        Column("item", header=item_column),
        Column("label", required=ordered_by is not None),
    ]
    if ordered_by == "rank":
        columns.append(Column("rank", "integer", low=1, high=2**31 - 1))
    elif ordered_by == "score":
        columns.append(Column("score", "number"))
    survey = files.examine(connection, path, columns, allow_extra=True)
    rows = files.numbered(survey.file)
    staged_label.drop(connection, checkfirst=True)
    staged_label.create(connection)
    names = ["row_number", *[column.name for column in columns]]
    connection.execute(
        staged_label.insert().from_select(names, sa.select(*[rows.c[name] for name in names]))
    )
    return survey


def stage_items(connection: Connection, path: Path, shape: Shape) -> Survey:
    """Read only the items of a file, and their folds, into staged_value."""
    fold = []
    if shape.fold_column is not None:
        fold = [Column("fold", required=False, header=shape.fold_column)]
    columns = [Column("item", header=shape.item_column), *fold]
    survey = files.examine(connection, path, columns, allow_extra=True)
    rows = files.numbered(survey.file)
    staged_value.drop(connection, checkfirst=True)
    staged_value.create(connection)
    names = ["row_number", *[column.name for column in columns]]
    connection.execute(
        staged_value.insert().from_select(names, sa.select(*[rows.c[name] for name in names]))
    )
    return survey


def stage_instances(connection: Connection, path: Path, item_column: str) -> Survey:
    """Read only the instances of a file into staged_label."""
    survey = files.examine(connection, path, [Column("item", header=item_column)], allow_extra=True)
    rows = files.numbered(survey.file)
    staged_label.drop(connection, checkfirst=True)
    staged_label.create(connection)
    connection.execute(
        staged_label.insert().from_select(
            ["row_number", "item"], sa.select(rows.c.row_number, rows.c.item)
        )
    )
    return survey
