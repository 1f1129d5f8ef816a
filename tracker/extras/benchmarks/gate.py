"""The gate: finds all problems in the staged rows of a truth or submission file.

Every check is a statement of sql/statements/gate that returns the row, the column and the message
of each problem; this module chooses those that a file must pass.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from tracker.extras.benchmarks.staging import Shape
from tracker.files import Survey
from tracker.store import statements


def check_header(survey: Survey, known: Sequence[str], hint: str) -> None:
    """Note every column of the file that is not in `known`; the hint lists those."""
    folded = {name.lower() for name in known}
    for name in survey.table.names:
        if name.lower() not in folded:
            survey.add_to_header(f"unknown column; {hint}", name)


def check_own_values(connection: Connection, survey: Survey, shape: Shape) -> None:
    """Note repeated rows of a definition's own file, and impossible folds."""
    _check_repeated_values(connection, survey, shape)
    if shape.fold_column is not None:
        _note(connection, survey, "reserved_fold", fold_column=shape.fold_column)
        if shape.is_long:
            _note(connection, survey, "moved_fold", fold_column=shape.fold_column)


def check_repeats(connection: Connection, survey: Survey, keyed: str, **parameters: Any) -> None:
    """Note rows with the key of an earlier one; the statement `keyed` makes the keys."""
    statements.run(connection, keyed, parameters)
    _note(connection, survey, "repeated_key")


def check_value_rows(
    connection: Connection, survey: Survey, benchmark: Row[Any], shape: Shape, *, is_partial: bool
) -> None:
    """Note repeated rows, unknown or missing items, and folds other than the item's."""
    if not survey.table.has(shape.item_column):
        return
    key = {"benchmark_id": benchmark.benchmark_id}
    _check_repeated_values(connection, survey, shape)
    _note(connection, survey, "unknown_item", **key)
    if not is_partial:
        _note(connection, survey, "missing_value" if shape.is_long else "missing_item", **key)
    if shape.fold_column is not None:
        _note(connection, survey, "differing_fold", **key)


def check_remote_values(
    connection: Connection, survey: Survey, benchmark: Row[Any], shape: Shape, track: str
) -> None:
    """Note values of a regression that are over a thousand times the truth's range outside it."""
    key = {"benchmark_id": benchmark.benchmark_id, "is_held_out": track == "heldout"}
    _note(connection, survey, "remote_value", is_long=shape.is_long, **key)


def check_label_rows(
    connection: Connection,
    survey: Survey,
    benchmark: Row[Any],
    item_column: str,
    *,
    must_cover: bool = False,
) -> None:
    """Note labels or ranks repeated within an instance, and unknown instances.

    `item_column` names the instances. With `must_cover` those that the file lacks are noted, too.
    """
    if not survey.table.has(item_column):
        return
    key = {"benchmark_id": benchmark.benchmark_id}
    check_repeats(connection, survey, "keyed_label")
    _note(connection, survey, "unknown_item", **key)
    if must_cover:
        _note(connection, survey, "missing_item", **key)


def check_ranks(connection: Connection, survey: Survey) -> None:
    """Note ranks that are not in the order of the scores beside them."""
    _note(connection, survey, "contradicted_rank")


def check_classes(connection: Connection, survey: Survey, n_classes: int, shape: Shape) -> None:
    """Note every true value that is not a class index."""
    _note(connection, survey, "unknown_class", is_long=shape.is_long, n_classes=n_classes)


def _check_repeated_values(connection: Connection, survey: Survey, shape: Shape) -> None:
    check_repeats(
        connection,
        survey,
        "keyed_value",
        first_target=shape.targets[0] if shape.targets else None,
        is_long=shape.is_long,
        item_column=shape.item_column,
    )


def _note(connection: Connection, survey: Survey, check: str, **parameters: Any) -> None:
    survey.note(connection, statements.problems(check, **parameters))
