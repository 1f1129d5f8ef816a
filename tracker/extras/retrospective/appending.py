"""Appends what a long run finds to the store as it comes: an interrupted run goes on from there."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from tracker import store

# Each append copies the store.
FLUSH_SECONDS = 20.0

Part = TypeVar("Part")


@contextmanager
def appended(
    path: Path, wait: float, append: Callable[[Connection, list[Part]], None]
) -> Iterator[Callable[[Sequence[Part]], None]]:
    """Yield a function that is given what was found; `append` writes it to the store at `path`.

    It is called at most every FLUSH_SECONDS, and at the end of the body, also after an error.
    """
    found: list[Part] = []
    flushed_at = time.monotonic()

    def flush() -> None:
        nonlocal flushed_at
        if found:
            with store.writer(path, wait=wait) as connection:
                append(connection, found)
            found.clear()
        flushed_at = time.monotonic()

    def add(parts: Sequence[Part]) -> None:
        found.extend(parts)
        if time.monotonic() - flushed_at > FLUSH_SECONDS:
            flush()

    try:
        yield add
    finally:
        flush()
