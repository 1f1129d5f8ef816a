"""The command line: parses, calls one function, prints. Only this package prints or exits."""

import atexit
import gc
from pathlib import Path

import click

from tracker.cli.commands import Commands, sections
from tracker.cli.common import Settings
from tracker.cli.groups import ErrorReporting
from tracker.cli.options import Finite
from tracker.errors import DEFAULT_WAIT_SECONDS
from tracker.version import VERSION

# Python collects cycles after every 700 new objects, most of them parts of modules and rows, which
# have none; a report of a small store takes an eighth longer for it.
_OBJECTS_PER_COLLECTION = 500_000


class _Main(ErrorReporting):
    """The commands, listed in sections."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of commands for each section, all with one width."""
        names = self.list_commands(ctx)
        width = max(map(len, names))
        room = formatter.width - 6 - width
        for title, own in sections(names).items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(width), command.get_short_help_str(room))
                        for name in own
                        if (command := self.get_command(ctx, name)) and not command.hidden
                    ]
                )


@click.group(
    cls=_Main,
    commands=Commands(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: tracker demo",
)
@click.version_option(VERSION, prog_name="tracker")
@click.option(
    "--db",
    type=click.Path(dir_okay=True, path_type=str),
    default="tracker.duckdb",
    envvar="TRACKER_DB",
    show_default=True,
    show_envvar=True,
    help="The store, one DuckDB file.",
)
@click.option(
    "--wait",
    type=Finite(min=0),
    default=DEFAULT_WAIT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long a writing command waits for another.",
)
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print tables, warnings and errors alone: neither progress nor what was done.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print each step with its time, as for a log.")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected failure.")
@click.pass_context
def main(
    context: click.Context, db: str, wait: float, quiet: bool, verbose: bool, debug: bool
) -> None:
    """Freeze drug-disease predictions, record what happens, and report how they performed.

    Exit codes: 0 done, 1 unexpected failure, 2 usage, 3 input refused, 4 verification or check
    failed, 5 store busy, 6 nothing new (refresh --fail-if-unchanged).
    """
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    # Nor twice more at the end, over all objects, when the process gives everything back.
    atexit.register(gc.freeze)
    context.obj = Settings(Path(db), wait, debug)
