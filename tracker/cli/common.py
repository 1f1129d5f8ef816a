"""What every command receives: the options of the command group, and how progress is shown.

Whatever is slow to import is imported where it is used: every command and every completion of a
word imports this.
"""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tracker.cli import terminal
from tracker.progress import Progress, Shares, silent

if TYPE_CHECKING:
    from tracker.api.stores import Store


@dataclass(frozen=True)
class Settings:
    """The options of the command group, as every command receives them."""

    db: Path
    wait: float
    debug: bool
    # The master of Spark that computes the views, and where it reads tables; None: DuckDB does.
    spark: str | None = None
    scratch: Path | None = None

    @property
    def chosen_db(self) -> Path | None:
        """The store, None where neither an option nor the environment names it."""
        return None if _source_of_db() is ParameterSource.DEFAULT else self.db

    @property
    def is_db_given(self) -> bool:
        """Whether the option names the store; the environment may name one for other commands."""
        return _source_of_db() is ParameterSource.COMMANDLINE

    def opened(
        self,
        notify: Progress,
        *,
        as_of: datetime | None = None,
        as_claimed: bool = False,
        from_rows: bool = False,
        write: bool = False,
    ) -> "Store":
        """Return the store as Python has it, opened when it is first needed."""
        from tracker.api.stores import Store

        return Store(
            self.db,
            as_of=as_of,
            as_claimed=as_claimed,
            from_rows=from_rows,
            write=write,
            library="rows",
            wait=self.wait,
            progress=notify,
            spark=self.spark,
            scratch=self.scratch,
        )

    def tell_if_altered(self) -> None:
        """Say on standard error where the store is not the file that this user's tracker wrote."""
        if self.opened(silent).is_altered:
            terminal.say(
                f"{self.db.name}: is not as tracker last wrote it; 'tracker check' says whether "
                "anything that it relies on was altered",
                err=True,
            )


def _source_of_db() -> ParameterSource | None:
    return click.get_current_context().find_root().get_parameter_source("db")


@contextlib.contextmanager
def progress(first: str = "starting") -> Iterator[Progress]:
    """Show what a long command is doing: `first`, then what it is told, and what is left.

    On a terminal it is one line that changes; elsewhere nothing, with `--verbose` a line each. With
    `--quiet` it is nothing anywhere.
    """
    shares = Shares()
    if terminal.is_asked("verbose"):
        yield lambda message: terminal.say(
            f"{datetime.now(UTC):%H:%M:%SZ} {shares(message)}", err=True
        )
        return
    if not sys.stderr.isatty() or terminal.is_asked("quiet"):
        yield silent
        return
    from rich.console import Console

    # Not stderr of a later moment: a command may redirect it for a step of its own.
    console = Console(file=sys.stderr)
    with console.status(first) as status:
        yield lambda message: status.update(shares(message))
