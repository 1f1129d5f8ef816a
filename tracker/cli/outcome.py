"""tracker outcome: the ledger, and the evidence of one outcome."""

from typing import Any

import click
from sqlalchemy import text

from tracker import slates, store
from tracker.cli.common import Settings, format_option
from tracker.errors import InputRefused
from tracker.rows import Rows, render
from tracker.store import statements

_CARDS = text(
    "select * exclude (observed_at) from outcome_card where outcome_id = :outcome_id "
    "order by recorded_at, slate_id, disease_name"
)


@click.group(epilog="Example: tracker outcome show 153")
def outcome() -> None:
    """Show the ledger of outcomes and the evidence behind each."""


@outcome.command("list", epilog="Example: tracker outcome list 469bb270 --format csv")
@click.argument("slate_id", metavar="SLATE")
@format_option()
@click.pass_obj
def list_outcomes(settings: Settings, slate_id: str, form: str) -> None:
    """List a slate's outcomes; `withdrawal` describes how the source withdrew one.

    `recorded_at` is when the store wrote the row; `claimed_observed_at` is when its file claims
    that it was observed, where that differs.
    """
    with store.reader(settings.db) as connection:
        slate = slates.find(connection, slate_id)
        result = statements.run(connection, "listed_outcome", {"slate_id": str(slate.slate_id)})
        rows = Rows(list(result.keys()), [tuple(row) for row in result])
    click.echo(render(rows, form), nl=False)


@outcome.command("show", epilog="Example: tracker outcome show 153")
@click.argument("outcome_id", type=click.IntRange(min=1), metavar="OUTCOME")
@format_option()
@click.pass_obj
def show(settings: Settings, outcome_id: int, form: str) -> None:
    """Print the evidence cards of an outcome: one for each slate that contains the pair.

    The pair and the aliases that matched the evidence to it, the source's record, the release and
    its hash, the dates, when it was recorded, and whether the evidence has been withdrawn since.
    """
    with store.reader(settings.db) as connection:
        result = connection.execute(_CARDS, {"outcome_id": outcome_id})
        columns = list(result.keys())
        cards = [tuple(row) for row in result]
    if not cards:
        raise InputRefused(f"the store has no outcome {outcome_id}; see 'tracker outcome list'")
    if form in ("json", "csv"):
        click.echo(render(Rows(columns, cards), form), nl=False)
        return
    click.echo("\n".join(render(_fields(columns, card), form) for card in cards), nl=False)


def _fields(columns: list[str], card: tuple[Any, ...]) -> Rows:
    """Return the fields of a card that have a value, one per row."""
    known = [pair for pair in zip(columns, card, strict=True) if pair[1] is not None]
    return Rows(["field", "value"], known)
