"""Stages a truth or submission file in a temporary table, one row per item and target or label.

Wide files have a column per target, long files the columns target and value. Nothing here reaches
the store's own tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import files, temp_tables
from tracker.files import Column, Survey, TableFile

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
    """The layout of a file's values: its targets if wide, its columns if long."""

    item_column: str
    fold_column: str | None
    targets: list[str]
    is_long: bool

    @property
    def item_columns(self) -> list[Column]:
        """The columns that name the item of a row, and its fold."""
        columns = [Column("item", header=self.item_column, longest=None)]
        if self.fold_column is not None:
            columns.append(Column("fold", required=False, header=self.fold_column))
        return columns


def is_long(names: Sequence[str], targets: Sequence[str]) -> bool:
    """Whether a header is of a long file: target and value, neither of them a target."""
    folded = {name.lower() for name in names}
    return folded >= set(LONG_COLUMNS) and not {t.lower() for t in targets} & set(LONG_COLUMNS)


def stage_values(
    connection: Connection, table: TableFile, shape: Shape, *, allow_empty_cells: bool
) -> Survey:
    """Read a file into staged_value, a row per item and target; return the problems so far.

    Cells without a number stay empty. Raises InputRefused if the rows cannot be read at all.
    """
    is_required = not allow_empty_cells
    if shape.is_long:
        value_columns = [
            Column("target", choices=shape.targets),
            Column("value", "number", required=is_required),
        ]
        return stage(connection, staged_value, table, [*shape.item_columns, *value_columns])
    value_columns = [
        Column(f"value_{number}", "number", required=is_required, header=target)
        for number, target in enumerate(shape.targets)
    ]
    columns = [*shape.item_columns, *value_columns]
    file, survey = files.examine(connection, table, columns, allow_extra=True)
    temp_tables.recreate(connection, staged_value)
    if shape.targets:
        # All targets in one query: each query scans the file.
        rows = file.numbered.c
        names = [column.name for column in shape.item_columns]
        values = sa.func.list_value(*[rows[column.name] for column in value_columns])
        staged = sa.select(
            rows.row_number,
            *[rows[name] for name in names],
            sa.func.unnest(sa.literal(shape.targets, sa.ARRAY(sa.String))),
            sa.func.unnest(values),
        )
        names = ["row_number", *names, "target", "value"]
        connection.execute(staged_value.insert().from_select(names, staged))
    return survey


def stage_labels(
    connection: Connection,
    table: TableFile,
    item_column: str,
    *,
    orders: Sequence[Literal["rank", "score"]] = (),
) -> Survey:
    """Read instance and label into staged_label, and for predictions their rank, score or both.

    In a truth, which has no order, an empty label means that an instance has no true label. Beside
    a rank, a score may be empty.
    """
    columns = [
        Column("item", header=item_column, longest=None),
        Column("label", required=bool(orders)),
    ]
    if "rank" in orders:
        columns.append(Column("rank", "integer", low=1, high=2**31 - 1))
    if "score" in orders:
        columns.append(Column("score", "number", required="rank" not in orders))
    return stage(connection, staged_label, table, columns)


def stage(
    connection: Connection, staged: sa.Table, table: TableFile, columns: Sequence[Column]
) -> Survey:
    """Read columns of a file into the same-named columns of a staged table."""
    file, survey = files.examine(connection, table, columns, allow_extra=True)
    temp_tables.refill(connection, staged, file.numbered)
    return survey
