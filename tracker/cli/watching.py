"""Watches a command from a second thread, since a long native call blocks Python in the first.

The interpreter runs a signal's handler only between two steps of the first thread. This module ends
a command at once, as a kill does: what it wrote is not yet the store, and the next command removes
its scratch files.
"""

import contextlib
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator

from tracker import memory
from tracker.errors import InputRefused

# A shell adds the signal's number to this for the exit code of a process ended by a signal.
EXIT_CODE_BASE = 128
_SECONDS_BETWEEN = 0.2


@contextlib.contextmanager
def watched(is_pending: Callable[[int], bool]) -> Iterator[None]:
    """Exit at a second signal while the first one's handler is pending, or beyond the memory limit.

    It must run in the first thread, which receives the signals.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    thread = threading.Thread(target=_watch, args=(read, is_pending), daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(write)
        thread.join()
        os.close(read)


def _watch(read: int, is_pending: Callable[[int], bool]) -> None:
    most = memory.process_limit()
    at_start = memory.taken() or 0
    n_pending = 0
    while True:
        if select.select([read], [], [], _SECONDS_BETWEEN)[0]:
            # The numbers of signals in order; nothing once the other end is closed.
            numbers = os.read(read, 64)
            if not numbers:
                return
            for number in filter(is_pending, numbers):
                n_pending += 1
                if n_pending > 1:
                    os._exit(EXIT_CODE_BASE + number)
        if most is not None and (memory.taken() or 0) - at_start > most:
            message = (
                f"error: needs more than {most / 10**9:.1f} GB of memory, twice what "
                "TRACKER_MEMORY_LIMIT allows DuckDB and 1 GB; nothing was stored\n"
            )
            os.write(2, message.encode())
            os._exit(InputRefused.exit_code)
