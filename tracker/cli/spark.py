"""tracker spark: queries, reports, evaluations and freezes whose views Spark computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import (
    Command,
    Instant,
    Settings,
    bar,
    listing_options,
    progress,
    require_file,
    write_rows,
)
from tracker.cli.query import read_query
from tracker.cli.report import report
from tracker.cli.retrospective import evaluate
from tracker.cli.slate import freeze
from tracker.errors import CheckFailed
from tracker.rows import Rows


def _spark_options(command: Command) -> Command:
    """Add --master and --scratch."""
    for option in (
        click.option(
            "--scratch",
            type=click.Path(path_type=Path, file_okay=False, exists=True),
            metavar="FOLDER",
            help="Where the tables are put for Spark to read; every worker must see it.  "
            "[default: TRACKER_TEMP, or the system's]",
        ),
        click.option(
            "--master",
            default="local[*]",
            show_default=True,
            metavar="URL",
            help="local[N], spark://HOST:PORT, or sc://HOST:PORT for Spark Connect.",
        ),
    ):
        command = option(command)
    return command


@click.group(
    epilog="Example: tracker spark sql 'select * from tier_hit_rate'",
    short_help="Compute on Apache Spark what DuckDB computes.",
)
def spark() -> None:
    """Compute on Apache Spark what DuckDB computes: the same views, the same rows.

    Needs Java 17, and pip install '.[spark]' in a checkout.
    """


@spark.command(epilog="Example: tracker spark sql 'select * from tier_hit_rate' --format csv")
@click.argument("query", required=False)
@click.option("--as-of", type=Instant(), help="Leave out outcomes recorded after this day.")
@_spark_options
@listing_options
@click.option(
    "--rows",
    "n_rows",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many rows a table shows; 0: all of them. Other formats have all.",
)
@click.pass_obj
def sql(
    settings: Settings,
    query: str | None,
    as_of: datetime | None,
    master: str,
    scratch: Path | None,
    form: str,
    output: Path | None,
    n_rows: int,
) -> None:
    """Run a query, written for DuckDB, on Spark.

    QUERY is SQL, the path of a .sql file, or - (or nothing) for standard input.
    """
    require_file(form, output)
    statement = read_query(query)
    with (
        progress() as notify,
        replace(settings, spark=master, scratch=scratch).opened(notify, as_of=as_of) as opened,
    ):
        rows = opened.sql(statement)
    write_rows(rows, form, output, settings, limit=n_rows or None)


def _on_spark(
    original: click.Command, what: str, example: str, without: Sequence[str] = ()
) -> click.Command:
    """Return a command as it is, `without` some of its options, whose views Spark computes."""

    def run(settings: Settings, /, master: str, scratch: Path | None, **chosen: Any) -> None:
        click.get_current_context().obj = replace(settings, spark=master, scratch=scratch)
        if original.callback is not None:
            original.callback(**dict.fromkeys(without), **chosen)

    return _spark_options(
        click.Command(
            original.name,
            params=[one for one in original.params if one.name not in without],
            callback=click.pass_obj(run),
            help=what,
            epilog=f"Example: {example}",
        )
    )


spark.add_command(
    _on_spark(
        report,
        "Report on a slate as 'tracker report' does.",
        "tracker spark report 469bb270 --format markdown",
        # Both read the store more than once, as of several moments or for several slates.
        without=("versus", "explain"),
    )
)
spark.add_command(
    _on_spark(
        evaluate,
        "Evaluate scores as 'tracker retrospective evaluate' does.",
        "tracker spark evaluate --candidates whole --labels 2026q1",
    )
)
spark.add_command(
    _on_spark(
        freeze,
        "Freeze a slate as 'tracker slate freeze' does.",
        "tracker spark freeze --candidates whole --labels 2026q1 --description 'Q1'",
    )
)


@spark.command(
    epilog="Example: tracker spark compare auc ndcg_at_k",
    short_help="Compare views on DuckDB and on Spark, row for row.",
)
@click.argument("names", metavar="[VIEW]...", nargs=-1, shell_complete=completion.views)
@_spark_options
@listing_options
@click.pass_obj
def compare(
    settings: Settings,
    names: tuple[str, ...],
    master: str,
    scratch: Path | None,
    form: str,
    output: Path | None,
) -> None:
    """Compare views on DuckDB and on Spark row for row; exit 4 where they differ.

    Without VIEW it compares all. Doubles may differ by 1e-12 of their size. The views that a VIEW
    reads are compared, too.
    """
    from tracker.extras.spark import comparing, opening

    with opening.reading(settings.db, master, place=scratch) as (connection, views):
        found = []
        with bar(len(comparing.below(names)), "views") as advance:
            for one in comparing.compare(connection, views, names):
                found.append(one)
                advance()
    columns = ["view", "n_rows", "verdict", "duckdb_seconds", "spark_seconds"]
    values = [
        (
            one.view,
            one.n_rows,
            "equal" if one.is_equal else "different",
            round(one.duckdb_seconds, 3),
            round(one.spark_seconds, 3),
        )
        for one in found
    ]
    write_rows(Rows(columns, values), form, output, settings)
    lines = [f"{one.view}: {line}" for one in found for line in one.differences]
    if lines:
        raise CheckFailed("\n".join(lines))
