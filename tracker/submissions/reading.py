"""Reads a submission file through the gate: stages its rows and notes all that is wrong with it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.errors import InputRefused
from tracker.files.reading import Survey
from tracker.store import schema
from tracker.submissions import definitions, gate, staging
from tracker.submissions.staging import Shape


def read_values(
    connection: Connection,
    benchmark: Row[Any],
    path: Path,
    names: Sequence[str],
    track: str,
    is_partial: bool,
) -> Survey:
    """Stage a wide or long file of values and note everything wrong with it."""
    targets = definitions.target_names(connection, benchmark)
    folded = {name.lower() for name in names}
    fold_column = benchmark.fold_column
    has_fold = fold_column is not None and fold_column.lower() in folded
    is_long = staging.is_long(names, targets)
    given = targets if is_long else [t for t in targets if t.lower() in folded]
    shape = Shape(benchmark.item_column, fold_column if has_fold else None, given, is_long)
    survey = staging.stage_values(connection, path, shape, allow_empty_cells=is_partial)
    column = schema.benchmark_column
    further = connection.execute(
        sa.select(column.c.name).where(column.c.benchmark_id == benchmark.benchmark_id)
    ).scalars()
    known = [benchmark.item_column, *([fold_column] if fold_column else []), *further]
    known += staging.LONG_COLUMNS if is_long else targets
    gate.check_header(survey, names, known, f"the targets are {', '.join(targets)}")
    if not given:
        survey.add(
            0, f"{path.name}, row 1: no column is a target; the targets are {', '.join(targets)}"
        )
    if track == "cv" and fold_column is None:
        raise InputRefused(f"'{benchmark.name}' has no folds; it has no cross-validation track")
    if track == "cv" and not has_fold:
        gate.add_header(survey, str(fold_column), "is missing; this track needs each item's fold")
    if track == "heldout" and has_fold:
        gate.add_header(survey, str(fold_column), "must be absent on the held-out track")
    gate.check_value_rows(connection, survey, benchmark, shape, is_partial=is_partial)
    if benchmark.kind == "regression" and given:
        gate.check_range(connection, survey, benchmark, shape)
    return survey


def read_labels(
    connection: Connection,
    benchmark: Row[Any],
    path: Path,
    names: Sequence[str],
    track: str,
    is_partial: bool,
) -> Survey:
    """Stage a file of ranked labels and note everything wrong with it."""
    if track == "cv":
        raise InputRefused(f"'{benchmark.name}' has no folds; it has no cross-validation track")
    if is_partial:
        raise InputRefused(
            "an instance without predictions scores 0, so a multi-label submission is never partial"
        )
    folded = {name.lower() for name in names}
    ordered_by = "score" if "score" in folded and "rank" not in folded else "rank"
    survey = staging.stage_labels(connection, path, benchmark.item_column, ordered_by=ordered_by)
    if {"rank", "score"} <= folded:
        gate.add_header(survey, "score", "give either rank or score, not both")
    known = [benchmark.item_column, "label", "rank", "score"]
    gate.check_header(survey, names, known, "instance, label and rank or score are read")
    gate.check_label_rows(connection, survey, benchmark, ordered_by=ordered_by)
    return survey
