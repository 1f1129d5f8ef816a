"""tracker export: the results of all slates as files for other programs."""

from datetime import datetime
from pathlib import Path

import click

from tracker.cli.common import Settings, progress
from tracker.cli.options import Instant, folder_to_write
from tracker.cli.terminal import say
from tracker.rows import EXPORT_FORMATS, ExportFormat


@click.command(
    epilog="Example: tracker export results/",
    short_help="Write all results as Parquet or CSV, a file for each view.",
)
@folder_to_write
@click.option(
    "--format",
    "form",
    type=click.Choice(EXPORT_FORMATS),
    default=EXPORT_FORMATS[0],
    show_default=True,
    help="The format of the files.",
)
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@click.pass_obj
def export(settings: Settings, folder: Path, form: ExportFormat, as_of: datetime | None) -> None:
    """Write the results of all slates to FOLDER: what a dashboard, dbt or a warehouse takes.

    There is a file for each result ('tracker view' lists them) and for the tables that name slates,
    diseases, drugs and predictions; columns.csv says what every column means, and datapackage.json
    describes it all as a Frictionless Data Package. An earlier export there is replaced; a folder
    with anything else is refused. Slates under embargo are exported, too: whoever has the store has
    them already.
    """
    settings.tell_if_altered()
    with progress("reading the store") as notify, settings.opened(notify, as_of=as_of) as opened:
        done = opened.export(folder, form)
    say(f"{done.n_files} files with {done.n_rows:,} rows are in {folder}")
