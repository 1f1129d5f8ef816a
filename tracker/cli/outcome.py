"""tracker outcome: the ledger, and the evidence of one outcome."""

import click
from sqlalchemy import text

from tracker import slates, store
from tracker.cli.common import Settings, format_option
from tracker.errors import InputRefused
from tracker.rows import Rows, render
from tracker.store import statements

_CARD = text("select * exclude (observed_at) from outcome_card where outcome_id = :outcome_id")


@click.group(epilog="Example: tracker outcome show 12")
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


@outcome.command("show", epilog="Example: tracker outcome show 12")
@click.argument("outcome_id", type=click.IntRange(min=1), metavar="OUTCOME")
@format_option()
@click.pass_obj
def show(settings: Settings, outcome_id: int, form: str) -> None:
    """Print the evidence card of an outcome.

    The pair and the aliases that matched the evidence to it, the source's record, the release and
    its hash, the dates, when it was recorded, and whether the evidence has been withdrawn since.
    """
    with store.reader(settings.db) as connection:
        result = connection.execute(_CARD, {"outcome_id": outcome_id})
        columns = list(result.keys())
        card = result.first()
    if card is None:
        raise InputRefused(f"the store has no outcome {outcome_id}; see 'tracker outcome list'")
    pairs = list(zip(columns, card, strict=True))
    rows = Rows(["field", "value"], [(name, value) for name, value in pairs if value is not None])
    click.echo(
        render(Rows(columns, [tuple(card)]) if form in ("json", "csv") else rows, form), nl=False
    )
