"""Reads the date in the name of a source's file."""

import re
from datetime import date
from pathlib import Path

# Not the eight digits of a trial's identifier.
_DATE = re.compile(r"(?<!\d)(?<!NCT)(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")


def date_in(path: Path) -> date | None:
    """Return the date in a file's name (2026-01-15 or 20260115), None if there is none."""
    for year, month, day in _DATE.findall(path.name):
        try:
            return date(int(year), int(month), int(day))
        except ValueError:
            continue
    return None
