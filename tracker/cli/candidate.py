"""tracker candidate: where the pairs of the loaded sets are, and sealing them in files."""

from pathlib import Path

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import listing_options
from tracker.cli.output import write_rows
from tracker.cli.terminal import say

# The value of --sealed without a folder, since no path is empty.
BESIDE = ""


@click.group(
    epilog="Example: tracker candidate list", short_help="List candidate sets; seal large ones."
)
def candidate() -> None:
    """Show the loaded candidate sets, and seal large ones in files beside the store."""


@candidate.command(
    "list",
    epilog="Example: tracker candidate list",
    short_help="List the sets, and where sealed ones keep their files.",
)
@listing_options
@click.pass_obj
def list_(settings: Settings, form: str, output: Path | None) -> None:
    """List the candidate sets, and for sealed ones how many files are in which folder."""
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.candidates.sets
    write_rows(rows, form, output, settings)


@candidate.command(epilog="Example: tracker candidate seal world")
@click.argument("name", metavar="SET", shell_complete=completion.candidate_sets)
@click.option(
    "--to",
    metavar="PLACE",
    help="Another folder than the store's, or an address: one that TRACKER_SEALED lists.",
)
@click.pass_obj
def seal(settings: Settings, name: str, to: str | None) -> None:
    """Move the pairs of a stored set into Parquet files beside the store.

    The store lists the files with their hashes, and every figure stays as it was
    (docs/guides/scale.md). The whole store is first compared with its log: exit code 4 if anything
    in it was altered.
    """
    with progress() as notify:
        opened = settings.opened(notify, write=True)
        opened.candidates.seal(name, to)
    say(f"candidate set '{name}' is sealed")
