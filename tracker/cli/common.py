"""Shared by the commands: settings, errors as text, output, progress.

Whatever is slow to import is imported where it is used: every command and every completion of a
word imports this.
"""

import contextlib
import errno
import functools
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
import click.shell_completion

from tracker.cli import signals, terminal
from tracker.errors import CheckFailed, InputRefused, TrackerError
from tracker.periods import Period, period
from tracker.progress import Progress, Shares, silent
from tracker.rows import FORMATS, Rows, render, shown

if TYPE_CHECKING:
    from tracker.api.stores import Store

# A file may contain a name of several megabytes.
_LONGEST_LINE = 1_000

# What click prints before the message of a UsageError.
_BEFORE_USAGE = "Error: "

# As 'tracker log key' writes one, and as PEM does.
_PRIVATE_KEY = re.compile(rb"PRIVATE\+KEY\+|-----BEGIN [A-Z ]*PRIVATE KEY-----")
_MOST_OF_A_KEY = 64
_PATH = click.Path(path_type=Path)

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Settings:
    """The options of the command group, as every command receives them."""

    db: Path
    wait: float
    debug: bool
    # The master of Spark that computes the views, and where it reads tables; None: DuckDB does.
    spark: str | None = None
    scratch: Path | None = None

    @classmethod
    def of(cls, db: str, wait: float, debug: bool) -> "Settings":
        """Take the options as click gives them."""
        return cls(Path(db), wait, debug)

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


