"""Days and instants as users write them."""

from datetime import UTC, date, datetime, time
from typing import Any

from tracker.errors import InputRefused
from tracker.rows import shown

# What is taken as a day or an instant, of pandas and NumPy too.
Given = str | date | datetime


def end_of(given: Given, name: str = "") -> datetime:
    """Return an instant with a time zone; a day means its end in UTC.

    Text is a date (YYYY-MM-DD) or an instant in ISO 8601, in UTC unless it says otherwise. The
    midnight of a pandas Timestamp without a zone is its day, for which pandas has no other type.
    Raises InputRefused, naming the argument `name`, if it is none of these.
    """
    if type(given) not in (str, date, datetime):
        given = _plain(given, name)
    if isinstance(given, str):
        try:
            parsed = datetime.fromisoformat(given)
            given = parsed.date() if len(given) == len("2026-01-01") else parsed
        except ValueError:
            raise _refused(given, name) from None
    if not isinstance(given, date):
        raise _refused(given, name)
    if not isinstance(given, datetime):
        return datetime.combine(given, time.max, UTC)
    try:
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise _refused(given, name) from None


def day(given: Given, name: str) -> date:
    """Return a day, of an instant that of UTC; raises InputRefused, naming the argument `name`."""
    return end_of(given, name).date()


def day_if_given(given: Given | None, name: str) -> date | None:
    """Return a day as `day` does, None for None."""
    return None if given is None else day(given, name)


def _plain(given: Any, name: str) -> Any:
    """Return what pandas or NumPy has as a day or an instant, anything else as it is."""
    import pandas as pd

    if type(given).__name__ == "datetime64":
        given = pd.Timestamp(given)
    # The missing value of pandas calls itself a date.
    if given is pd.NaT:
        raise _refused(given, name)
    if isinstance(given, pd.Timestamp):
        is_day = given.tzinfo is None and given == given.normalize()
        given = given.date() if is_day else given.to_pydatetime(warn=False)
    return given


def _refused(given: object, name: str) -> InputRefused:
    argument = f"{name}: " if name else ""
    return InputRefused(
        f"{argument}'{shown(given)}' is not a date (YYYY-MM-DD) or instant (ISO 8601)"
    )
