"""The files that users and outside sources give: opened, bounded and checked before use."""

from tracker.files.reading import (
    as_number,
    column_names,
    examine,
    numbered,
    read,
)

__all__ = [
    "as_number",
    "column_names",
    "examine",
    "numbered",
    "read",
]
