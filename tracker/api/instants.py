"""Days and instants as users write them."""

from datetime import UTC, date, datetime, time

from tracker.errors import InputRefused
from tracker.rows import shown


def end_of(given: str | date | datetime) -> datetime:
    """Return an instant with a time zone; a day means its end in UTC.

    Text is a date (YYYY-MM-DD) or an instant in ISO 8601, in UTC unless it says otherwise. Raises
    InputRefused if it is neither.
    """
    if isinstance(given, str):
        try:
            parsed = datetime.fromisoformat(given)
            given = parsed.date() if len(given) == len("2026-01-01") else parsed
        except ValueError:
            raise _refused(given) from None
    if not isinstance(given, datetime):
        return datetime.combine(given, time.max, UTC)
    try:
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise _refused(given) from None


def _refused(given: object) -> InputRefused:
    return InputRefused(f"'{shown(given)}' is not a date (YYYY-MM-DD) or instant (ISO 8601)")
