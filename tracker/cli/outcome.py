"""tracker outcome: the ledger, and the evidence of one outcome."""

from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Settings, listing_options, progress, write_output, write_rows
from tracker.rows import Rows, render


@click.group(
    epilog="Example: tracker outcome show 153",
    short_help="List outcomes and the evidence behind each.",
)
def outcome() -> None:
    """Show the ledger of outcomes and the evidence behind each."""


@outcome.command(
    "list",
    epilog="Example: tracker outcome list 469bb270 --format csv",
    short_help="List outcomes of all pairs that a slate scored.",
)
@completion.slate_argument
@listing_options
@click.pass_obj
def list_outcomes(settings: Settings, slate_id: str, form: str, output: Path | None) -> None:
    """List the outcomes of all pairs that a slate scored; `withdrawal` describes a withdrawal.

    `recorded_at` is when the store wrote the row; `claimed_observed_at` is when its file claims
    that it was observed, where that differs.
    """
    with progress("computing the views") as notify, settings.opened(notify) as opened:
        rows = opened.slate(slate_id).outcomes
    write_rows(rows, form, output, settings)


@outcome.command(
    "show",
    epilog="Example: tracker outcome show 153",
    short_help="Show the evidence of one outcome.",
)
@click.argument("outcome_id", type=click.IntRange(min=1), metavar="OUTCOME")
@listing_options
@click.pass_obj
def show(settings: Settings, outcome_id: int, form: str, output: Path | None) -> None:
    """Print the evidence cards of an outcome: one for each slate that contains the pair.

    A card has the pair and the aliases that matched the evidence to it, the source's record, the
    release and its hash, the dates, when it was recorded, and whether the evidence has been
    withdrawn since.
    """
    with progress() as notify, settings.opened(notify) as opened:
        cards = opened.outcome(outcome_id)
    if form not in ("table", "markdown"):
        write_rows(cards, form, output, settings)
        return
    text = "\n".join(render(_fields(cards.columns, card), form) for card in cards.values)
    write_output(text, output, settings)


def _fields(columns: list[str], card: tuple[Any, ...]) -> Rows:
    """Return the fields of a card that have a value, one per row."""
    known = [pair for pair in zip(columns, card, strict=True) if pair[1] is not None]
    return Rows(["field", "value"], known)
