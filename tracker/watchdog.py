"""Ends a request that takes too long, whatever the HTTP library waits for.

httpx bounds the time of each read, not of all of them: a header that comes a byte at a time, or
informational answers (1xx) without end, never exceed it.
"""

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any

import httpx

from tracker.request_limits import RequestLimits


class Late(Enum):
    """What a request exceeded."""

    BEGINNING = "its answer did not begin within the timeout"
    RATE = "less came within the timeout than the least rate brings"
    DEADLINE = "it was not over at its deadline"


class Watchdog:
    """Shuts the connections of a client down when its request is late.

    A client has one request at a time. `sockets` are those of its earlier requests, which this one
    may use again; new ones are added to them. Instants are those of time.monotonic().
    """

    def __init__(
        self, sockets: list[socket.socket], limits: RequestLimits, begun: float, deadline: float
    ) -> None:
        self.late: Late | None = None
        self._sockets = sockets
        self._limits = limits
        self._deadline = deadline
        self._response: httpx.Response | None = None
        self._n_bytes = 0
        self._is_over = False
        self._due = begun + limits.timeout
        self._changed = threading.Condition()

    @contextmanager
    def watching(self) -> Iterator["Watchdog"]:
        """Watch over a request that is made in the body; `late` says afterwards if it was."""
        thread = threading.Thread(target=self._watch, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify()
            thread.join()

    def await_answer(self) -> None:
        """Let the next answer, after a redirect, begin within the timeout."""
        self._follow(None)

    def follow(self, response: httpx.Response) -> None:
        """Let the body of an answer come at the least rate."""
        self._follow(response)

    def _follow(self, response: httpx.Response | None) -> None:
        with self._changed:
            self._response, self._n_bytes = response, 0
            self._due = time.monotonic() + self._limits.timeout

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Note a connection that was made; httpx calls this with what happens in a request."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        connection = info["return_value"].get_extra_info("socket")
        with self._changed:
            # TLS takes the place of the plain socket, which is closed.
            self._sockets[:] = [one for one in self._sockets if one.fileno() >= 0]
            self._sockets.append(connection)
            if self.late:
                _shut_down(connection)

    def _watch(self) -> None:
        with self._changed:
            while not self._is_over:
                now = time.monotonic()
                # A later due time needs no notice: this looks again at the earlier one.
                due = min(self._due, self._deadline)
                if now < due:
                    self._changed.wait(due - now)
                    continue
                self.late = self._judged(now)
                if self.late:
                    for connection in self._sockets:
                        _shut_down(connection)
                    return

    def _judged(self, now: float) -> Late | None:
        if self._deadline < self._due:
            return Late.DEADLINE
        if self._response is None:
            return Late.BEGINNING
        n_bytes = self._response.num_bytes_downloaded
        if n_bytes - self._n_bytes < self._limits.least_rate * self._limits.timeout:
            return Late.RATE
        self._n_bytes, self._due = n_bytes, now + self._limits.timeout
        return None


def _shut_down(connection: socket.socket) -> None:
    """Wake whoever waits for a connection, as closing it would not; TLS is not ended first."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
