"""Progress reports of long commands."""

import re
import time
from collections.abc import Callable

Progress = Callable[[str], None]
_COUNTED = re.compile(r"([\d,]+) of ([\d,]+)")
# A rate measured over less time says little about the time left.
_LEAST_SECONDS = 2.0


def silent(_message: str) -> None:
    """Report progress to nobody."""


class Shares:
    """Adds to messages that count, such as 'file 3 of 12', the share done and the time left.

    The time is that of the steps so far; a message that does not count begins anew.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = 0
        self._number = 0
        self._first = 0
        self._began = 0.0

    def __call__(self, message: str) -> str:
        """Return a message with what is known of the work's end."""
        counted = _COUNTED.search(message)
        if counted is None:
            self._total = 0
            return message
        number, total = (int(one.replace(",", "")) for one in counted.groups())
        if total != self._total or number < self._number:
            self._total, self._first, self._began = total, number, self._clock()
        self._number = number
        n_done, elapsed = number - self._first, self._clock() - self._began
        share = f"{message}, {(number - 1) / total:.0%}" if total else message
        if not n_done or elapsed < _LEAST_SECONDS:
            return share
        return f"{share}, {_in_words(elapsed / n_done * (total - number + 1))} left"


def _in_words(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"about {seconds / size:.0f} {unit}"
    return f"about {seconds:.0f} s"
