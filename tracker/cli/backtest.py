"""tracker backtest: what a ranker's lists would have achieved, had they been frozen in the past."""

from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import PeriodType, listing_options, output_options
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say
from tracker.figures import MOST_MONTHS, MOST_PREDICTIONS
from tracker.periods import Period
from tracker.rows import ReportFormat, Rows

_DAY = click.DateTime(["%Y-%m-%d"])


@click.group(
    epilog="Example: tracker backtest run --ranker cf --from 2015-01-01 --every 12m --horizon 24m",
    short_help="Run rankers at past dates and score them as slates.",
)
def backtest() -> None:
    """Replay rankers at past origins, each fitted on what was known on that day alone."""


@backtest.command(
    "run",
    epilog="Example: tracker backtest run --ranker cf --from 2015-01-01 --every 12m --horizon 24m",
)
@click.option(
    "--ranker",
    "rankers",
    multiple=True,
    metavar="NAME",
    help="A ranker: cf or a plugin; may be repeated. The baselines always run as well.",
)
@click.option(
    "--scores",
    metavar="PATTERN",
    help="Files with the model's scores for each origin, whose date replaces {date} in the name.",
)
@click.option("--from", "first", type=_DAY, required=True, help="The first origin.")
@click.option(
    "--to",
    "last",
    type=_DAY,
    help="The last origin.  [default: the last that evidence follows to the horizon]",
)
@click.option(
    "--every", type=PeriodType(), default="12m", show_default=True, help="The time between origins."
)
@click.option(
    "--horizon",
    "horizons",
    type=PeriodType(),
    multiple=True,
    default=["24m"],
    show_default=True,
    help="How long each list is followed; may be repeated.",
)
@click.option(
    "--candidates",
    metavar="SET",
    shell_complete=completion.candidate_sets,
    help="The pairs to rank.  [default: drugs known at the origin for diseases known at it]",
)
@click.option(
    "--top-k",
    type=click.IntRange(1, MOST_PREDICTIONS),
    default=50,
    show_default=True,
    help="The length of the list of each disease.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The rankers' seed.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="How many origins run at a time.  [default: up to 4]",
)
@output_options("html")
@click.pass_obj
def run_backtest(
    settings: Settings,
    /,
    every: Period,
    horizons: tuple[Period, ...],
    form: ReportFormat,
    output: Path | None,
    **chosen: Any,
) -> None:
    """Make each ranker's list as of past days, and report what came true.

    An interrupted run continues where it stopped when it is started again; slates of the store are
    left alone.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        made = opened.backtest.run(
            every_months=_months(every, "--every"),
            horizons=[_months(one, "--horizon") for one in horizons],
            **chosen,
        )
    say(made.note, err=True)
    write_output(made.text(form), output, settings)


@backtest.command(epilog="Example: tracker backtest report 1 --format html -o backtest.html")
@click.argument("backtest_id", metavar="BACKTEST", type=int)
@output_options("html")
@click.pass_obj
def report(settings: Settings, backtest_id: int, form: ReportFormat, output: Path | None) -> None:
    """Report a backtest again, as far as it has run."""
    with progress() as notify, settings.opened(notify) as opened:
        made = opened.backtest.report(backtest_id)
    write_output(made.text(form), output, settings)


@backtest.command("list", epilog="Example: tracker backtest list")
@listing_options
@click.pass_obj
def list_backtests(settings: Settings, form: str, output: Path | None) -> None:
    """List the backtests of the store."""
    with progress() as notify, settings.opened(notify) as opened:
        found = opened.backtests.records()
    rows = [
        (
            row["backtest_id"],
            ", ".join([*row["recipe"]["rankers"], *filter(None, [row["recipe"]["scores"]])]),
            row["recipe"]["first"],
            row["recipe"]["last"],
            row["recipe"]["every_months"],
            ", ".join(map(str, row["recipe"]["horizons"])),
        )
        for row in found
    ]
    columns = ["backtest_id", "rankers", "first", "last", "every_months", "horizon_months"]
    write_rows(Rows(columns, rows), form, output, settings)


def _months(period: Period, option: str) -> int:
    if period.days or not 1 <= period.months <= MOST_MONTHS:
        raise click.UsageError(
            f"{option} is in months or years, such as 12m, up to {MOST_MONTHS} months"
        )
    return period.months
