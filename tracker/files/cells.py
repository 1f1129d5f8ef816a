"""Allowed cells of a user's table, and the SQL that cleans, types and checks them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import ColumnElement

from tracker import formulas
from tracker.files.streams import MAX_CELL_BYTES, TOO_LONG_CELL

# Of a disease, a drug, an alias or an item, in characters.
MAX_NAME_LENGTH = 1_000
# The problem of a required cell without a value.
EMPTY = "is empty"

_WHITE_SPACE = " \t\n\r\v\f"
_NUMERIC = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)")
_DAY = r"\d{4}-\d{2}-\d{2}"
# How pandas and spreadsheets write a day where they have no type for one.
_MIDNIGHT = r"[ T]00:00(:00(\.0{1,9})?)?"
_ZONE = r"([zZ]|[+-](0\d|1[0-5])(:?[0-5]\d)?)"
_INSTANT = _DAY + r"([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?" + _ZONE + "?)?"

# A condition, and the problem of cells that meet it.
Whens = list[tuple[ColumnElement[bool], Any]]
Kind = Literal["text", "number", "integer", "date", "instant", "json"]


@dataclass(frozen=True)
class Column:
    """A column a file may have: its content and the values allowed.

    A required column must be present and filled in every row. `header` is the file's name
    for the column, where it differs from the store's, and `synonyms` are names, in small letters,
    that files of others have for it and for nothing else. `meaning` says what its numbers stand
    for. `longest` is the length allowed for text, in characters; None leaves it to the bound of all
    cells.
    """

    name: str
    kind: Kind = "text"
    required: bool = True
    low: float | None = None
    high: float | None = None
    choices: Sequence[str] = ()
    header: str = ""
    synonyms: Sequence[str] = ()
    meaning: str = ""
    longest: int | None = MAX_NAME_LENGTH

    @property
    def title(self) -> str:
        """The column's name in the file."""
        return self.header or self.name

    @property
    def folded(self) -> str:
        """The title as looked up: the case of a header does not matter."""
        return self.title.lower()


def is_nested(kind: str) -> bool:
    """Whether values of a DuckDB type are not single values that fit a cell."""
    return kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB"))


def cleaned(
    cell: ColumnElement[Any], kind: str, column: Column, *, is_delimited: bool
) -> ColumnElement[Any]:
    """Return a cell of the DuckDB type `kind` as text, trimmed, NULL if it is empty.

    In CSV and TSV, the apostrophe of text that a spreadsheet would run as a formula is removed
    too. A cell that is already a number is left alone, but one of single precision is the decimal
    that a file of text would have: 0.7, not 0.699999988. Midnight without a time zone is its day
    where a date is wanted.
    """
    if is_nested(kind) and column.kind == "json":
        cell = sa.func.to_json(cell)
    elif kind == "JSON":
        value = cell.op("->>")("$")
        is_single = cell.is_(None) | sa.func.json_type(cell).not_in(("OBJECT", "ARRAY"))
        # A nested value becomes a mark that no text can contain.
        cell = value if column.kind == "json" else sa.case((is_single, value), else_="\0")
    elif kind == "VARCHAR":
        # Only what shows that it is too long, before anything copies it.
        is_long = sa.func.strlen(cell) > MAX_CELL_BYTES
        cell = sa.case((is_long, sa.func.left(cell, MAX_CELL_BYTES + 1)), else_=cell)
    elif _NUMERIC.fullmatch(kind) and column.kind in ("number", "integer"):
        if kind == "FLOAT":
            return sa.cast(sa.cast(cell, sa.String), sa.Double)
        return sa.type_coerce(cell, sa.Double)
    trimmed: ColumnElement[Any] = sa.func.trim(sa.cast(cell, sa.String), _WHITE_SPACE)
    if is_delimited and column.kind == "text":
        trimmed = formulas.unmarked_cell(trimmed)
    if column.kind == "date":
        trimmed = sa.func.regexp_replace(trimmed, f"^({_DAY}){_MIDNIGHT}$", r"\1")
    return sa.func.nullif(trimmed, "")


