"""tracker demo: the whole pipeline on the bundled fictional world."""

import errno
import shlex
import tempfile
from pathlib import Path

import click

from tracker import resources
from tracker.errors import InputRefused, TrackerError

_STORE = "demo.duckdb"

# The commands of the demo; WORLD stands for the bundled folder.
_COMMANDS = (
    "load candidates WORLD/candidates.csv --set world --model fable-1",
    "load labels WORLD/labels.csv --set known",
    "slate import WORLD/spring_slate",
    "slate import WORLD/autumn_slate",
    "load outcomes WORLD/spring_outcomes.csv --slate 5c9f",
    "load outcomes WORLD/autumn_outcomes.csv --slate a07e",
    "slate freeze --candidates world --labels known --description 'Frozen by the demo'",
    "slate verify",
    "check",
    "report 5c9f --population all",
)


@click.command(epilog="Example: tracker demo --keep demo/")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the store in this folder (default: a temporary one, removed at the end).",
)
@click.pass_context
def demo(context: click.Context, keep: Path | None) -> None:
    """Run the whole pipeline on a small fictional world and print its report."""
    with tempfile.TemporaryDirectory(prefix="tracker-demo-") as name:
        folder = keep or Path(name)
        _prepare(folder)
        _run(context, folder / _STORE)
    where = f"--db {shlex.quote(str(folder / _STORE))} " if keep else ""
    click.echo("\nTry next:")
    if keep is None:
        click.echo("  tracker demo --keep demo               keep the store to ask it yourself")
        where = "--db demo/demo.duckdb "
    click.echo(f"  tracker {where}report a07e --window prospective")
    click.echo(f"  tracker {where}report 5c9f --as-of 2025-09-30")
    click.echo(f"  tracker {where}sql 'from enrichment_vs_popularity'")
    click.echo("  tracker load candidates --help         start with your own predictions")


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / _STORE).exists():
            raise InputRefused(f"{folder / _STORE}: is already there; choose another folder")
    except OSError as error:
        refusal = TrackerError if error.errno in (errno.ENOSPC, errno.EDQUOT) else InputRefused
        raise refusal(f"{folder}: cannot be made a folder: {error.strerror}") from error


def _run(context: click.Context, store: Path) -> None:
    world = resources.directory("fixtures") / "world"
    group = context.find_root().command
    for command in _COMMANDS:
        click.echo(f"\n$ tracker {command.replace('WORLD/', '')}")
        arguments = [part.replace("WORLD", str(world)) for part in shlex.split(command)]
        words = ["--db", str(store), *arguments]
        # The command has told its error itself; its exit code is what main returns.
        if code := group.main(words, prog_name="tracker", standalone_mode=False):
            context.exit(code)
