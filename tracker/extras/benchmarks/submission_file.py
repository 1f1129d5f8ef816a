"""Reads a submission file through the gate: stages its rows and notes all its problems."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.errors import InputRefused
from tracker.extras.benchmarks import definitions, gate, staging
from tracker.extras.benchmarks.staging import Shape
from tracker.files import Survey, TableFile


def require_track(benchmark: Row[Any], track: str) -> None:
    """Raise InputRefused for cross-validation in a benchmark without folds."""
    if track == "cv" and benchmark.fold_column is None:
        raise InputRefused(f"'{benchmark.name}' has no folds; it has no cross-validation track")


def read_values(
    connection: Connection, benchmark: Row[Any], table: TableFile, track: str, is_partial: bool
) -> Survey:
    """Stage a wide or long file of values and note all its problems."""
    targets = definitions.target_names(connection, benchmark)
    fold_column = benchmark.fold_column
    has_fold = table.has(fold_column)
    is_long = staging.is_long(table.names, targets)
    given = targets if is_long else [target for target in targets if table.has(target)]
    shape = Shape(benchmark.item_column, fold_column if has_fold else None, given, is_long)
    survey = staging.stage_values(connection, table, shape, allow_empty_cells=is_partial)
    column = schema.benchmark_column
    further = connection.execute(
        sa.select(column.c.name).where(column.c.benchmark_id == benchmark.benchmark_id)
    ).scalars()
    known = [benchmark.item_column, *([fold_column] if fold_column else []), *further]
    known += staging.LONG_COLUMNS if is_long else targets
    gate.check_header(survey, known, f"the targets are {', '.join(targets)}")
    if not given:
        survey.add_to_header(f"no column is a target; the targets are {', '.join(targets)}")
    require_track(benchmark, track)
    if track == "cv" and not has_fold:
        survey.add_to_header("is missing; this track needs each item's fold", fold_column)
    if track == "heldout" and has_fold:
        survey.add_to_header("must be absent on the held-out track", fold_column)
    gate.check_value_rows(connection, survey, benchmark, shape, is_partial=is_partial)
    gate.check_remote_values(connection, survey, benchmark, shape, track)
    return survey


def read_labels(
    connection: Connection, benchmark: Row[Any], table: TableFile, track: str, is_partial: bool
) -> Survey:
    """Stage a file of ranked labels and note all its problems."""
    require_track(benchmark, track)
    if is_partial:
        raise InputRefused(
            "an instance without predictions scores 0, so a multi-label submission is never partial"
        )
    has_score_alone = table.has("score") and not table.has("rank")
    survey = staging.stage_labels(
        connection, table, benchmark.item_column, orders=("score" if has_score_alone else "rank",)
    )
    if table.has("rank") and table.has("score"):
        survey.add_to_header("give either rank or score, not both", "score")
    known = [benchmark.item_column, "label", "rank", "score"]
    gate.check_header(survey, known, "instance, label and rank or score are read")
    gate.check_label_rows(connection, survey, benchmark, benchmark.item_column)
    return survey
