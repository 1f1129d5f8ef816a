"""What every command shares: the options of the command group, and progress messages.

It imports whatever is slow only where it is used, since every command and completion imports this.
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
    # The Spark master that computes the views, and where it reads tables; None means DuckDB.
    spark: str | None = None
    scratch: Path | None = None

    @property
    def chosen_db(self) -> Path | None:
        """The store, None if neither an option nor the environment names it."""
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
        """Return the store of the Python interface, which opens when first needed."""
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
        """Warn on standard error if this user's tracker did not write the store's file."""
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
    """Show the steps of a long command: `first`, then what it reports, with what is left.

    A terminal shows one line that changes. Elsewhere `--verbose` prints a line for each step, and
    otherwise nothing is shown. `--quiet` shows nothing anywhere.
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

    # The current stderr: a command may redirect it later for one of its steps.
    console = Console(file=sys.stderr)
    with console.status(first) as status:
        yield lambda message: status.update(shares(message))
