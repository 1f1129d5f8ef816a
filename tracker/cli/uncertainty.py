"""tracker estimate, assess, scoreboard: the uncertainty of figures and the verdict of the plan."""

from datetime import datetime
from pathlib import Path

import click

from tracker import slates, store
from tracker.cli.common import Instant, Settings, format_option, progress, write_output
from tracker.metrics import METRICS, POPULATIONS, WINDOWS
from tracker.report import assessment, overview
from tracker.report.overview import render_overview
from tracker.report.render import render_report
from tracker.rows import render
from tracker.slates import plans
from tracker.store import scope
from tracker.uncertainty import estimates, scoreboard


@click.command(epilog="Example: tracker estimate 469bb270")
@click.argument("slate_id", metavar="[SLATE]", required=False)
@click.pass_obj
def estimate(settings: Settings, slate_id: str | None) -> None:
    """Compute intervals and tests of a slate's figures, or of all, and store them."""
    with progress() as notify, settings.writer() as connection:
        now = store.now(connection)
        wanted = [slates.find(connection, slate_id)] if slate_id else slates.all_slates(connection)
        for slate in wanted:
            notify(f"computing slate {str(slate.slate_id)[:8]}")
            found = estimates.record_slate(connection, slate, now)
            click.echo(f"stored {len(found):,} estimates of slate {slate.slate_id}")


@click.command(epilog="Example: tracker assess 469bb270")
@click.argument("slate_id", metavar="[SLATE]", required=False)
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@format_option()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to a file.")
@click.pass_obj
def assess(
    settings: Settings,
    slate_id: str | None,
    as_of: datetime | None,
    form: str,
    output: Path | None,
) -> None:
    """Assess a slate against its plan, or list all slates with their verdicts.

    A slate works, does not work, is explained by popularity, or it is too early to say.
    """
    with progress() as notify, store.reader(settings.db, as_of=as_of) as connection:
        notify("computing the views")
        if slate_id is None:
            text = render_overview(overview.read(connection, as_of, notify), form)
        else:
            slate = slates.find(connection, slate_id)
            with scope.of_slates(connection, slate):
                text = render_report(assessment.assess(connection, slate, as_of), form)
    write_output(text, output, settings)


@click.command("scoreboard", epilog="Example: tracker scoreboard 469bb270 --record")
@click.argument("slate_id", metavar="SLATE")
@click.option("--record", is_flag=True, help="First publish the current figures.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=click.Choice(tuple(METRICS)),
    help="Only this figure; may be repeated.  [default: those of the slate's plan]",
)
@click.option("--window", type=click.Choice(WINDOWS), help="Only this evidence window.")
@click.option("--population", type=click.Choice(POPULATIONS), help="Only this population.")
@click.option("--tier", type=click.Choice(plans.TIERS), help="Only this tier.")
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@format_option()
@click.pass_obj
def show_scoreboard(
    settings: Settings,
    slate_id: str,
    record: bool,
    metrics: tuple[str, ...],
    window: str | None,
    population: str | None,
    tier: str | None,
    as_of: datetime | None,
    form: str,
) -> None:
    """Show a slate's figures by quarter, each as last published in it."""
    if record:
        with progress() as notify, settings.writer() as connection:
            notify("resampling")
            slate = slates.find(connection, slate_id)
            scoreboard.append(connection, [slate.slate_id], store.now(connection))
    with store.reader(settings.db, as_of=as_of) as connection:
        rows = scoreboard.trend(
            connection,
            slates.find(connection, slate_id),
            metrics=metrics,
            evidence_window=window,
            population=population,
            tier=tier,
        )
    click.echo(render(rows, form), nl=False)
    if not rows.values:
        click.echo("no update has been published; see --record", err=True)
