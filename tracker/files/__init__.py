"""Files from users and outside sources: opened, bounded and checked before use."""

from tracker.files.cells import Column, as_number
from tracker.files.row_checks import (
    InputFile,
    Survey,
    cell_problems,
    examine,
    read,
    refuse_cells,
)
from tracker.files.streams import require_file, sha256_of
from tracker.files.table_files import TableFile, open_table

__all__ = [
    "Column",
    "InputFile",
    "Survey",
    "TableFile",
    "as_number",
    "cell_problems",
    "examine",
    "open_table",
    "read",
    "refuse_cells",
    "require_file",
    "sha256_of",
]
