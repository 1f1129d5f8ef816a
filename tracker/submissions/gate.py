"""The gate: finds everything wrong with the staged rows of a truth or submission file.

Every check notes what it finds in the survey of the file, with row and column.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, FromClause, Row, Select

from tracker.files.formats import MAX_SHOWN
from tracker.files.reading import Survey
from tracker.store import schema
from tracker.submissions.staging import Shape, staged_label, staged_value

MAX_POSITIONS = 500
# Problems without a row of their own come last.
_NO_ROW = 2**62
# How far outside the range of truth a predicted value may lie, in standard deviations of truth.
MAX_DEVIATIONS = 10
RESERVED_FOLDS = ("aggregated", "average")


def check_own_values(connection: Connection, survey: Survey, shape: Shape) -> None:
    """Note rows of a definition's own file that repeat, and folds that cannot be."""
    staged = _first_of_each_row(shape)
    key = [staged.c.item, staged.c.target] if shape.is_long else [staged.c.item]
    _note(connection, survey, _repeats(staged, key, shape.item_column))
    if shape.fold_column is None:
        return
    column = sa.literal(shape.fold_column).label("column_name")
    _note(
        connection,
        survey,
        sa.select(
            staged.c.row_number,
            column,
            sa.func.concat("'", staged.c.fold, "' cannot be the name of a fold").label("message"),
        ).where(staged.c.fold.in_(RESERVED_FOLDS)),
    )
    if shape.is_long:
        first = sa.func.first_value(staged.c.fold).over(
            partition_by=staged.c.item, order_by=staged.c.row_number
        )
        row = sa.select(staged, first.label("first_fold")).subquery("folded_row")
        _note(
            connection,
            survey,
            sa.select(
                row.c.row_number,
                column,
                sa.func.concat("'", row.c.item, "' stands in another fold above").label("message"),
            ).where(row.c.fold.is_distinct_from(row.c.first_fold)),
        )


def check_own_labels(connection: Connection, survey: Survey) -> None:
    """Note labels of a definition's own file that repeat within an instance."""
    label = sa.func.coalesce(staged_label.c.label, "").label("label")
    rows = sa.select(staged_label.c.row_number, staged_label.c.item, label).subquery("row")
    _note(connection, survey, _repeats(rows, [rows.c.item, rows.c.label], "label"))


def check_labels(connection: Connection, survey: Survey, rows: FromClause) -> None:
    """Note labels of a mapping that repeat."""
    _note(connection, survey, _repeats(rows, [rows.c.label], "label"))


def check_header(survey: Survey, names: Sequence[str], known: Sequence[str], hint: str) -> None:
    """Note every column of the file that is not among `known`; the hint says what is."""
    folded = {name.lower() for name in known}
    for name in names:
        if name.lower() not in folded:
            add_header(survey, name, f"unknown column; {hint}")


def add_header(survey: Survey, column: str, message: str) -> None:
    """Note a problem of a column of the header."""
    survey.add(0, f"{survey.path.name}, row 1, column {column}: {message}")


def check_value_rows(
    connection: Connection,
    survey: Survey,
    benchmark: Row[Any],
    shape: Shape,
    *,
    is_partial: bool,
) -> None:
    """Note rows that repeat, items unknown or missing, and folds that are not the item's own."""
    if not survey.file.has("item"):
        return
    item = _items(benchmark)
    staged = _first_of_each_row(shape)
    key = [staged.c.item, staged.c.target] if shape.is_long else [staged.c.item]
    _note(connection, survey, _repeats(staged, key, shape.item_column))
    _note(connection, survey, _unknown_items(staged, item, benchmark))
    if not is_partial:
        _note(connection, survey, _missing_items(staged, item, shape))
    if shape.fold_column is not None:
        given, own = (
            sa.func.concat("'", sa.func.coalesce(fold, ""), "'")
            for fold in (staged.c.fold, item.c.fold)
        )
        _note(
            connection,
            survey,
            sa.select(
                staged.c.row_number,
                sa.literal(shape.fold_column).label("column_name"),
                sa.func.concat(
                    given, " is not the fold of '", staged.c.item, "', which is ", own
                ).label("message"),
            )
            .join(item, item.c.name == staged.c.item)
            .where(staged.c.fold.is_distinct_from(item.c.fold)),
        )


