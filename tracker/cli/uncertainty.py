"""tracker assess, scoreboard: the verdict of the plan, and the published figures."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import Instant, dates_option, listing_options, output_options
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say
from tracker.figures import (
    METRICS,
    POPULATIONS,
    TIERS_OR_ALL,
    WINDOWS,
)
from tracker.rows import Format, Rows


@click.command(
    epilog="Example: tracker assess 469bb270",
    short_help="Judge a slate by its plan, or list all verdicts.",
)
@click.argument("slate_id", metavar="[SLATE]", required=False, shell_complete=completion.slates)
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@dates_option
@output_options()
@click.pass_obj
def assess(
    settings: Settings,
    slate_id: str | None,
    as_of: datetime | None,
    dates: str,
    form: Format,
    output: Path | None,
) -> None:
    """Assess a slate against its plan, or list all slates with their verdicts.

    A slate works, does not work, is explained by popularity, inconclusive, or it is too early to
    say. Of a slate made with hindsight the verdict begins with 'replay'.
    """
    settings.tell_if_altered()
    with (
        progress("computing the views") as notify,
        settings.opened(notify, as_of=as_of, as_claimed=dates == "claimed") as opened,
    ):
        if slate_id is None:
            text = opened.overview(form)
        else:
            text = opened.slate(slate_id).assess().text(form)
    write_output(text, output, settings)


@click.command(
    epilog="Example: tracker scoreboard 469bb270 --record",
    short_help="Show the recorded figures of a slate by quarter.",
)
@completion.slate_argument
@click.option("--record", is_flag=True, help="First publish the current figures.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    type=click.Choice(tuple(METRICS)),
    help="Only this figure, such as hit_rate; may be repeated.  [default: those of the slate's "
    "plan]",
)
@click.option("--window", type=click.Choice(WINDOWS), help="Only this evidence window.")
@click.option("--population", type=click.Choice(POPULATIONS), help="Only this population.")
@click.option("--tier", type=click.Choice(TIERS_OR_ALL), help="Only this tier.")
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@listing_options
@click.pass_obj
def scoreboard(
    settings: Settings,
    /,
    slate_id: str,
    record: bool,
    as_of: datetime | None,
    form: str,
    output: Path | None,
    **chosen: Any,
) -> None:
    """Show a slate's figures by quarter, each as last published in it."""
    with progress("resampling") as notify:
        if record:
            with settings.opened(notify, write=True) as opened:
                opened.slate(slate_id).record()
        with settings.opened(notify, as_of=as_of) as opened:
            rows = opened.slate(slate_id).scoreboard(**chosen)
    write_rows(_published(rows) if form == "table" else rows, form, output, settings)
    if not rows.values:
        say("no update has been published; see --record", err=True)


def _published(rows: Rows) -> Rows:
    """Return the quarters with an update, figures first, to fit a terminal."""
    from tracker.api.words import with_intervals

    names = ["quarter_start", "metric", "tier", "value", "low", "high", "n", "n_updates"]
    names += ["evidence_window", "population", "recorded_at", "reason"]
    places = [rows.columns.index(name) for name in names]
    n_updates = rows.columns.index("n_updates")
    updates = [tuple(row[i] for i in places) for row in rows.values if row[n_updates]]
    return with_intervals(Rows(names, updates), "value", names[:3])
