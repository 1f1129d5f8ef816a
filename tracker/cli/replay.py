"""tracker replay: the ledger rebuilt from the files of its releases, and compared with it."""

from pathlib import Path

import click

from tracker.cli.common import Settings, progress
from tracker.cli.options import output_options
from tracker.cli.output import write_output
from tracker.rows import Format


@click.command(
    epilog="Example: tracker replay --sources archive",
    short_help="Rebuild the ledger from the files of its releases.",
)
@click.option(
    "--sources",
    "folders",
    metavar="DIR",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="A folder with the files of the releases, at any depth; may be repeated.",
)
@output_options()
@click.pass_context
def replay(
    context: click.Context, folders: tuple[Path, ...], form: Format, output: Path | None
) -> None:
    """Rebuild the ledger of events from the files of its releases, and compare the two.

    Files are found by the hash of their content, whatever their names. The releases are ingested
    into a private store in the order of this one, and events are detected at the same points as
    here; every event and every row of a release that differs is then listed. The store is not
    changed. The format csv has only the differences. Exit code 4: something differs; 3: nothing
    differs, but the file of a release is missing, so that its rows were not checked.
    """
    settings: Settings = context.obj
    with progress() as notify, settings.opened(notify) as opened:
        done = opened.replay(*folders)
    write_output(done.text(form), output, settings)
    context.exit(done.exit_code)