def check_classes(connection: Connection, survey: Survey, n_classes: int, shape: Shape) -> None:
    """Note every true value that is not the index of a class."""
    value = staged_value.c.value
    is_class = (value == sa.func.floor(value)) & value.between(0, n_classes - 1)
    _note(
        connection,
        survey,
        sa.select(
            staged_value.c.row_number,
            _value_column(shape),
            sa.func.concat("'", value, f"' is not a class index (0 to {n_classes - 1})").label(
                "message"
            ),
        ).where(value.is_not(None), sa.not_(is_class)),
    )


def check_range(connection: Connection, survey: Survey, benchmark: Row[Any], shape: Shape) -> None:
    """Note every value too far outside the range of truth to be one of the target."""
    truth, target = schema.truth, schema.benchmark_target
    spread = (
        sa.select(
            target.c.name,
            sa.func.min(truth.c.value).label("lowest"),
            sa.func.max(truth.c.value).label("highest"),
            (MAX_DEVIATIONS * sa.func.coalesce(sa.func.stddev_samp(truth.c.value), 0)).label(
                "margin"
            ),
        )
        .join(target, target.c.target_id == truth.c.target_id)
        .where(target.c.benchmark_id == benchmark.benchmark_id)
        .group_by(target.c.name)
        .subquery("spread")
    )
    value = staged_value.c.value
    is_far = sa.or_(
        value > spread.c.highest + spread.c.margin, value < spread.c.lowest - spread.c.margin
    )
    _note(
        connection,
        survey,
        sa.select(
            staged_value.c.row_number,
            _value_column(shape),
            sa.func.concat(
                "'",
                value,
                f"' lies more than {MAX_DEVIATIONS} standard deviations outside the truth's range ",
                spread.c.lowest,
                " to ",
                spread.c.highest,
            ).label("message"),
        )
        .join(spread, spread.c.name == staged_value.c.target)
        .where(is_far, sa.func.isfinite(value)),
    )


def check_label_rows(
    connection: Connection,
    survey: Survey,
    benchmark: Row[Any],
    *,
    ordered_by: str | None,
    must_cover: bool = False,
) -> None:
    """Note labels or ranks that repeat within an instance, and instances that are unknown.

    With `must_cover`, also instances of the benchmark that the file lacks.
    """
    if not survey.file.has("item"):
        return
    item = _items(benchmark)
    staged = staged_label
    # An instance without a label stands once.
    label = sa.func.coalesce(staged.c.label, "").label("label")
    rows = sa.select(staged.c.row_number, staged.c.item, label, staged.c.rank).subquery("row")
    _note(connection, survey, _repeats(rows, [rows.c.item, rows.c.label], "label"))
    if ordered_by == "rank":
        _note(connection, survey, _repeats(rows, [rows.c.item, rows.c.rank], "rank"))
    _note(connection, survey, _unknown_items(rows, item, benchmark))
    if must_cover:
        given = sa.select(rows.c.item).where(rows.c.item.is_not(None))
        _note(connection, survey, _absent(item, given, benchmark.item_column))


def _first_of_each_row(shape: Shape) -> FromClause:
    """The staged rows with one for each row of the file: a wide one is staged once per target."""
    if shape.is_long or not shape.targets:
        return staged_value
    return (
        sa.select(staged_value)
        .where(staged_value.c.target == shape.targets[0])
        .subquery("file_line")
    )


def _items(benchmark: Row[Any]) -> FromClause:
    item = schema.benchmark_item
    return (
        sa.select(item.c.item_id, item.c.name, item.c.fold)
        .where(item.c.benchmark_id == benchmark.benchmark_id)
        .subquery("item")
    )


