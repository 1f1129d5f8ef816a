"""tracker leaderboard: models ranked over all slates that they froze."""

from datetime import datetime
from pathlib import Path

import click

from tracker.cli.common import Settings, progress
from tracker.cli.options import Instant, include_replays_option, output_options
from tracker.cli.output import write_output
from tracker.rows import ReportFormat


@click.command(
    epilog="Example: tracker leaderboard --format html -o models.html",
    short_help="Rank models over all their slates.",
)
@include_replays_option
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@output_options("html")
@click.pass_obj
def leaderboard(
    settings: Settings,
    include_replays: bool,
    as_of: datetime | None,
    form: ReportFormat,
    output: Path | None,
) -> None:
    """Rank models over all slates that they froze, replays left out.

    With --include-replays, a model's replays are ranked, too, apart from its other slates.

    Hits are compared with those of equally popular drugs, in each slate by the primary endpoint of
    its plan. Models that cannot be told apart share a rank.
    """
    with progress() as notify, settings.opened(notify, as_of=as_of) as opened:
        notify("computing the views")
        made = opened.leaderboard(include_replays=include_replays)
    write_output(made.text(form), output, settings)
