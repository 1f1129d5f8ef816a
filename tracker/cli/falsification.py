"""tracker due: the falsification criteria that come due."""

from collections import Counter
from datetime import datetime
from pathlib import Path

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import Instant, PeriodType, listing_options
from tracker.cli.output import write_rows
from tracker.cli.terminal import say
from tracker.periods import Period
from tracker.rows import Rows

# A table lists this many predictions singly, and counts more.
_MOST_LISTED = 30


@click.command(
    epilog="Example: tracker due --within 90d",
    short_help="List open predictions by the day their criterion is due.",
)
@click.argument("slate_id", metavar="[SLATE]", required=False, shell_complete=completion.slates)
@click.option(
    "--within",
    type=PeriodType(),
    default="90d",
    show_default=True,
    help="How far ahead to look: days (90d), weeks (12w), months (6m) or years (2y).",
)
@click.option(
    "--as-of",
    type=Instant(may_be_ahead=True),
    help="Count from this day, with the store as of its end.",
)
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
    """List the open predictions of a slate, or of all, whose due date is near.

    A table of many predictions counts them by due date, slate, tier and criterion.
    """
    with progress("computing the views") as notify, settings.opened(notify, as_of=as_of) as opened:
        of = opened.slate(slate_id) if slate_id else opened
        rows = of.due(days=within.days, months=within.months)
    is_long = form == "table" and len(rows.values) > _MOST_LISTED
    write_rows(_counted(rows) if is_long else rows, form, output, settings)
    if is_long:
        say(f"{len(rows.values):,} predictions; --format csv lists each", err=True)
    if form == "table" and not rows.values:
        say("no open prediction comes due in that time; see --within", err=True)


def _counted(rows: Rows) -> Rows:
    """Count the predictions that share due date, slate, tier and criterion; soonest first."""
    names = ["due_date", "days_to_due", "slate_id", "tier", "criterion_text"]
    places = [rows.columns.index(name) for name in names]
    counted = Counter(tuple(row[place] for place in places) for row in rows.values)
    return Rows([*names, "n_predictions"], [(*key, number) for key, number in counted.items()])
