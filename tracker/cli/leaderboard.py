"""tracker leaderboard: models ranked over all slates that they froze."""

from datetime import datetime
from pathlib import Path

import click

from tracker import slates, store
from tracker.cli.common import Instant, Settings, format_option, progress, write_output
from tracker.pages import documents
from tracker.report import leaderboard as report_leaderboard
from tracker.store import scope


@click.command(epilog="Example: tracker leaderboard --format html -o models.html")
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@format_option("html")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to a file.")
@click.pass_obj
def leaderboard(settings: Settings, as_of: datetime | None, form: str, output: Path | None) -> None:
    """Rank models over all slates that they froze, replays left out.

    Hits are compared with those of equally popular drugs, in each slate by the primary endpoint of
    its plan. Models that cannot be told apart share a rank.
    """
    with progress() as notify, store.reader(settings.db, as_of=as_of) as connection:
        notify("computing the views")
        with scope.of_slates(connection, *slates.all_slates(connection)):
            built = report_leaderboard.build(connection, as_of)
    if form in documents.FORMATS:
        text = documents.of_models(built, form)
    else:
        text = report_leaderboard.render_leaderboard(built, form)
    write_output(text, output, settings)
