"""Lengths of time by the calendar, as commands and Python take them."""

import re
from typing import NamedTuple

from tracker.errors import InputRefused
from tracker.rows import shown

# A thousand years.
LONGEST_DAYS = 365_000
LONGEST_MONTHS = 12_000


class Period(NamedTuple):
    """A length of time by the calendar, so that 3 years end on the same day of the year."""

    days: int
    months: int


def period(text: str) -> Period:
    """Return a length of time, 90, 90d, 12w, 6m or 2y, at most a thousand years.

    Raises InputRefused for any other text.
    """
    found = re.fullmatch(r"([0-9]{1,6})([dwmy]?)", str(text).strip().lower())
    if not found:
        raise InputRefused(f"'{shown(text)}' is not a time such as 90d, 12w, 6m or 2y")
    number, unit = int(found[1]), found[2]
    if unit in ("m", "y"):
        return Period(0, min(number * (12 if unit == "y" else 1), LONGEST_MONTHS))
    return Period(min(number * (7 if unit == "w" else 1), LONGEST_DAYS), 0)
