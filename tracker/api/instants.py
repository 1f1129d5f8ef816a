"""Days and instants as users write them."""

from datetime import UTC, date, datetime, time
from typing import Any

from tracker.errors import InputRefused
from tracker.rows import shown

# A day or an instant, also of pandas and NumPy.
Given = str | date | datetime


def end_of(given: Given, name: str = "") -> datetime:
    """Return an instant with a time zone; a day means its end in UTC.

    Text is a date or an instant in ISO 8601, in UTC unless it says otherwise. A pandas
    Timestamp at midnight without a zone is a day, since pandas has no type for days. Raises
    InputRefused, naming the argument `name`, for anything else.
    """
    if type(given) not in (str, date, datetime):
        given = _plain(given, name)
    stated = str(given)
    if isinstance(given, str):
        try:
            given = _parsed(given)
        except ValueError:
            raise _refused(given, name) from None
    if not isinstance(given, date):
        raise _refused(given, name)
    if not isinstance(given, datetime):
        return datetime.combine(given, time.max, UTC)
    try:
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise _refused(stated, name) from None


def day(given: Given, name: str) -> date:
    """Return a day, an instant's in UTC; raises InputRefused, naming the argument `name`."""
    return end_of(given, name).date()


def day_if_given(given: Given | None, name: str) -> date | None:
    """Return `day`, None for None."""
    return None if given is None else day(given, name)


def _parsed(given: str) -> date:
    """Return the day or instant that a text in ISO 8601 states; raises ValueError for others."""
    try:
        return date.fromisoformat(given)
    except ValueError:
        return datetime.fromisoformat(given)


def _plain(given: Any, name: str) -> Any:
    """Return pandas' or NumPy's days and instants as Python's, anything else unchanged."""
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
