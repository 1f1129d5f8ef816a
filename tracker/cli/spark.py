"""tracker spark: queries, reports, evaluations and freezes whose views Spark computes."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion, freezing
from tracker.cli.common import (
    Command,
    Instant,
    Settings,
    bar,
    dates_option,
    listing_options,
    output_options,
    progress,
    require_file,
    write_output,
    write_rows,
)
from tracker.cli.freezing import freeze_options
from tracker.cli.query import read_query
from tracker.cli.retrospective import LABELS, POSITIVE
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


@click.group(epilog="Example: tracker spark sql 'select * from tier_hit_rate'")
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
        settings.opened(notify, as_of=as_of, spark=master, scratch=scratch) as opened,
    ):
        rows = opened.sql(statement)
    write_rows(rows, form, output, settings, limit=n_rows or None)


@spark.command(epilog="Example: tracker spark report 469bb270 --format markdown")
@click.argument("slate_id", metavar="SLATE", shell_complete=completion.slates)
@click.option("--full", is_flag=True, help="Print every section below the summary.")
@click.option("--as-of", type=Instant(), help="The report as of the end of this day (UTC).")
@dates_option
@_spark_options
@output_options("html")
@click.pass_obj
def report(
    settings: Settings,
    slate_id: str,
    full: bool,
    as_of: datetime | None,
    dates: str,
    master: str,
    scratch: Path | None,
    form: str,
    output: Path | None,
) -> None:
    """Report how a slate's predictions performed, as 'tracker report' does."""
    with (
        progress() as notify,
        settings.opened(
            notify, as_of=as_of, as_claimed=dates == "claimed", spark=master, scratch=scratch
        ) as opened,
    ):
        text = opened.slate(slate_id).report().text(form, full=full)
    write_output(text, output, settings)


@spark.command(epilog="Example: tracker spark evaluate --candidates whole --labels 2026q1")
@click.option(
    "--candidates",
    required=True,
    metavar="SET",
    shell_complete=completion.candidate_sets,
    help="The candidate set.",
)
@LABELS
@POSITIVE
@_spark_options
@output_options("html")
@click.pass_obj
def evaluate(
    settings: Settings,
    candidates: str,
    labels: str,
    positive_min_label: int,
    master: str,
    scratch: Path | None,
    form: str,
    output: Path | None,
) -> None:
    """Compare a candidate set with a label set, as 'tracker retrospective evaluate' does."""
    with (
        progress() as notify,
        settings.opened(notify, write=True, spark=master, scratch=scratch) as opened,
    ):
        made = opened.retrospective.evaluate(
            candidates=candidates, labels=labels, positive_min_label=positive_min_label
        )
    write_output(made.text(form), output, settings)


@spark.command(
    epilog="Example: tracker spark freeze --candidates whole --labels 2026q1 --description 'Q1'"
)
@freeze_options
@_spark_options
@click.pass_obj
def freeze(settings: Settings, /, master: str, **chosen: Any) -> None:
    """Freeze a slate as 'tracker slate freeze' does; Spark chooses the best candidates."""
    freezing.freeze(settings, spark=master, **chosen)


@spark.command(epilog="Example: tracker spark compare auc ndcg_at_k")
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
    from tracker.spark import comparing, opening

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
