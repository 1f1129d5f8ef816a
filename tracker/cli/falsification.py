"""tracker due: the falsification criteria that come due."""

from datetime import datetime

import click

from tracker import slates, store
from tracker.cli.common import Instant, Period, PeriodType, Settings, format_option
from tracker.rows import render
from tracker.slates import falsification


@click.command(epilog="Example: tracker due --within 90d")
@click.argument("slate_id", metavar="[SLATE]", required=False)
@click.option(
    "--within",
    type=PeriodType(),
    default="90d",
    show_default=True,
    help="How far ahead to look: days (90d), weeks (12w), months (6m) or years (2y).",
)
@click.option("--as-of", type=Instant(), help="Count from this day, with the store as of its end.")
@format_option()
@click.pass_obj
def due(
    settings: Settings, slate_id: str | None, within: Period, as_of: datetime | None, form: str
) -> None:
    """List the open predictions of a slate, or of all, whose due date is near."""
    with store.reader(settings.db, as_of=as_of) as connection:
        slate = slates.find(connection, slate_id) if slate_id else None
        rows = falsification.due(connection, slate, days=within.days, months=within.months)
    click.echo(render(rows, form), nl=False)
