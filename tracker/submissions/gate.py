"""The gate: finds all problems in the staged rows of a truth or submission file.

Every check notes its findings in the survey of the file, with row and column.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, FromClause, Row, Select

from tracker.files import Survey, cell_problems
from tracker.store import schema
from tracker.submissions.staging import Shape, staged_label, staged_value

# How far predicted values may fall outside the range of truth, in standard deviations of truth.
MAX_DEVIATIONS = 10
RESERVED_FOLDS = ("aggregated", "average")


def check_own_values(connection: Connection, survey: Survey, shape: Shape) -> None:
    """Note repeated rows of a definition's own file, and impossible folds."""
    staged = _first_of_each_row(shape)
    survey.note(connection, _repeats(staged, _row_key(staged, shape), shape.item_column))
    if shape.fold_column is None:
        return
    row = staged.c
    message = sa.func.concat("'", row.fold, "' cannot be the name of a fold")
    reserved = cell_problems(row.row_number, shape.fold_column, message)
    survey.note(connection, reserved.where(row.fold.in_(RESERVED_FOLDS)))
    if shape.is_long:
        first = sa.func.first_value(row.fold).over(partition_by=row.item, order_by=row.row_number)
        row = sa.select(staged, first.label("first_fold")).subquery("folded_row").c
        message = sa.func.concat("'", row.item, "' stands in another fold above")
        moved = cell_problems(row.row_number, shape.fold_column, message)
        survey.note(connection, moved.where(row.fold.is_distinct_from(row.first_fold)))


def check_own_labels(connection: Connection, survey: Survey) -> None:
    """Note repeated labels of an instance in a definition's own file."""
    rows = _labeled_rows()
    survey.note(connection, _repeats(rows, [rows.c.item, rows.c.label], "label"))


def check_mapping_labels(connection: Connection, survey: Survey, rows: FromClause) -> None:
    """Note repeated labels of a mapping."""
    survey.note(connection, _repeats(rows, [rows.c.label], "label"))


def check_header(survey: Survey, known: Sequence[str], hint: str) -> None:
    """Note every column of the file that is not in `known`; the hint lists those."""
    folded = {name.lower() for name in known}
    for name in survey.table.names:
        if name.lower() not in folded:
            survey.add_to_header(f"unknown column; {hint}", name)


def check_value_rows(
    connection: Connection,
    survey: Survey,
    benchmark: Row[Any],
    shape: Shape,
    *,
    is_partial: bool,
) -> None:
    """Note repeated rows, unknown or missing items, and folds other than the item's."""
    if not survey.table.has(shape.item_column):
        return
    item = _items(benchmark)
    staged = _first_of_each_row(shape)
    survey.note(connection, _repeats(staged, _row_key(staged, shape), shape.item_column))
    survey.note(connection, _unknown_items(staged, item, benchmark))
    if not is_partial:
        survey.note(connection, _missing_items(staged, item, shape))
    if shape.fold_column is not None:
        row = staged.c
        given, own = (
            sa.func.concat("'", sa.func.coalesce(fold, ""), "'") for fold in (row.fold, item.c.fold)
        )
        message = sa.func.concat(given, " is not the fold of '", row.item, "', which is ", own)
        survey.note(
            connection,
            cell_problems(row.row_number, shape.fold_column, message)
            .join(item, item.c.name == row.item)
            .where(row.fold.is_distinct_from(item.c.fold)),
        )


def check_classes(connection: Connection, survey: Survey, n_classes: int, shape: Shape) -> None:
    """Note every true value that is not a class index."""
    row = staged_value.c
    is_class = (row.value == sa.func.floor(row.value)) & row.value.between(0, n_classes - 1)
    message = sa.func.concat("'", row.value, f"' is not a class index (0 to {n_classes - 1})")
    problems = cell_problems(row.row_number, _value_column(shape), message)
    survey.note(connection, problems.where(row.value.is_not(None), sa.not_(is_class)))


def check_range(connection: Connection, survey: Survey, benchmark: Row[Any], shape: Shape) -> None:
    """Note every value too far outside the range of truth to be the target's."""
    truth, target = schema.truth.c.value, schema.benchmark_target.c
    margin = MAX_DEVIATIONS * sa.func.coalesce(sa.func.stddev_samp(truth), 0)
    spread = (
        sa.select(
            target.name,
            sa.func.min(truth).label("lowest"),
            sa.func.max(truth).label("highest"),
            margin.label("margin"),
        )
        .join(schema.benchmark_target, target.target_id == schema.truth.c.target_id)
        .where(target.benchmark_id == benchmark.benchmark_id)
        .group_by(target.name)
        .subquery("spread")
    )
    row, bound = staged_value.c, spread.c
    is_far = sa.or_(
        row.value > bound.highest + bound.margin, row.value < bound.lowest - bound.margin
    )
    message = sa.func.concat(
        "'",
        row.value,
        f"' lies more than {MAX_DEVIATIONS} standard deviations outside the truth's range ",
        bound.lowest,
        " to ",
        bound.highest,
    )
    survey.note(
        connection,
        cell_problems(row.row_number, _value_column(shape), message)
        .join(spread, bound.name == row.target)
        .where(is_far, sa.func.isfinite(row.value)),
    )


