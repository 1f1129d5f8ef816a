"""Makes text in CSV harmless: for a spreadsheet that runs formulas, a terminal that obeys codes.

The mark of a text that a spreadsheet would run is an apostrophe, which is removed again on reading.
Text that already looks marked gets another one, so that text is always read back unchanged, but for
control characters, in whose place U+FFFD is written.
"""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

# Full-width signs too: spreadsheets in East Asian locales treat them as the plain ones.
_SIGNS = "=+\\-@\t\r\uff1d\uff0b\uff0d\uff20"
NEEDS_MARK = f"'*[{_SIGNS}]"
_MARKED = f"'+[{_SIGNS}]"
# All but tabs and line ends, which quotation marks keep within a cell.
CONTROLS = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]"
REPLACEMENT = "\ufffd"
# A function of DuckDB that returns a text as `marked` does; to be created on a connection.
HARMLESS = (
    "create or replace temp macro harmless(given) as regexp_replace("
    f"if(regexp_matches(given, '^{NEEDS_MARK.replace(chr(39), chr(39) * 2)}'), "
    f"concat(chr(39), given), given), '{CONTROLS}', '{REPLACEMENT}', 'g')"
)
_FIRST = frozenset("'" + _SIGNS.replace("\\", ""))


def marked(text: str) -> str:
    """Return text as it is written to a CSV file."""
    if not text.isprintable():
        text = re.sub(CONTROLS, REPLACEMENT, text)
    # Few texts begin so: testing the first character spares the others the pattern.
    return f"'{text}" if text[:1] in _FIRST and re.match(NEEDS_MARK, text) else text


def unmarked(text: str) -> str:
    """Return text of a CSV file as it was before it was marked."""
    return text[1:] if re.match(_MARKED, text) else text


def unmarked_cell(cell: "ColumnElement[Any]") -> "ColumnElement[Any]":
    """Return a cell of a CSV file as it was before it was marked, in SQL."""
    # Imported here: every command imports this module, and most never need it.
    import sqlalchemy as sa

    # Few cells begin so: testing the first character spares the others the pattern.
    is_marked = sa.func.starts_with(cell, "'") & sa.func.regexp_matches(cell, f"^{_MARKED}")
    return sa.case((is_marked, sa.func.substr(cell, 2)), else_=cell)
