"""Draws texts as a table that fits a terminal: wraps them, and leaves out columns if it must."""

import re
import shutil
from collections.abc import Iterator, Sequence
from operator import le

from rich.cells import cell_len

_GAP = 2
_WIDEST_CELL = 70
_WIDEST_HEADER = 16
# Text columns become no narrower than their longest word, up to this.
_NARROWEST_TEXT = 14
_LONGEST_PART = 24
_ALL = "--format csv or json shows all"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def terminal_width() -> int:
    """Return the columns of the terminal, or COLUMNS; 80 where output is not a terminal."""
    return max(20, shutil.get_terminal_size((80, 24)).columns)


def draw(
    names: Sequence[str], columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int
) -> str:
    """Return columns of texts under their names, in lines of at most `width` cells.

    What does not fit is wrapped; identifiers and hashes are then shortened, and columns at the
    right left out, which a last line says. Numeric columns are aligned right and never cut, even
    where one alone is wider than `width`.
    """
    kept, shortened = list(columns), []
    natural = [_natural(name, column) for name, column in zip(names, kept, strict=True)]
    if _total(natural) > width:
        for index, column in enumerate(kept):
            short = _short(column)
            if short is not None:
                kept[index] = short
                natural[index] = _natural(names[index], short)
                shortened.append(names[index])
    widths = _fitted(names, kept, numeric, natural, width)
    n_shown = len(widths)
    shortened = [name for name in names[:n_shown] if name in shortened]
    lines = list(_lines(names[:n_shown], kept[:n_shown], numeric[:n_shown], widths))
    for what, left in (("shortened", shortened), ("not shown", names[n_shown:])):
        if left:
            lines += wrap(f"({what}: {', '.join(left)}; {_ALL})", width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def wrap(text: str, width: int) -> list[str]:
    """Return a text in lines of at most `width` cells, broken at spaces where there are any.

    A longer word is broken behind its last underscore, hyphen or slash, or where the line ends.
    """
    lines = []
    while (fitting := _n_fitting(text, width)) < len(text):
        end = text.rfind(" ", 1, fitting + 1)
        if end < 0:
            end = max(text.rfind(mark, 0, fitting) for mark in "_-/") + 1 or fitting
        lines.append(text[:end])
        text = text[end:].removeprefix(" ")
    return [*lines, text]


def _n_fitting(text: str, width: int) -> int:
    """Return how many characters of a text fit, at least one of them."""
    if text.isascii():
        return max(1, min(len(text), width))
    used = 0
    for position, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            return max(1, position)
    return len(text)


def _cells(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _natural(name: str, column: Sequence[str]) -> int:
    """Return the width that a column takes where there is room."""
    head = max(map(_cells, _folded(name, _WIDEST_HEADER, at="_")))
    return max(head, min(max(map(_cells, column), default=0), _WIDEST_CELL))


def _short(column: Sequence[str]) -> list[str] | None:
    """Return UUIDs as the prefix that commands accept, hashes as their beginning; else None."""
    for pattern, length, mark in ((_UUID, 8, ""), (_SHA256, 12, "…")):
        if any(column) and all(not text or pattern.fullmatch(text) for text in column):
            return [text and text[:length] + mark for text in column]
    return None


def _total(widths: Sequence[int]) -> int:
    return 1 + sum(widths) + _GAP * (len(widths) - 1)


def _fitted(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    natural: Sequence[int],
    width: int,
) -> list[int]:
    """Return the widths of the columns from the left that fit; the widest give way first."""
    if _total(natural) <= width:
        return list(natural)
    least = [
        min(_least(*given), most)
        if not given[2]
        else max(_least(*given), max(map(len, given[1]), default=0))
        for given, most in zip(zip(names, columns, numeric, strict=True), natural, strict=True)
    ]
    n_shown = len(least)
    while n_shown > 1 and _total(least[:n_shown]) > width:
        n_shown -= 1
    if n_shown > 1 and tuple(names[n_shown - 1 : n_shown + 1]) == ("low", "high"):
        # A lower limit alone would be read as more than it is.
        n_shown -= 1
    least = least[:n_shown]
    most = [max(pair) for pair in zip(least, natural[:n_shown], strict=True)]
    widths = least
    for cap in range(max(most) + 1):
        wider = [min(m, max(one, cap)) for one, m in zip(least, most, strict=True)]
        if _total(wider) > width:
            break
        widths = wider
    for index, limit in enumerate(most):
        if widths[index] < limit and _total(widths) < width:
            widths[index] += 1
    if n_shown == 1 and not numeric[0]:
        widths = [min(widths[0], width - 1)]
    return widths


def _least(name: str, column: Sequence[str], is_numeric: bool) -> int:
    """Return the width below which a column would be hard to read."""
    head = max(map(_cells, _folded(name, 1)))
    if is_numeric:
        return head
    longest = max((_cells(word) for text in column for word in text.split()), default=0)
    return max(head, min(longest, _NARROWEST_TEXT))


def _lines(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    widths: Sequence[int],
) -> Iterator[str]:
    heads = [_folded(name, width) for name, width in zip(names, widths, strict=True)]
    yield from _joined(heads, numeric, widths, at_bottom=True)
    yield " " + "─" * (_total(widths) - 1)
    aligned = [
        f"{{:{'>' if right else '<'}{one}}}" for right, one in zip(numeric, widths, strict=True)
    ]
    simple = " " + (" " * _GAP).join(aligned)
    for row in zip(*columns, strict=True):
        # Nearly every row is: wrapping each would take most of the time of a long table.
        if all(map(str.isascii, row)) and all(map(le, map(len, row), widths)):
            yield simple.format(*row)
        else:
            wrapped = [
                [text] if right else wrap(text, one)
                for text, right, one in zip(row, numeric, widths, strict=True)
            ]
            yield from _joined(wrapped, numeric, widths)


def _joined(
    cells: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    widths: Sequence[int],
    *,
    at_bottom: bool = False,
) -> Iterator[str]:
    """Return the lines of a row, as many as its longest cell needs."""
    height = max(map(len, cells))
    for number in range(height):
        parts = []
        for lines, right, width in zip(cells, numeric, widths, strict=True):
            index = number - (height - len(lines) if at_bottom else 0)
            text = lines[index] if 0 <= index < len(lines) else ""
            blank = " " * (width - _cells(text))
            parts.append(blank + text if right else text + blank)
        yield " " + (" " * _GAP).join(parts)


def _folded(name: str, width: int, *, at: str = "_ ") -> list[str]:
    """Break the name of a column at its underscores and spaces, and where a part is too long."""
    lines = [""]
    for part in re.findall(rf"[^{at}]*[{at}]|[^{at}]+$", name):
        if lines[-1] and _cells(lines[-1] + part.rstrip()) > width:
            lines.append("")
        pieces = wrap(part, max(width, _LONGEST_PART)) if len(part) > _LONGEST_PART else [part]
        lines[-1] += pieces[0]
        lines += pieces[1:]
    return lines
