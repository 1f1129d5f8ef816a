"""A handle of a store: how it is opened, read, written and closed."""

import contextlib
import weakref
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import scratch, store
from tracker.api import frames
from tracker.errors import InputRefused, StoreBusy
from tracker.progress import Progress, silent
from tracker.store.state import kept

# DuckDB shares one instance of a file within a process, whichever handle asks.
_HANDLES: weakref.WeakSet["Handle"] = weakref.WeakSet()


class Handle:
    """A store's file, opened at the first read and reopened after each write."""

    def __init__(
        self,
        path: Path,
        *,
        as_of: datetime | None = None,
        as_claimed: bool = False,
        from_rows: bool = False,
        write: bool = False,
        library: frames.Library = "pandas",
        wait: float = store.DEFAULT_WAIT_SECONDS,
        progress: Progress = silent,
        spark: str | None = None,
        scratch: Path | None = None,
    ) -> None:
        self.path = path
        self.as_of = as_of
        self.as_claimed = as_claimed
        self.from_rows = from_rows
        self.write = write
        self.library = frames.require(library)
        self.wait = wait
        self.progress = progress
        self.spark = spark
        self.scratch = scratch
        self._reading = contextlib.ExitStack()
        self._connection: Connection | None = None
        _HANDLES.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: Any) -> None:
        """Close the store; DuckDB's error about it becomes one that names the problem."""
        self._connection = None
        self._reading.__exit__(*raised)

    @property
    def connection(self) -> Connection:
        """The read-only SQLAlchemy connection, opened at the first use."""
        if self._connection is None:
            self._connection = self._opened()
        return self._connection

    def _opened(self) -> Connection:
        try:
            return self._read()
        except InputRefused:
            if not self.write:
                raise
        # Makes or upgrades an absent or older store; any other problem is raised again.
        with self.writing():
            pass
        return self._read()

    def _read(self) -> Connection:
        opened = self._reading.enter_context
        folder = None if self.spark is None else opened(scratch.folder(self.scratch))
        connection = opened(
            store.reader(
                self.path,
                as_of=self.as_of,
                as_claimed=self.as_claimed,
                from_rows=self.from_rows,
                writes_to=folder,
            )
        )
        opened(self._computed(connection, folder))
        return connection

    @contextlib.contextmanager
    def _computed(self, connection: Connection, folder: Path | None) -> Iterator[None]:
        """Let Spark compute the reads of candidates, if the store was opened with a master."""
        if self.spark is None or folder is None:
            yield
            return
        from tracker.extras.spark import engine

        with engine.computed(connection, self.spark, folder, self.progress):
            yield

    @property
    def is_altered(self) -> bool:
        """Whether the file differs from the one that this user's tracker last wrote there."""
        from tracker.store.trust import trusted_files

        return trusted_files.is_altered(self.path)

    def impossible(self) -> list[str]:
        """Return what tracker never writes and the file has, even if it cannot be opened."""
        from tracker.store.trust import impossible

        if not self.path.is_file():
            return []
        url = sa.URL.create("duckdb", database=str(self.path))
        engine = sa.create_engine(url, connect_args={"read_only": True})
        try:
            with engine.connect() as connection:
                return impossible.problems(connection)
        except sa.exc.SQLAlchemyError:
            return []
        finally:
            engine.dispose()

    def close(self) -> None:
        """Close the file; a later read reopens it and sees the store as it then is."""
        self._connection = None
        self._reading.close()

    @contextlib.contextmanager
    def writing(self, *, drop_foreign: bool = False) -> Iterator[Connection]:
        """Yield a connection that writes, all or nothing; InputRefused if opened read-only.

        The store is made or upgraded first. With `drop_foreign`, objects that tracker did not make,
        such as macros and views, are dropped instead of refused.
        """
        path = self.writable()
        with contextlib.ExitStack() as stack:
            folder = None
            if self.spark is not None:
                folder = stack.enter_context(scratch.folder(self.scratch))
            connection = stack.enter_context(
                store.writer(path, wait=self.wait, drop_foreign=drop_foreign)
            )
            stack.enter_context(self._computed(connection, folder))
            yield connection
            if self.spark is not None:
                # Before Spark is detached.
                with kept.up_to_date(connection):
                    pass

    def writable(self) -> Path:
        """Close the reader and return the store's path, for a function that writes it.

        Raises InputRefused if the store was opened read-only, and StoreBusy if another handle of
        this process has it open, since every later read would see the old file.
        """
        if not self.write:
            raise InputRefused(
                f"{self.path} is open for reading; tracker.open(..., write=True) can write"
            )
        self.close()
        path = self.path.resolve()
        if any(one.path.resolve() == path and one._connection is not None for one in _HANDLES):
            raise StoreBusy(f"{self.path} is open elsewhere in this program; close it there first")
        return self.path
