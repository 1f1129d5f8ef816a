"""tracker due: the falsification criteria that come due."""

from datetime import datetime
from pathlib import Path

import click

from tracker.cli import completion
from tracker.cli.common import (
    Instant,
    Period,
    PeriodType,
    Settings,
    listing_options,
    progress,
    write_rows,
)


@click.command(epilog="Example: tracker due --within 90d")
@click.argument("slate_id", metavar="[SLATE]", required=False, shell_complete=completion.slates)
@click.option(
    "--within",
    type=PeriodType(),
    default="90d",
    show_default=True,
    help="How far ahead to look: days (90d), weeks (12w), months (6m) or years (2y).",
)
@click.option("--as-of", type=Instant(), help="Count from this day, with the store as of its end.")
@listing_options
@click.pass_obj
def due(
    settings: Settings,
    slate_id: str | None,
    within: Period,
    as_of: datetime | None,
    form: str,
    output: Path | None,
) -> None:
    """List the open predictions of a slate, or of all, whose due date is near."""
    from tracker import slates, store
    from tracker.slates import falsification

    with progress("computing the views"), store.reader(settings.db, as_of=as_of) as connection:
        slate = slates.find(connection, slate_id) if slate_id else None
        rows = falsification.due(connection, slate, days=within.days, months=within.months)
    write_rows(rows, form, output, settings)
    if form == "table" and not rows.values:
        click.echo("no open prediction comes due in that time; see --within", err=True)