def _value_column(shape: Shape) -> ColumnElement[str]:
    column = sa.literal("value") if shape.is_long else staged_value.c.target
    return column.label("column_name")


def _repeats(
    rows: FromClause, key: Sequence[ColumnElement[Any]], column: str
) -> Select[*tuple[Any, ...]]:
    first = sa.func.min(rows.c.row_number).over(partition_by=key)
    number = sa.func.row_number().over(partition_by=key, order_by=rows.c.row_number)
    keyed = (
        sa.select(rows.c.row_number, *key, first.label("first_row"), number.label("number"))
        .where(sa.and_(*[cell.is_not(None) for cell in key]))
        .subquery("keyed_row")
    )
    shown = [part for cell in key for part in (", '", sa.cast(keyed.c[cell.name], sa.String), "'")]
    return sa.select(
        keyed.c.row_number,
        sa.literal(column).label("column_name"),
        sa.func.concat("'", *shown[1:], " repeats row ", keyed.c.first_row).label("message"),
    ).where(keyed.c.number > 1)


def _unknown_items(
    rows: FromClause, item: FromClause, benchmark: Row[Any]
) -> Select[*tuple[Any, ...]]:
    return (
        sa.select(
            sa.func.min(rows.c.row_number).label("row_number"),
            sa.literal(benchmark.item_column).label("column_name"),
            sa.func.concat("'", rows.c.item, f"' is no item of '{benchmark.name}'").label(
                "message"
            ),
        )
        .join(item, item.c.name == rows.c.item, isouter=True)
        .where(item.c.item_id.is_(None), rows.c.item.is_not(None))
        .group_by(rows.c.item)
    )


def _missing_items(staged: FromClause, item: FromClause, shape: Shape) -> Select[*tuple[Any, ...]]:
    """Items the file lacks; of a long file, items without a value of a target it has."""
    if not shape.is_long:
        given = sa.select(staged.c.item).where(staged.c.item.is_not(None))
        return _absent(item, given, shape.item_column)
    target = sa.select(staged.c.target).distinct().subquery("given_target")
    cell = sa.select(item.c.name, target.c.target).join(target, sa.true()).subquery("cell")
    return (
        sa.select(
            sa.cast(sa.null(), sa.BigInteger).label("row_number"),
            sa.literal(shape.item_column).label("column_name"),
            sa.func.concat("'", cell.c.name, "' has no value of '", cell.c.target, "'").label(
                "message"
            ),
        )
        .join(
            staged,
            (staged.c.item == cell.c.name) & (staged.c.target == cell.c.target),
            isouter=True,
        )
        .where(staged.c.row_number.is_(None), cell.c.target.in_(shape.targets))
    )


def _absent(
    item: FromClause, given: Select[*tuple[Any, ...]], column: str
) -> Select[*tuple[Any, ...]]:
    return sa.select(
        sa.cast(sa.null(), sa.BigInteger).label("row_number"),
        sa.literal(column).label("column_name"),
        sa.func.concat("'", item.c.name, "' is missing").label("message"),
    ).where(item.c.name.not_in(given))


def _note(connection: Connection, survey: Survey, found: Select[*tuple[Any, ...]]) -> None:
    """Add the rows of a query of row_number, column_name and message as problems."""
    problem = found.subquery("problem")
    rows = connection.execute(
        sa.select(problem, sa.func.count().over().label("n_found"))
        .order_by(problem.c.row_number, problem.c.column_name, problem.c.message)
        .limit(MAX_SHOWN)
    ).all()
    for row in rows:
        if row.row_number is None:
            survey.add(_NO_ROW, f"{survey.path.name}, column {row.column_name}: {row.message}")
        else:
            survey.add_cell(row.row_number, row.column_name, row.message)
    if rows:
        survey.add_unworded(rows[0].n_found - len(rows))
