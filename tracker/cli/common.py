"""What the commands share: settings, errors as text, output, progress."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from sqlalchemy import Connection

from tracker import store
from tracker.errors import TrackerError
from tracker.loads import Progress
from tracker.report.rows import FORMATS

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Settings:
    """The options of the command group, as every command gets them."""

    db: Path
    wait: float
    debug: bool

    @classmethod
    def of(cls, db: str, wait: float, debug: bool) -> "Settings":
        """Take the options as click gives them."""
        return cls(Path(db), wait, debug)

    def writer(self) -> contextlib.AbstractContextManager[Connection]:
        """Open the store for writing."""
        return store.writer(self.db, wait=self.wait)


class ErrorReporting(click.Group):
    """A command group that words errors in one place and exits with their code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a TrackerError becomes its text and its exit code."""
        try:
            return super().invoke(ctx)
        except TrackerError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(error.exit_code)
        except (click.exceptions.Exit, click.Abort, click.ClickException, BrokenPipeError):
            raise
        except Exception as error:
            if "--debug" in sys.argv or (isinstance(ctx.obj, Settings) and ctx.obj.debug):
                raise
            reason = str(error).splitlines()[0] if str(error) else ""
            click.echo(
                f"error: unexpected {type(error).__name__}: {reason} "
                "(run with --debug for the traceback)",
                err=True,
            )
            ctx.exit(1)


class Instant(click.ParamType[datetime]):
    """A date, meaning its end in UTC, or an instant in ISO 8601."""

    name = "date"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Return an instant with a time zone."""
        if isinstance(value, datetime):
            return value
        try:
            instant = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"'{value}' is not a date (YYYY-MM-DD) or instant (ISO 8601)", param, ctx)
        if len(value) == len("2026-01-01"):
            return datetime.combine(instant.date(), time.max, UTC)
        return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def format_option(*more: str) -> Callable[[Command], Command]:
    """Add --format with the formats of rows and any `more`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice([*FORMATS, *more]),
        default="table",
        show_default=True,
        help="How rows are printed.",
    )


@contextlib.contextmanager
def progress() -> Iterator[Progress]:
    """Show what a long command is doing, on a terminal only."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _message: None
        return
    with console.status("starting") as status:
        yield status.update


def write_output(text: str, path: Path | None) -> None:
    """Print text, or write it to a file in one step."""
    if path is None:
        click.echo(text, nl=False)
        return
    if not path.parent.is_dir():
        raise TrackerError(f"{path.parent}: no such folder")
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise TrackerError(f"{path}: cannot be written: {error.strerror}") from error
