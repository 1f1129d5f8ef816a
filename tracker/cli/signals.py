"""Ctrl-C, SIGTERM and a closed terminal end a command cleanly: its temporary files are removed."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from tracker.cli.watching import EXIT_CODE_BASE, watched

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal to end the process; `except Exception` does not catch it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.exit_code = EXIT_CODE_BASE + number
        super().__init__(f"interrupted by {signal.Signals(number).name}")


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """Raise Interrupted in the main thread for the first signal that asks the process to end.

    A second signal, during cleanup or while DuckDB does not respond, ends the process at once, and
    so does exceeding the memory limit; the next command removes what is left. Ignored signals stay
    ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for one in handled:
            signal.signal(one, signal.SIG_DFL)
        raise Interrupted(number)

    before = {one: signal.getsignal(one) for one in _SIGNALS}
    handled = [one for one, handler in before.items() if handler is not signal.SIG_IGN]
    try:
        for one in handled:
            signal.signal(one, interrupt)
        with watched(lambda number: signal.getsignal(number) is interrupt):
            yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def interruption(error: BaseException | None) -> Interrupted | None:
    """Return the signal behind an error, since DuckDB replaces what a handler raises."""
    seen: set[int] = set()
    while error is not None and not isinstance(error, Interrupted):
        # An error raised again from its own consequence leads back to itself.
        if id(error) in seen:
            return None
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return error
