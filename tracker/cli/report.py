"""tracker report: one slate's figures, and the intervals that are stored for them."""

from datetime import datetime
from pathlib import Path

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.groups import Branching
from tracker.cli.options import Instant, dates_option, output_options, require_unused
from tracker.cli.output import write_output
from tracker.cli.terminal import say
from tracker.errors import CheckFailed
from tracker.figures import POPULATIONS, WINDOWS, Population, Window
from tracker.rows import ReportFormat


@click.group(
    cls=Branching,
    invoke_without_command=True,
    epilog="Example: tracker report 469bb270 --window prospective --format markdown",
    short_help="Report how a slate performed: verdict and figures.",
)
@completion.slate_argument
@click.option("--full", is_flag=True, help="Print every section below the summary.")
@click.option(
    "--section",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.views,
    help="Only this section: the name of its view, or 'warnings'; may be repeated.",
)
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
@dates_option
@click.option(
    "--verified",
    is_flag=True,
    help="From the rows alone, not by the statistics in the file; exit code 4 if these differ.",
)
@click.option(
    "--versus",
    metavar="SLATE",
    shell_complete=completion.slates,
    help="Compare with this slate first, as 'tracker compare' does; printed in full.",
)
@click.option(
    "--explain",
    type=Instant(),
    metavar="DATE",
    help="Show which figures changed since the end of this day, and the evidence behind it.",
)
@output_options("html")
@click.pass_obj
def report(
    settings: Settings,
    slate_id: str,
    full: bool,
    names: tuple[str, ...],
    window: Window | None,
    population: Population | None,
    as_of: datetime | None,
    dates: str,
    verified: bool,
    versus: str | None,
    explain: datetime | None,
    form: ReportFormat,
    output: Path | None,
) -> None:
    """Report how a slate's predictions performed: the verdict, and how sure it is.

    SLATE is the beginning of a UUID, @3 for the third that was recorded, or @latest, which is meant
    where none is named. On a terminal the report is one screen; --full and --section print the
    sections behind it, one for each view. The other formats are complete.
    """
    for option, is_given in (("--explain", explain is not None), ("--section", bool(names))):
        if is_given and form == "html":
            raise click.UsageError(f"{option} has no page; use --format markdown")
    if explain is not None:
        require_unused(("window", "population", "versus"), "does not go with --explain")
    different: list[str] = []
    as_claimed = dates == "claimed"
    if not verified:
        settings.tell_if_altered()
    with (
        progress() as notify,
        settings.opened(notify, as_of=as_of, as_claimed=as_claimed, from_rows=verified) as opened,
    ):
        if verified:
            different = opened.different()
        notify("computing the views")
        slate = opened.slate(slate_id)
        if explain is not None:
            text = slate.explain(explain).text(form, sections=names)
        elif form == "table" and not (full or names or versus):
            text = slate.screen(window=window, population=population)
        else:
            made = slate.report(window=window, population=population, versus=versus)
            text = made.text(form, full=full, sections=names)
    write_output(text, output, settings)
    if different:
        raise CheckFailed("\n".join(different))


@report.command(
    epilog="Example: tracker report estimate 469bb270",
    short_help="Compute and store intervals and tests.",
)
@click.argument("slate_id", metavar="[SLATE]", required=False, shell_complete=completion.slates)
@click.option("--slate", "named", metavar="SLATE", hidden=True, shell_complete=completion.slates)
@click.option("--all", "is_all", is_flag=True, help="All slates, evaluations and submissions.")
@click.pass_obj
def estimate(settings: Settings, slate_id: str | None, named: str | None, is_all: bool) -> None:
    """Compute intervals and tests of a slate's figures, or of all slates, and store them."""
    chosen = [one for one in (slate_id, named) if one is not None]
    if is_all and chosen:
        raise click.UsageError("--all goes without a slate")
    if len(chosen) > 1:
        raise click.UsageError("give the slate once")
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.estimate(*chosen, everything=is_all)
    for kind, number, n_stored in done.values:
        say(f"stored {n_stored:,} estimates of {kind} {number}")