def as_number(cell: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a cell as a number, NULL if it is not one: only DuckDB accepts 1_000."""
    if isinstance(cell.type, sa.Double):
        return sa.try_cast(cell, sa.Double)
    text = sa.cast(cell, sa.String)
    is_odd = sa.func.contains(text, "_") | sa.func.starts_with(text, "+-")
    return sa.case((is_odd, None), else_=sa.try_cast(text, sa.Double))


def typed(cell: ColumnElement[Any], column: Column) -> ColumnElement[Any]:
    """Return a cleaned cell as its column's type, NULL if it is not of that type."""
    if column.kind == "number":
        return as_number(cell)
    if column.kind == "integer":
        return sa.try_cast(as_number(cell), sa.Integer)
    if column.kind == "date":
        return sa.try_cast(cell, sa.Date)
    if column.kind == "instant":
        # An instant without a zone is in UTC, whatever the machine's zone.
        has_zone = sa.func.regexp_matches(cell, ":.*" + _ZONE + "$")
        zoned = sa.case(
            (has_zone, cell),
            (sa.func.length(cell) == 10, cell.concat("T00:00:00+00:00")),
            else_=cell.concat("+00:00"),
        )
        return sa.try_cast(zoned, sa.TIMESTAMP(timezone=True))
    return cell


def message(cell: ColumnElement[Any], column: Column) -> ColumnElement[str]:
    """The problem with a cleaned cell, NULL if there is none."""
    shown = sa.func.concat("'", sa.func.left(sa.cast(cell, sa.String), 40), "'")
    whens: Whens = []
    if not isinstance(cell.type, sa.Double):
        whens.append((sa.func.strlen(cell) > MAX_CELL_BYTES, TOO_LONG_CELL))
    if column.required:
        whens.append((cell.is_(None), EMPTY))
    if column.kind == "text":
        whens += _text_problems(cell, column)
    elif column.kind in ("number", "integer"):
        whens += _number_problems(cell, column, shown)
    elif column.kind == "json":
        # DuckDB accepts NaN and Infinity as JSON; outside strings they are not.
        bare = sa.func.regexp_replace(cell, r'"(\\.|[^"\\])*"', '""', "g")
        is_json = sa.func.json_valid(cell) & sa.not_(sa.func.regexp_matches(bare, "(?i)nan|inf"))
        whens.append((sa.not_(is_json), sa.func.concat(shown, " is not JSON")))
    else:
        is_date = column.kind == "date"
        form, first, what = (
            (_DAY, "0001-01-01", "a date (YYYY-MM-DD)")
            if is_date
            else (_INSTANT, "0001-01-01 00:00:00+00", "an instant (YYYY-MM-DDTHH:MM:SS+00:00)")
        )
        year_1 = sa.cast(first, sa.Date if is_date else sa.TIMESTAMP(timezone=True))
        is_sound = sa.func.regexp_full_match(cell, form) & (typed(cell, column) >= year_1)
        is_wrong = cell.is_not(None) & sa.not_(sa.func.coalesce(is_sound, False))
        if is_date:
            # The form of an instant is that of a day, with or without a time.
            is_instant = sa.func.regexp_full_match(cell, _INSTANT) & sa.not_(
                sa.func.regexp_full_match(cell, _DAY)
            )
            given = " is an instant, not a date; give the day alone (YYYY-MM-DD)"
            whens.append((is_wrong & is_instant, sa.func.concat(shown, given)))
        whens.append((is_wrong, sa.func.concat(shown, f" is not {what}")))
    if column.choices:
        options = ", ".join(column.choices)
        whens.append(
            (cell.not_in(column.choices), sa.func.concat(shown, f" is not one of {options}"))
        )
    if not whens:
        return sa.cast(sa.null(), sa.String)
    return sa.case(*whens, else_=None)


def _text_problems(cell: ColumnElement[Any], column: Column) -> Whens:
    found: Whens = [(sa.func.contains(cell, "\0"), "is not text, or contains a NUL character")]
    if column.longest is not None:
        # The number of bytes is known, that of characters counted.
        is_long = (sa.func.strlen(cell) > column.longest) & (sa.func.length(cell) > column.longest)
        found.append((is_long, f"has more than {column.longest:,} characters"))
    if column.required:
        # Few cells begin so: testing the first character spares the rest the pattern.
        is_odd = sa.not_(sa.func.unicode(cell).between(33, 126))
        is_blank = sa.func.regexp_full_match(cell, r"[\p{Z}\p{C}]*")
        found.append((is_odd & is_blank, EMPTY))
    return found


def _number_problems(cell: ColumnElement[Any], column: Column, shown: ColumnElement[str]) -> Whens:
    number = as_number(cell)
    found: Whens = [
        (
            cell.is_not(None) & number.is_(None),
            " is not a number" + (f" ({column.meaning})" if column.meaning else ""),
        ),
        (sa.not_(sa.func.isfinite(number)), " is not a finite number"),
    ]
    if column.kind == "integer":
        found.append((number != sa.func.floor(number), " is not a whole number"))
    if column.low is not None and column.high is not None:
        meaning = f" ({column.meaning})" if column.meaning else ""
        bounds = f" is not between {column.low:g} and {column.high:g}{meaning}"
        found.append((sa.not_(number.between(column.low, column.high)), bounds))
    return [(is_wrong, sa.func.concat(shown, words)) for is_wrong, words in found]
