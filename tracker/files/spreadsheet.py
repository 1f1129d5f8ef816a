"""Reads the first sheet of an Excel workbook (.xlsx) from outside, row by row, within bounds.

The rows are streamed: openpyxl makes no cell that the file does not have. A reader that makes the
whole rectangle between two cells needs 500 GB for a file of two cells in opposite corners.
"""

import contextlib
import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tracker.errors import InputRefused
from tracker.files import archives

# EMA's table has 2,500 rows of 39 columns and 6 MB of XML; a cell in Excel has 32,767 characters.
MAX_ROWS = 100_000
MAX_COLUMNS = 200
MAX_XML_BYTES = 256 * 1024**2
MAX_CELL_LENGTH = 32_767

_WORKBOOK = "xl/workbook.xml"
# Errors that openpyxl raises for a workbook whose parts are damaged, missing or contradict it;
# those of XML are SyntaxErrors.
_DAMAGED = (
    zipfile.BadZipFile,
    SyntaxError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    EOFError,
    OSError,
    RuntimeError,
    AssertionError,
    UnicodeError,
)


def is_workbook(path: Path) -> bool:
    """Whether a file is a zip with the parts of a workbook; refuses hostile zips."""
    return archives.is_zip(path) and _WORKBOOK in archives.zip_names(path)


def rows(path: Path) -> Iterator[tuple[int, Sequence[object]]]:
    """Yield the number and the cells of each row of the first sheet; empty cells are None.

    Cells are text, numbers, booleans or dates, formulas as last computed. Raises InputRefused for
    a file that is damaged, declares entities or exceeds a bound.
    """
    content = _checked(path)
    # Half a second, which commands that read no workbook need not wait.
    import openpyxl
    from openpyxl.utils import get_column_letter

    with _worded(path):
        book = openpyxl.load_workbook(
            io.BytesIO(content), read_only=True, data_only=True, keep_links=False
        )
        sheets = book.worksheets
    if not sheets:
        raise InputRefused(f"{path.name}: the workbook has no sheet")
    # Rows count that are beyond the end which the sheet states.
    sheets[0].reset_dimensions()
    found = iter(sheets[0].iter_rows(max_col=MAX_COLUMNS, values_only=True))
    number = 0
    while True:
        with _worded(path):
            cells = next(found, None)
        if cells is None:
            return
        number += 1
        if number > MAX_ROWS:
            raise InputRefused(f"{path.name}: the sheet has more than {MAX_ROWS:,} rows")
        for column, cell in enumerate(cells, start=1):
            if isinstance(cell, str) and len(cell) > MAX_CELL_LENGTH:
                raise InputRefused(
                    f"{path.name}, row {number}, column {get_column_letter(column)}: has "
                    f"{len(cell):,} characters; a cell has at most {MAX_CELL_LENGTH:,}"
                )
        yield number, cells


def _checked(path: Path) -> bytes:
    """Return the bytes of a workbook none of whose parts is too large or declares entities."""
    size = sum(archives.zip_sizes(path).values())
    if size > MAX_XML_BYTES:
        raise InputRefused(
            f"{path.name}: inflates to {size:,} bytes; a workbook may have {MAX_XML_BYTES:,}"
        )
    for member in archives.zip_members(path, (".xml", ".rels")):
        # XML in UTF-16 or UTF-32 would hide the words.
        if b"<!DOCTYPE" in member.content or b"<!ENTITY" in member.content:
            raise InputRefused(f"{path.name}: {member.name} declares entities")
        if b"\0" in member.content:
            raise InputRefused(f"{path.name}: {member.name} is not UTF-8")
    return archives.read_whole(path)


@contextlib.contextmanager
def _worded(path: Path) -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            # Of styles and extensions that openpyxl leaves out.
            warnings.simplefilter("ignore")
            yield
    except InputRefused:
        raise
    except _DAMAGED as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputRefused(f"{path.name}: is not a workbook that can be read: {reason}") from error
