"""tracker report: one slate's figures."""

from datetime import datetime
from pathlib import Path

import click

from tracker import slates, store
from tracker.cli.common import Instant, Settings, format_option, progress, write_output
from tracker.metrics import POPULATIONS, WINDOWS
from tracker.pages import documents
from tracker.report import build, comparison
from tracker.report.explain import explain as explain_changes
from tracker.report.render import render_report
from tracker.store import scope


@click.command(epilog="Example: tracker report 469bb270 --window prospective --format markdown")
@click.argument("slate_id", metavar="SLATE")
@click.option(
    "--window",
    type=click.Choice(WINDOWS),
    help="Count all outcomes, or only prospective ones; without it both are shown.",
)
@click.option(
    "--population",
    type=click.Choice(POPULATIONS),
    help="All pairs, or only those unknown at the freeze; without it both are shown.",
)
@click.option("--as-of", type=Instant(), help="The report as of the end of this day (UTC).")
@click.option(
    "--versus", metavar="SLATE", help="Compare with this slate first, as 'tracker compare' does."
)
@click.option(
    "--explain",
    type=Instant(),
    metavar="DATE",
    help="Show which figures changed since the end of this day, and the evidence behind it.",
)
@format_option("html")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to a file.")
@click.pass_obj
def report(
    settings: Settings,
    slate_id: str,
    window: str | None,
    population: str | None,
    as_of: datetime | None,
    versus: str | None,
    explain: datetime | None,
    form: str,
    output: Path | None,
) -> None:
    """Report how a slate's predictions performed, with warnings in words."""
    if explain is not None and form == "html":
        raise click.UsageError("--explain has no page; use --format markdown")
    with progress() as notify, store.reader(settings.db, as_of=as_of) as connection:
        notify("computing the views")
        slate = slates.find(connection, slate_id)
        if explain is not None:
            explained = explain_changes(connection, slate, explain, as_of)
            write_output(render_report(explained, form), output, settings)
            return
        other = slates.find(connection, versus) if versus else None
        with scope.of_slates(connection, slate, other):
            built = build.build(
                connection,
                slate,
                windows=(window,) if window else WINDOWS,
                populations=(population,) if population else POPULATIONS,
                as_of=as_of,
            )
            if other is not None:
                with scope.of_comparison(connection, slate, other):
                    built = comparison.before(
                        built,
                        comparison.build(
                            connection, [slate, other], population=population, as_of=as_of
                        ),
                    )
            if form in documents.FORMATS:
                notify("drawing the page")
                text = documents.of_slate(connection, slate, built, form, as_of)
            else:
                text = render_report(built, form)
    write_output(text, output, settings)
