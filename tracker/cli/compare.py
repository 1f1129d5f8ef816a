"""tracker compare: which slate predicts better, how sure that is, and on which diseases."""

from datetime import datetime
from pathlib import Path

import click

from tracker import slates, store
from tracker.cli.common import Instant, Settings, format_option, progress, write_output
from tracker.metrics import POPULATIONS
from tracker.pages import documents
from tracker.report import comparison
from tracker.slates import plans
from tracker.store import scope


@click.command(epilog="Example: tracker compare 469bb270 302b34f7 --format html -o compared.html")
@click.argument("slate_ids", metavar="SLATE SLATE...", nargs=-1, required=True)
@click.option(
    "--population",
    type=click.Choice(POPULATIONS),
    help="All predictions, or only those new to both slates.  [default: as the first slate's plan]",
)
@click.option("--tier", type=click.Choice(plans.TIERS), help="[default: as the first slate's plan]")
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@format_option("html")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to a file.")
@click.pass_obj
def compare(
    settings: Settings,
    slate_ids: tuple[str, ...],
    population: str | None,
    tier: str | None,
    as_of: datetime | None,
    form: str,
    output: Path | None,
) -> None:
    """Compare slates: which predicts better, how sure that is, and on which diseases.

    Each pair of slates is compared over their common diseases, in lists of equal length, by events
    after the later freeze and up to the earlier end of a horizon.
    """
    if len(slate_ids) < 2:
        raise click.UsageError("give two slates or more")
    with progress() as notify, store.reader(settings.db, as_of=as_of) as connection:
        notify("computing the views")
        found = [slates.find(connection, slate_id) for slate_id in slate_ids]
        with scope.of_slates(connection, *found), scope.of_comparison(connection, *found):
            built = comparison.build(
                connection, found, population=population, tier=tier, as_of=as_of
            )
    if form in documents.FORMATS:
        text = documents.of_comparison(built, form)
    else:
        text = comparison.render_comparison(built, form)
    write_output(text, output, settings)
