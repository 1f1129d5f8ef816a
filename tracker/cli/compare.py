"""tracker compare: which slate predicts better, how sure that is, and on which diseases."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import Instant, include_replays_option, output_options
from tracker.cli.output import write_output
from tracker.figures import POPULATIONS, TIERS_OR_ALL
from tracker.rows import ReportFormat


@click.command(
    epilog="Example: tracker compare 469bb270 302b34f7 --format html -o compared.html",
    short_help="Compare slates: which predicts better, and how surely.",
)
@click.argument(
    "slate_ids", metavar="SLATE SLATE...", nargs=-1, required=True, shell_complete=completion.slates
)
@click.option(
    "--population",
    type=click.Choice(POPULATIONS),
    help="All predictions, or only those new to both slates.  [default: as the first slate's plan]",
)
@click.option(
    "--tier",
    type=click.Choice(TIERS_OR_ALL),
    help="Compare this tier.  [default: as the first slate's plan]",
)
@include_replays_option
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@output_options("html")
@click.pass_obj
def compare(
    settings: Settings,
    /,
    slate_ids: tuple[str, ...],
    as_of: datetime | None,
    form: ReportFormat,
    output: Path | None,
    **chosen: Any,
) -> None:
    """Compare slates: which predicts better, how sure that is, and on which diseases.

    Each pair of slates is compared over their common diseases, in lists of equal length, by events
    after the later freeze and up to the earlier end of a horizon. Replays, made after the fact, are
    refused without --include-replays.
    """
    if len(slate_ids) < 2:
        raise click.UsageError("give two slates or more")
    with progress() as notify, settings.opened(notify, as_of=as_of) as opened:
        notify("computing the views")
        made = opened.compare(*slate_ids, **chosen)
    write_output(made.text(form), output, settings)
