"""Determines a benchmark's definition from the user's options and the file headers."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import files
from tracker.errors import InputRefused
from tracker.extras.benchmarks import staging
from tracker.extras.benchmarks.presets import PRESETS, Preset, PresetName
from tracker.figures import MOST_CLASSES
from tracker.files import Column, Survey, TableFile
from tracker.schema import BENCHMARK_KINDS, BenchmarkKind

TARGET_COLUMNS = (
    Column("target"),
    Column("direction", required=False, choices=("higher", "lower")),
)

# A path; in Python also a frame, which becomes a file before the definition is stored.
File = Path | Any | None


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A benchmark as defined: its name, and the options of the command and of Python.

    An annotation holds an option's type, its help and, if it has them, its words or its range.
    """

    name: str = field(kw_only=False)
    kind: Annotated[BenchmarkKind | None, "What is predicted.", BENCHMARK_KINDS] = None
    preset: Annotated[
        PresetName | None, "Targets, directions and columns of a known collection.", sorted(PRESETS)
    ] = None
    truth: Annotated[File, "Items with their true values or labels."] = None
    items: Annotated[File, "Only the items, if the truth comes later."] = None
    targets: Annotated[File, "A file with target and direction (higher or lower is better)."] = None
    labels: Annotated[File, "Multi-label: a file with label and count, or label and decile."] = None
    item_column: Annotated[str | None, "The column that names the item."] = None
    fold_column: Annotated[
        str | None, "The column with the fold of each item, which allows the track cv."
    ] = None
    n_classes: Annotated[
        int | None, "Ordinal: the number of classes (default 3).", range(2, MOST_CLASSES + 1)
    ] = None


OPTIONS = get_type_hints(Definition, include_extras=True)
del OPTIONS["name"]
FILES = [name for name, hint in OPTIONS.items() if hint.__origin__ == File]


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
    paths = {role: getattr(definition, role) for role in FILES}
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
