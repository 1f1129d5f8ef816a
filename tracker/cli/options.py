"""Options shared by several commands, and the types of their values."""

import functools
import math
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from tracker.api import instants
from tracker.errors import InputRefused
from tracker.figures import LARGEST_SEED, SEED
from tracker.periods import Period, period
from tracker.rows import FORMATS, shown

_PATH = click.Path(path_type=Path)

Command = TypeVar("Command", bound=Callable[..., Any])


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
    """A date, meaning its end in UTC, or an ISO 8601 instant; future days only if allowed."""

    name = "date"

    def __init__(self, *, may_be_ahead: bool = False) -> None:
        """Accept a day after today only with `may_be_ahead`."""
        self._may_be_ahead = may_be_ahead

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Return an instant with a time zone."""
        if isinstance(value, datetime):
            return value
        try:
            instant = instants.end_of(value)
        except InputRefused as error:
            self.fail(str(error), param, ctx)
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


def require_unused(names: Iterable[str], why: str) -> None:
    """Raise UsageError if the user gave any of these parameters of the command."""
    context = click.get_current_context()
    given = {
        one for one in names if context.get_parameter_source(one) is ParameterSource.COMMANDLINE
    }
    for option in context.command.params:
        if option.name in given:
            raise click.UsageError(f"{option.opts[0]} {why}")


output_option = click.option("--output", "-o", type=_PATH, help="Write to a file.")


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
    option = click.option(
        "--format",
        "form",
        type=click.Choice([*FORMATS, *more]),
        default="table",
        show_default=True,
        help="The format of the output.",
    )
    return lambda command: option(output_option(command))


# For commands whose result is one table; see write_rows.
listing_options = output_options("parquet")
# For commands that compare slates.
include_replays_option = click.option(
    "--include-replays", is_flag=True, help="Also slates made with --replay-as-of, marked."
)
dates_option = click.option(
    "--dates",
    type=click.Choice(("counted", "claimed")),
    default="counted",
    show_default=True,
    help="Count from the proved or recorded date, or from the date that the slate claims.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    default=SEED,
    show_default=True,
    help="The seed of the resampling.",
)
