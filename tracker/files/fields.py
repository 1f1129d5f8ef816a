"""What the fields of a plan, a configuration or a JSON file must be, and where a file differs.

A file is described by nested kinds of values. Each problem is one line: where it is, the value that
is there, and what the value is not.
"""

import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from tracker.errors import InputRefused

# Where within a value a problem is, such as .success[1].above, and what it is.
Problem = tuple[str, str]
_LONGEST_SHOWN = 60


def _none(_value: Any) -> Iterable[Problem]:
    return ()


@dataclass(frozen=True)
class Kind:
    """What a value must be in words, whether it is, and the problems of the values within it.

    One that may hold a password is not shown.
    """

    words: str
    accepts: Callable[[Any], object]
    within: Callable[[Any], Iterable[Problem]] = _none
    is_shown: bool = True

    def problems(self, value: Any) -> Iterable[Problem]:
        """Return the problems of a value, found one by one."""
        if self.accepts(value):
            return self.within(value)
        named = f"{shown(value)} " if self.is_shown else ""
        return [("", f"{named}is not {self.words}")]


def problems(place: str, value: Any, kind: Kind) -> Iterator[str]:
    """Yield a line, beginning with `place`, for each problem of a value."""
    for path, reason in kind.problems(value):
        yield f"{place}, {path.removeprefix('.')}: {reason}" if path else f"{place}: {reason}"


def require(place: str, value: Any, kind: Kind) -> Any:
    """Return a value that has no problem; raises InputRefused with its first one."""
    for problem in problems(place, value, kind):
        raise InputRefused(problem)
    return value


def table(
    needed: Mapping[str, Kind],
    others: Mapping[str, Kind] | None = None,
    *,
    words: str = "a table",
    is_open: bool = False,
    rule: Callable[[Any], Iterable[Problem]] = _none,
) -> Kind:
    """Return the kind of mappings that have the needed fields, may have the others, and no more.

    Only an open one may have more. `rule` finds the problems of fields that are right one by one.
    """
    known = {**needed, **(others or {})}

    def of_fields(value: Mapping[str, Any]) -> Iterator[Problem]:
        for name in value:
            if name not in known and not is_open:
                yield f".{_shown_name(name)}", f"unknown key; known: {', '.join(known)}"
        for name, kind in known.items():
            if name in value:
                for path, reason in kind.problems(value[name]):
                    yield f".{name}{path}", reason
            elif name in needed:
                yield f".{name}", f"is missing; needs {kind.words}"

    def within(value: Mapping[str, Any]) -> Iterator[Problem]:
        is_right = True
        for problem in of_fields(value):
            is_right = False
            yield problem
        if is_right:
            yield from rule(value)

    return Kind(words, lambda value: isinstance(value, Mapping), within)


def record(
    needed: Mapping[str, Kind],
    others: Mapping[str, Kind] | None = None,
    rule: Callable[[Any], Iterable[Problem]] = _none,
) -> Kind:
    """Return the kind of JSON objects that have the needed fields, and may have any others."""
    return table(needed, others, words=OBJECT.words, is_open=True, rule=rule)


def listed(kind: Kind, words: str, *, least: int = 0) -> Kind:
    """Return the kind of lists of values of a kind, at least so many."""

    def within(values: list[Any]) -> Iterator[Problem]:
        for number, value in enumerate(values, start=1):
            for path, reason in kind.problems(value):
                yield f"[{number}]{path}", reason

    return Kind(words, lambda value: isinstance(value, list) and len(value) >= least, within)


def optional(kind: Kind) -> Kind:
    """Return the kind of values that are null or of a kind."""
    return Kind(
        kind.words,
        lambda value: value is None or kind.accepts(value),
        lambda value: () if value is None else kind.within(value),
    )


def one_of(*names: str) -> Kind:
    """Return the kind of texts that are one of these."""
    return Kind(f"one of {', '.join(names)}", lambda value: value in names)


def whole(least: int, most: int | None = None) -> Kind:
    """Return the kind of whole numbers within bounds."""
    return Kind(
        f"a whole number of at least {least}"
        if most is None
        else f"a whole number from {least} to {most}",
        lambda value: (
            isinstance(value, int)
            and not isinstance(value, bool)
            and least <= value
            and (most is None or value <= most)
        ),
    )


def number(words: str, accepts: Callable[[float], bool]) -> Kind:
    """Return the kind of accepted numbers; NaN is none where it is compared with a bound."""
    return Kind(
        words,
        lambda value: (
            isinstance(value, int | float) and not isinstance(value, bool) and accepts(value)
        ),
    )


def text(words: str, parse: Callable[[str], object], *, is_shown: bool = True) -> Kind:
    """Return the kind of texts of which `parse` returns something, and raises no ValueError."""

    def accepts(value: Any) -> bool:
        try:
            return isinstance(value, str) and parse(value) is not None
        except (ValueError, OverflowError):
            return False

    return Kind(words, accepts, is_shown=is_shown)


def instant(text: str) -> datetime:
    """Return an ISO 8601 instant in UTC; without a zone it is in UTC.

    Raises ValueError or OverflowError for anything else.
    """
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def shown(value: Any) -> str:
    """Return a value as a problem shows it: on one line, truncated, and without deep nesting."""
    if isinstance(value, Mapping | list):
        return reprlib.repr(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    is_text = isinstance(value, str)
    found = repr(value[: _LONGEST_SHOWN + 1]) if is_text else " ".join(str(value).split())
    return found if len(found) <= _LONGEST_SHOWN else f"{found[:_LONGEST_SHOWN]} ..."


def _shown_name(name: Any) -> str:
    """Return the name of a field, as a value if it could be mistaken for something else."""
    return name if re.fullmatch(r"[\w-]{1,60}", str(name)) else shown(name)


TEXT = Kind("text", lambda value: isinstance(value, str))
TEXTS = Kind(
    "a list of texts",
    lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
)
OPTIONAL_TEXT = optional(TEXT)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
LIST = Kind("a list", lambda value: isinstance(value, list))
OBJECT = Kind("an object of named fields", lambda value: isinstance(value, Mapping))
OBJECTS = Kind(
    "a list of objects",
    lambda value: isinstance(value, list) and all(isinstance(one, Mapping) for one in value),
)
SHA256 = text("a SHA-256 (64 hexadecimal digits)", re.compile("[0-9a-f]{64}").fullmatch)
IDENTIFIER = text("a UUID", UUID)
DATE = text("a date (YYYY-MM-DD)", date.fromisoformat)
INSTANT = text("an instant (YYYY-MM-DDTHH:MM:SS+00:00)", instant)
