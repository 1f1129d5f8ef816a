"""Determines a benchmark's definition from the user's options and the file headers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import files
from tracker.errors import InputRefused
from tracker.extras.benchmarks import staging
from tracker.extras.benchmarks.presets import Preset
from tracker.files import Column, Survey, TableFile

TARGET_COLUMNS = (
    Column("target"),
    Column("direction", required=False, choices=("higher", "lower")),
)


@dataclass(frozen=True)
class Definition:
    """A benchmark as defined, before its files are read."""

    name: str
    kind: str | None = None
    preset: str | None = None
    truth: Path | None = None
    items: Path | None = None
    targets: Path | None = None
    labels: Path | None = None
    item_column: str | None = None
    fold_column: str | None = None
    n_classes: int | None = None


def kind_of(definition: Definition, preset: Preset | None) -> str:
    """Return the kind of a benchmark; InputRefused for conflicting options."""
    kind = definition.kind or (preset.kind if preset else None)
    if kind is None:
        raise InputRefused("give --kind, or a --preset that has one")
    if preset is not None and kind != preset.kind:
        raise InputRefused(f"the preset {definition.preset} is of kind {preset.kind}, not {kind}")
    if definition.labels is not None and kind != "multilabel":
        raise InputRefused("--labels is for multilabel benchmarks")
    if definition.targets is not None and (kind == "multilabel" or preset is not None):
        raise InputRefused("--targets is for benchmarks with targets and without a preset")
    if definition.fold_column is not None and kind == "multilabel":
        raise InputRefused("--fold-column is not for multilabel benchmarks")
    if definition.n_classes is not None and kind != "ordinal":
        raise InputRefused("--classes is for ordinal benchmarks")
    if definition.truth is not None and definition.items is not None:
        raise InputRefused("give --truth or --items, not both: the truth file contains the items")
    return kind


def fingerprint_of(definition: Definition, kind: str) -> dict[str, Any]:
    """Return the identity of a definition: its options and the content of its files."""
    paths = {
        "truth" if definition.truth else "items": definition.truth or definition.items,
        "targets": definition.targets,
        "labels": definition.labels,
    }
    return {
        "kind": kind,
        "preset": definition.preset,
        "item_column": definition.item_column,
        "fold_column": definition.fold_column,
        "n_classes": definition.n_classes,
        "files": {
            role: files.sha256_of(path) for role, path in paths.items() if path and path.is_file()
        },
    }


def directions_of(
    connection: Connection,
    definition: Definition,
    preset: Preset | None,
    table: TableFile,
    item_column: str,
    fold_column: str | None,
) -> dict[str, bool]:
    """Map each target to whether lower is better, from the preset, a file or the header."""
    if preset is not None:
        found = {name: low for name, low in preset.targets.items() if table.has(name)}
        if staging.is_long(table.names, list(preset.targets)) or (
            definition.truth is None and not found
        ):
            return preset.targets
        missing = [name for name in preset.targets if name not in found]
        if missing and not (preset.any_target and found):
            raise InputRefused(
                f"{table.path.name}: the preset's columns {', '.join(missing)} are missing"
            )
        return found
    if definition.targets is not None:
        file = files.read(connection, definition.targets, TARGET_COLUMNS)
        rows = connection.execute(sa.select(file.numbered)).all()
        directions: dict[str, bool] = {}
        survey = Survey(file.table)
        for row in rows:
            if row.target in directions:
                survey.add(row.row_number, "target", f"'{row.target}' repeats")
            directions[row.target] = row.direction == "lower"
        survey.refuse()
        return directions
    if staging.is_long(table.names, []):
        columns = (Column("target"), Column("value", "number", required=False))
        file, survey = files.examine(connection, table, columns, allow_extra=True)
        survey.refuse()
        rows = connection.execute(
            sa.select(file.rows.c.target).distinct().order_by(file.rows.c.target)
        ).all()
        return {row.target: False for row in rows}
    own = {item_column.lower(), (fold_column or "").lower()}
    found = {name: False for name in table.names if name.lower() not in own}
    if not found:
        raise InputRefused("no target: give --targets FILE, or a truth file with a column for each")
    return found
