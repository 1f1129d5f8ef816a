"""Data frames in and out: pandas, polars or Arrow, whichever the user works with."""

import importlib
from collections.abc import Collection
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

from tracker.api.arguments import require_one_of
from tracker.errors import InputRefused
from tracker.rows import Rows

Library = Literal["pandas", "polars", "arrow", "rows"]
LIBRARIES: tuple[Library, ...] = get_args(Library)
# `rows` is the package's own `Rows`, which needs no library: what the commands print.
_MODULES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}


def require(library: str) -> Library:
    """Return the name of a library; raises InputRefused if it is unknown or not installed."""
    require_one_of("frames", str(library), LIBRARIES)
    known = next(one for one in LIBRARIES if one == library)
    if known in _MODULES:
        _imported(known)
    return known


def of(rows: Rows, library: Library, numbers: Collection[str] = ()) -> Any:
    """Return rows as a frame of the library, NULL as a missing value.

    Columns in `numbers` are doubles even if every value is missing. Days are instants in pandas,
    which has no type for them.
    """
    if library == "rows":
        return rows
    columns = {name: [row[index] for row in rows.values] for index, name in enumerate(rows.columns)}
    module = _imported(library)
    if library == "pandas":
        days = [name for name, column in columns.items() if _are_days(column)]
        return module.DataFrame(columns, columns=rows.columns).astype(
            dict.fromkeys(numbers, "float64") | dict.fromkeys(days, "datetime64[s]")
        )
    values = {name: _plain(column) for name, column in columns.items()}
    if library == "polars":
        doubles = dict.fromkeys(numbers, module.Float64)
        return module.DataFrame(values, strict=False, schema_overrides=doubles)
    return module.table(
        {
            name: module.array(column, module.float64() if name in numbers else None)
            for name, column in values.items()
        }
    )


def write_parquet(rows: Rows, path: Path) -> None:
    """Write rows to a Parquet file, each column with the type of its values."""
    from tracker.reports import parquet

    parquet.write(rows, path)


def _are_days(column: list[Any]) -> bool:
    kinds = {type(value) for value in column if value is not None}
    return kinds == {date}


def _plain(column: list[Any]) -> list[Any]:
    """Return the values, UUIDs as text: not every library has a type for them."""
    return [str(value) if type(value).__name__ == "UUID" else value for value in column]


def _imported(library: Library) -> Any:
    try:
        return importlib.import_module(_MODULES[library])
    except ImportError:
        name = _MODULES[library]
        raise InputRefused(f"frames of {library} need {name}: pip install {name}") from None
