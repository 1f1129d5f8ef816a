"""tracker backtest: what a ranker's lists would have achieved, had they been frozen in the past."""

from datetime import datetime
from pathlib import Path

import click
import sqlalchemy as sa

from tracker import store
from tracker.backtests import recipe as recipes
from tracker.backtests import running
from tracker.backtests.recipe import Recipe
from tracker.cli.common import (
    Period,
    PeriodType,
    Settings,
    format_option,
    progress,
    write_output,
)
from tracker.errors import InputRefused
from tracker.pages import documents
from tracker.report import backtest as report_backtest
from tracker.rows import Rows, render
from tracker.store import schema

_DAY = click.DateTime(["%Y-%m-%d"])
_OUTPUT = click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to a file.")


@click.group(
    epilog="Example: tracker backtest run --ranker cf --from 2015-01-01 --every 12m --horizon 24m"
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
    help="cf or a plugin; may be repeated. Baselines always run beside it.",
)
@click.option(
    "--scores",
    metavar="PATTERN",
    help="Files with the model's scores of each origin; {date} in the name stands for it.",
)
@click.option("--from", "first", type=_DAY, required=True, help="The first origin.")
@click.option("--to", "last", type=_DAY, help="The last origin.  [default: the last followed]")
@click.option(
    "--every", type=PeriodType(), default="12m", show_default=True, help="Between origins."
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
    help="The pairs to rank.  [default: drugs known at the origin for diseases known at it]",
)
@click.option(
    "--top-k",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="The length of the list of each disease.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The rankers' seed.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Origins at a time.  [default: up to 4]"
)
@format_option("html", "markdown")
@_OUTPUT
@click.pass_obj
def run_backtest(
    settings: Settings,
    rankers: tuple[str, ...],
    scores: str | None,
    first: datetime,
    last: datetime | None,
    every: Period,
    horizons: tuple[Period, ...],
    candidates: str | None,
    top_k: int,
    seed: int,
    workers: int | None,
    form: str,
    output: Path | None,
) -> None:
    """Make each ranker's list as of past days, and report what came true.

    An interrupted run continues where it stopped when it is started again; slates of the store are
    left alone.
    """
    months = tuple(dict.fromkeys(_months(one, "--horizon") for one in horizons))
    with progress() as notify:
        recipe = Recipe(
            rankers=tuple(dict.fromkeys(rankers)),
            first=first.date(),
            last=first.date() if last is None else last.date(),
            every_months=_months(every, "--every"),
            horizons=months,
            candidates=candidates,
            scores=scores,
            top_k=top_k,
            seed=seed,
        )
        if last is None:
            with store.reader(settings.db) as connection:
                recipe = recipes.up_to(recipe, running.reach(connection))
        backtest_id, n_new = running.run(
            settings.db, recipe, workers=workers, wait=settings.wait, progress=notify
        )
    click.echo(f"backtest {backtest_id}: {n_new:,} new runs", err=True)
    _report(settings, backtest_id, form, output)


@backtest.command(epilog="Example: tracker backtest report 1 --format html -o backtest.html")
@click.argument("backtest_id", metavar="BACKTEST", type=int)
@format_option("html", "markdown")
@_OUTPUT
@click.pass_obj
def report(settings: Settings, backtest_id: int, form: str, output: Path | None) -> None:
    """Report a backtest again, as far as it was run."""
    _report(settings, backtest_id, form, output)


@backtest.command("list", epilog="Example: tracker backtest list")
@format_option()
@click.pass_obj
def list_backtests(settings: Settings, form: str) -> None:
    """List the backtests of the store."""
    table = schema.backtest
    with store.reader(settings.db) as connection:
        found = connection.execute(sa.select(table).order_by(table.c.backtest_id)).all()
    rows = [
        (
            row.backtest_id,
            ", ".join([*row.recipe["rankers"], *filter(None, [row.recipe["scores"]])]),
            row.recipe["first"],
            row.recipe["last"],
            row.recipe["every_months"],
            ", ".join(map(str, row.recipe["horizons"])),
        )
        for row in found
    ]
    columns = ["backtest_id", "rankers", "first", "last", "every_months", "horizon_months"]
    click.echo(render(Rows(columns, rows), form), nl=False)


def _months(period: Period, option: str) -> int:
    if period.days or not 1 <= period.months <= recipes.LONGEST_MONTHS:
        raise click.UsageError(
            f"{option} is in months or years, such as 12m, up to {recipes.LONGEST_MONTHS} months"
        )
    return period.months


def _report(settings: Settings, backtest_id: int, form: str, output: Path | None) -> None:
    with progress() as notify, store.reader(settings.db) as connection:
        notify("pooling the origins")
        row = recipes.find(connection, backtest_id)
        built = report_backtest.build(connection, row)
        if not built.sections[0].rows.values:
            raise InputRefused(f"no origin of backtest {backtest_id} has been run to its end")
    if form in documents.FORMATS:
        text = documents.of_backtest(built, form)
    else:
        text = report_backtest.render_backtest(built, form)
    write_output(text, output, settings)