class ErrorReporting(click.Group):
    """A command group that words errors in one place and exits with their code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that are not UTF-8: neither the store nor a message could represent them."""
        for word in args:
            try:
                word.encode()
            except UnicodeEncodeError:
                raise click.UsageError(f"not UTF-8 text: {word!a}") from None
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; one that is a subcommand of others is answered with these."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            groups = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
            meant = [
                f"'tracker {name} {args[0]}'"
                for name, group in groups.items()
                if isinstance(group, click.Group) and args[0] in group.commands
            ]
            if not meant:
                raise
        raise click.UsageError(
            f"No such command '{args[0]}'. Did you mean {' or '.join(meant)}?", ctx
        )

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Complete a command by its name alone: its help would take its import."""
        found = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*map(click.shell_completion.CompletionItem, found), *options]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a TrackerError or a signal becomes its text and its exit code."""
        try:
            with signals.raised():
                return self._run(ctx)
        except signals.Interrupted as interrupted:
            print_error(str(interrupted))
            ctx.exit(interrupted.exit_code)
        except TrackerError as error:
            print_error(*error.lines)
            ctx.exit(error.exit_code)
        except click.UsageError as error:
            if sys.stderr.isatty():
                fitted = terminal.wrapped(f"{_BEFORE_USAGE}{error.format_message()}")
                raise click.UsageError(fitted.removeprefix(_BEFORE_USAGE), error.ctx) from error
            raise
        except (click.exceptions.Exit, click.Abort, click.ClickException, BrokenPipeError):
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            print_error(f"{where}{error.strerror or error}")
            is_refused = error.errno == errno.ENAMETOOLONG
            ctx.exit(InputRefused.exit_code if is_refused else TrackerError.exit_code)
        except Exception as error:
            if "--debug" in sys.argv or (isinstance(ctx.obj, Settings) and ctx.obj.debug):
                raise
            if altered := _impossible(ctx.obj):
                print_error(*altered, "the store was altered: see 'tracker check'")
                ctx.exit(CheckFailed.exit_code)
            reason = str(error).splitlines()[0] if str(error) else ""
            print_error(
                f"unexpected {type(error).__name__}: {reason} (run with --debug for the traceback)"
            )
            ctx.exit(1)

    def _run(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            if interrupted := signals.interruption(error):
                raise interrupted from None
            raise


def _impossible(settings: object) -> list[str]:
    """Return what tracker never writes in the store of a command that failed, if it has one."""
    if not isinstance(settings, Settings) or not settings.db.is_file():
        return []
    import sqlalchemy as sa

    from tracker.store.trust import impossible

    url = sa.URL.create("duckdb", database=str(settings.db))
    engine = sa.create_engine(url, connect_args={"read_only": True})
    try:
        with engine.connect() as connection:
            return impossible.problems(connection)
    except sa.exc.SQLAlchemyError:
        return []
    finally:
        engine.dispose()


class Branching(click.Group):
    """A command with an argument and options of its own, and with subcommands.

    The first word says whether a subcommand is meant. A click group would take the word for its
    argument.
    """

    allow_extra_args = False
    allow_interspersed_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave the words of a subcommand to it."""
        if args and args[0] in self.commands:
            ctx.args = args
            return args
        return click.Command.parse_args(self, ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand, or else the command itself."""
        if not ctx.args:
            return click.Command.invoke(self, ctx)
        name, *words = ctx.args
        command = self.commands[name]
        with command.make_context(name, words, parent=ctx) as inner:
            return command.invoke(inner)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters; none for the path of a subcommand, which goes without them."""
        return super().get_params(ctx) if ctx.command is self else []

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the usage of the command itself."""
        return click.Command.collect_usage_pieces(self, ctx)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage of the command itself, and below it that of its subcommands."""
        super().format_usage(ctx, formatter)
        prefix = " " * len("Usage: ")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...", prefix)


class Finite(click.FloatRange):
    """A number that is neither NaN nor infinite."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return a finite float within the range."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


class Instant(click.ParamType[datetime]):
    """A date, meaning its end in UTC, or an instant in ISO 8601; of a day after today if it may."""

    name = "date"

    def __init__(self, *, may_be_ahead: bool = False) -> None:
        """Take a day after today only with `may_be_ahead`."""
        self._may_be_ahead = may_be_ahead

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Return an instant with a time zone."""
        if isinstance(value, datetime):
            return value
        try:
            instant = datetime.fromisoformat(value)
            if len(value) == len("2026-01-01"):
                instant = datetime.combine(instant.date(), time.max, UTC)
            instant = (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail(
                f"'{shown(value)}' is not a date (YYYY-MM-DD) or instant (ISO 8601)", param, ctx
            )
        from tracker import clock

        today = clock.read().date()
        if instant.date() > today and not self._may_be_ahead:
            self.fail(f"{shown(value)} is after today, {today} (UTC)", param, ctx)
        return instant


class Sha256(click.ParamType[str]):
    """A SHA-256 in hexadecimal."""

    name = "hash"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the hash in lower case."""
        found = str(value).strip().lower()
        if not re.fullmatch("[0-9a-f]{64}", found):
            self.fail(f"'{shown(value)}' is not a SHA-256 (64 hexadecimal digits)", param, ctx)
        return found


class PeriodType(click.ParamType[Period]):
    """A length of time: 90, 90d, 12w, 6m or 2y, at most a thousand years."""

    name = "period"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Period:
        """Return the period in days or in months."""
        if isinstance(value, Period):
            return value
        try:
            return period(value)
        except InputRefused as error:
            self.fail(str(error), param, ctx)


def format_option(*more: str) -> Callable[[Command], Command]:
    """Add --format with the formats of rows and any `more`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice([*FORMATS, *more]),
        default="table",
        show_default=True,
        help="The format of the output.",
    )


def output_option(command: Command) -> Command:
    """Add --output, the file to write instead of printing."""
    return click.option("--output", "-o", type=_PATH, help="Write to a file.")(command)


def folder_option(**settings: Any) -> Callable[[Command], Command]:
    """Add --output for a folder."""
    return click.option("--output", "-o", "folder", type=_PATH, metavar="DIR", **settings)


def folder_to_write(command: Command) -> Command:
    """Add the folder that a command writes, as its last argument or as --output."""

    @functools.wraps(command)
    def chosen(*given: Any, folder: Path | None, output: Path | None, **others: Any) -> Any:
        if (folder is None) == (output is None):
            raise click.UsageError("give the folder once, as FOLDER or as --output")
        return command(*given, folder=folder or output, **others)

    option = click.option("--output", "-o", type=_PATH, metavar="DIR", help="The same as FOLDER.")
    return click.argument("folder", type=_PATH, required=False)(option(cast(Command, chosen)))


def output_options(*more: str) -> Callable[[Command], Command]:
    """Add --format, with the formats of rows and any `more`, and --output."""

    def add(command: Command) -> Command:
        return format_option(*more)(output_option(command))

    return add


def listing_options(command: Command) -> Command:
    """Add --format and --output for a command whose result is one table; see write_rows."""
    return output_options("parquet")(command)


def include_replays_option(command: Command) -> Command:
    """Add --include-replays for commands that set slates beside each other."""
    return click.option(
        "--include-replays", is_flag=True, help="Also slates made with --replay-as-of, marked."
    )(command)


def dates_option(command: Command) -> Command:
    """Add --dates: whether slates count from what their dates rest on, or from what they state."""
    return click.option(
        "--dates",
        type=click.Choice(("counted", "claimed")),
        default="counted",
        show_default=True,
        help="Count from the proved or recorded date, or from the date that the slate claims.",
    )(command)


def seed_option() -> Callable[[Command], Command]:
    """Add --seed for commands that resample."""
    from tracker.uncertainty.estimates import LARGEST_SEED, SEED

    return click.option(
        "--seed",
        type=click.IntRange(0, LARGEST_SEED),
        default=SEED,
        show_default=True,
        help="The seed of the resampling.",
    )


@contextlib.contextmanager
def progress(first: str = "starting") -> Iterator[Progress]:
    """Show what a long command is doing: `first`, then what it is told, and what is left.

    On a terminal it is one line that changes; elsewhere nothing, with `--verbose` a line each. With
    `--quiet` it is nothing anywhere.
    """
    shares = Shares()
    if terminal.is_asked("verbose"):
        yield lambda message: terminal.say(f"{_time_of_day()} {shares(message)}", err=True)
        return
    if not sys.stderr.isatty() or terminal.is_asked("quiet"):
        yield silent
        return
    from rich.console import Console

    # Not stderr of a later moment: a command may redirect it for a step of its own.
    console = Console(file=sys.stderr)
    with console.status(first) as status:
        yield lambda message: status.update(shares(message))


def _time_of_day() -> str:
    return f"{datetime.now(UTC):%H:%M:%S}Z"


@contextlib.contextmanager
def bar(n_steps: int, unit: str) -> Iterator[Callable[[], None]]:
    """Show how many of a command's steps are done, on a terminal only; yields what adds one."""
    if not sys.stderr.isatty() or terminal.is_asked("quiet"):
        yield lambda: None
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (bars.BarColumn(), bars.MofNCompleteColumn(), bars.TextColumn(unit))
    with bars.Progress(
        *columns, bars.TimeElapsedColumn(), console=Console(file=sys.stderr), transient=True
    ) as shown_bar:
        task = shown_bar.add_task("", total=n_steps)
        yield lambda: shown_bar.advance(task)


def print_error(*lines: str) -> None:
    """Print an error to stderr, without control codes, long lines cut."""
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} ..." for line in lines]
    terminal.say(f"error: {cut[0]}", *cut[1:], err=True)


