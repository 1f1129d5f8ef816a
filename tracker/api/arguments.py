"""Arguments as users of Python write them: one of a few words, a number, a length of time."""

from collections.abc import Sequence

from tracker.errors import InputRefused, did_you_mean
from tracker.periods import LONGEST_DAYS, LONGEST_MONTHS, Period, period
from tracker.rows import shown


def due_within(within: str | None, days: int, months: int) -> Period:
    """Return how far ahead to look: `within` if given, else days and months."""
    require_number("days", days, 0, LONGEST_DAYS)
    require_number("months", months, 0, LONGEST_MONTHS)
    return Period(days, months) if within is None else period(within)


def require_one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    """Raise InputRefused, naming the allowed values, unless the value is one of them or None."""
    if value is None or value in allowed:
        return
    near = did_you_mean(str(value), allowed)
    raise InputRefused(
        f"{name}: there is no '{shown(value)}'; choose one of {', '.join(allowed)}"
        + (f"; {near}" if near else "")
    )


def require_number(name: str, value: object, low: int, high: int | None = None) -> None:
    """Raise InputRefused unless the value is None or a whole number from `low` to `high`."""
    if value is None:
        return
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not low <= value <= (value if high is None else high):  # type: ignore[operator]
        bounds = f"of at least {low:,}" if high is None else f"from {low:,} to {high:,}"
        raise InputRefused(f"{name}: '{shown(value)}' is not a whole number {bounds}")
