"""tracker tally: how many events the store has, by type."""

from pathlib import Path

import click

from tracker.cli.common import Settings, progress
from tracker.cli.options import output_options
from tracker.cli.output import write_rows
from tracker.rows import ReportFormat


@click.command(epilog="Example: tracker tally", short_help="Count the events by type.")
@output_options()
@click.pass_obj
def tally(settings: Settings, form: ReportFormat, output: Path | None) -> None:
    """Count the events that the store has recorded, by type."""
    with progress("counting events") as notify, settings.opened(notify) as opened:
        found = opened.tally()
    write_rows(found, form, output, settings)