def tell_if_altered(settings: Settings) -> None:
    """Say on standard error where a store is not the file that this user's tracker wrote there."""
    from tracker.store.trust import trusted_files

    if trusted_files.is_altered(settings.db):
        terminal.say(
            f"{settings.db.name}: is not as tracker last wrote it; 'tracker check' says whether "
            "anything that it relies on was altered",
            err=True,
        )


def write_output(text: str, path: Path | None, settings: Settings) -> None:
    """Print text, or write it to a file in one step; never over the store."""
    if path is None:
        terminal.print_text(text)
        return
    with output_file(path, settings) as part:
        part.write_text(text, encoding="utf-8")


def require_file(form: str, path: Path | None) -> None:
    """Raise UsageError for a format that is not for reading, without a file to write it to."""
    if form == "parquet" and path is None:
        raise click.UsageError("--format parquet needs --output FILE")


def write_rows(
    rows: Rows, form: str, path: Path | None, settings: Settings, *, limit: int | None = None
) -> None:
    """Print rows in a format of listing_options, or write them to a file in one step."""
    require_file(form, path)
    if form != "parquet" or path is None:
        write_output(render(rows, form, limit=limit), path, settings)
        return
    from tracker.reports import parquet

    with output_file(path, settings) as part:
        parquet.write(rows, part)


@contextlib.contextmanager
def output_file(path: Path, settings: Settings) -> Iterator[Path]:
    """Yield the file to write: in a private folder, and put in place when the body succeeds.

    Where `path` is a symbolic link, the file that it points at is replaced. A device or pipe is
    written as it is. Raises InputRefused if nothing can be written there.
    """
    import duckdb

    from tracker import replacing

    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder")
    if path.is_dir():
        raise InputRefused(f"{path}: is a folder")
    if path.exists() and settings.db.exists() and path.samefile(settings.db):
        raise InputRefused(f"{path}: is the store; choose another file")
    if path.exists() and not path.is_file():
        yield path
        return
    if _is_private_key(path):
        raise InputRefused(f"{path}: is a private key; choose another file")
    try:
        with contextlib.suppress(FileNotFoundError):
            # Raises OSError for a link to itself.
            path.stat()
        with replacing.file(path) as part:
            yield part
    except OSError as error:
        raise TrackerError(f"{path}: cannot be written: {error.strerror}") from error
    except duckdb.Error as error:
        replacing.raise_if_full(path, error)
        raise


def _is_private_key(path: Path) -> bool:
    """Whether a file begins as the keys of 'tracker log key' and those in PEM do."""
    try:
        with path.open("rb") as handle:
            return _PRIVATE_KEY.match(handle.read(_MOST_OF_A_KEY)) is not None
    except OSError:
        return False