def check_label_rows(
    connection: Connection,
    survey: Survey,
    benchmark: Row[Any],
    *,
    ordered_by: str | None,
    must_cover: bool = False,
) -> None:
    """Note labels or ranks repeated within an instance, and unknown instances.

    With `must_cover`, also note benchmark instances the file lacks.
    """
    if not survey.table.has(benchmark.item_column):
        return
    item = _items(benchmark)
    rows = _labeled_rows()
    survey.note(connection, _repeats(rows, [rows.c.item, rows.c.label], "label"))
    if ordered_by == "rank":
        survey.note(connection, _repeats(rows, [rows.c.item, rows.c.rank], "rank"))
    survey.note(connection, _unknown_items(rows, item, benchmark))
    if must_cover:
        survey.note(connection, _absent(rows, item, benchmark.item_column))


def _first_of_each_row(shape: Shape) -> FromClause:
    """One staged row for each row of the file: wide rows are staged once per target."""
    if shape.is_long or not shape.targets:
        return staged_value
    is_first = staged_value.c.target == shape.targets[0]
    return sa.select(staged_value).where(is_first).subquery("file_line")


def _row_key(staged: FromClause, shape: Shape) -> list[ColumnElement[Any]]:
    return [staged.c.item, staged.c.target] if shape.is_long else [staged.c.item]


def _labeled_rows() -> FromClause:
    """The staged labels; an instance without a label may appear once."""
    label = sa.func.coalesce(staged_label.c.label, "").label("label")
    row = staged_label.c
    return sa.select(row.row_number, row.item, label, row.rank).subquery("row")


def _items(benchmark: Row[Any]) -> FromClause:
    item = schema.benchmark_item
    return (
        sa.select(item.c.item_id, item.c.name, item.c.fold)
        .where(item.c.benchmark_id == benchmark.benchmark_id)
        .subquery("item")
    )


def _value_column(shape: Shape) -> str | ColumnElement[str]:
    return "value" if shape.is_long else staged_value.c.target


def _repeats(
    rows: FromClause, key: Sequence[ColumnElement[Any]], column: str
) -> Select[*tuple[Any, ...]]:
    first = sa.func.min(rows.c.row_number).over(partition_by=key)
    number = sa.func.row_number().over(partition_by=key, order_by=rows.c.row_number)
    keyed = (
        sa.select(rows.c.row_number, *key, first.label("first_row"), number.label("number"))
        .where(sa.and_(*[cell.is_not(None) for cell in key]))
        .subquery("keyed_row")
        .c
    )
    shown = [part for cell in key for part in (", '", sa.cast(keyed[cell.name], sa.String), "'")]
    message = sa.func.concat("'", *shown[1:], " repeats row ", keyed.first_row)
    return cell_problems(keyed.row_number, column, message).where(keyed.number > 1)


def _unknown_items(
    rows: FromClause, item: FromClause, benchmark: Row[Any]
) -> Select[*tuple[Any, ...]]:
    message = sa.func.concat("'", rows.c.item, f"' is no item of '{benchmark.name}'")
    return (
        cell_problems(sa.func.min(rows.c.row_number), benchmark.item_column, message)
        .join(item, item.c.name == rows.c.item, isouter=True)
        .where(item.c.item_id.is_(None), rows.c.item.is_not(None))
        .group_by(rows.c.item)
    )


def _missing_items(staged: FromClause, item: FromClause, shape: Shape) -> Select[*tuple[Any, ...]]:
    """Items the file lacks; for a long file, items lacking a value of a target it has."""
    if not shape.is_long:
        return _absent(staged, item, shape.item_column)
    target = sa.select(staged.c.target).distinct().subquery("given_target")
    cell = sa.select(item.c.name, target.c.target).join(target, sa.true()).subquery("cell").c
    message = sa.func.concat("'", cell.name, "' has no value of '", cell.target, "'")
    is_same = (staged.c.item == cell.name) & (staged.c.target == cell.target)
    return (
        cell_problems(None, shape.item_column, message)
        .join(staged, is_same, isouter=True)
        .where(staged.c.row_number.is_(None), cell.target.in_(shape.targets))
    )


def _absent(staged: FromClause, item: FromClause, column: str) -> Select[*tuple[Any, ...]]:
    given = sa.select(staged.c.item).where(staged.c.item.is_not(None))
    message = sa.func.concat("'", item.c.name, "' is missing")
    return cell_problems(None, column, message).where(item.c.name.not_in(given))
