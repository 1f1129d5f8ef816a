"""tracker init, sql, view, check: the store itself and ad-hoc queries."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracker.cli import completion, signals
from tracker.cli.batches import render_batches
from tracker.cli.common import Settings, progress
from tracker.cli.options import Finite, Instant, listing_options
from tracker.cli.output import output_file, require_file, write_output, write_rows
from tracker.cli.terminal import print_text, say, say_error
from tracker.errors import CheckFailed, InputRefused, StoreAltered, TimedOut
from tracker.progress import silent
from tracker.rows import Rows, render, to_json

if TYPE_CHECKING:
    from tracker.api.reading import Query
    from tracker.api.views import Described


@click.command(
    epilog="Example: tracker --db track.duckdb init",
    short_help="Create the store, or bring an older one up to date.",
)
@click.option(
    "--drop-foreign",
    is_flag=True,
    help="Drop macros, views, types and schemas that tracker did not make ('tracker check' lists "
    "them).",
)
@click.pass_obj
def init(settings: Settings, drop_foreign: bool) -> None:
    """Create the store, bring an older one up to date, or rebuild altered views.

    Of a file that another program altered, the rows alone are kept.
    """
    with progress("bringing the store up to date") as notify:
        opened = settings.opened(notify, write=True)
        with opened.writing(drop_foreign=drop_foreign):
            pass
    say(f"{settings.db} is ready")


@click.command(
    epilog="Example: tracker sql 'select * from tier_hit_rate' --format csv",
    short_help="Run a read-only query.",
)
@click.argument("query", required=False)
@click.option("--as-of", type=Instant(), help="Leave out outcomes recorded after this day.")
@listing_options
@click.option(
    "--rows",
    "n_rows",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many rows a table shows; 0 shows all. Other formats always have all.",
)
@click.option(
    "--timeout",
    type=Finite(min=0, max=1e6),
    metavar="SECONDS",
    help="Cancel after this many seconds, with exit code 1.  [default: no limit]",
)
@click.pass_obj
def sql(
    settings: Settings,
    query: str | None,
    as_of: datetime | None,
    form: str,
    output: Path | None,
    n_rows: int,
    timeout: float | None,
) -> None:
    """Run a query on the store, read-only and without access to files or network.

    QUERY is SQL, the path of a .sql file, or - (or nothing) for standard input. Ctrl-C stops it
    with exit code 130. A file is written whole or not at all; what was printed before a failure
    stays printed.
    """
    if query is None and sys.stdin.isatty():
        raise click.UsageError("a query is missing: SQL, a .sql file, or - for standard input")
    require_file(form, output)
    statement = read_query(query)
    settings.tell_if_altered()
    destination = output_file(output, settings) if output else contextlib.nullcontext()
    with destination as part:
        writable = part if form == "parquet" else None
        opened = settings.opened(silent, as_of=as_of)
        with (
            opened.query(statement, timeout=timeout, writes_to=writable) as sql_query,
            _stopped_by_force(sql_query, part if part != output else None),
        ):
            if part is None:
                _print(sql_query, form, n_rows)
                return
            with progress("running the query"):
                if writable is not None:
                    sql_query.write_parquet(writable)
                    return
                with part.open("w", encoding="utf-8") as file:
                    file.writelines(_texts(sql_query, form, n_rows))


def _texts(sql_query: Query, form: str, n_rows: int) -> Iterator[str]:
    columns, batches = sql_query.rows(are_distinct=form == "json")
    if form != "table":
        return render_batches(columns, batches, form)
    # One more row than is shown reveals whether there are more.
    rows = itertools.chain.from_iterable(batches)
    values = list(itertools.islice(rows, n_rows + 1 if n_rows else None))
    if n_rows and len(values) > n_rows:
        values.pop()
        say(
            f"only the first {n_rows:,} rows are shown; --rows 0 or another --format shows all",
            err=True,
        )
    return iter([render(Rows(columns, values), form)])


def _print(sql_query: Query, form: str, n_rows: int) -> None:
    """Print the rows: a table at once, other formats as the rows arrive."""
    if form == "table":
        print_text("".join(_texts(sql_query, form, n_rows)))
        return
    for text in _texts(sql_query, form, n_rows):
        click.echo(text, nl=False)


@contextlib.contextmanager
def _stopped_by_force(sql_query: Query, part: Path | None) -> Iterator[None]:
    """Exit at once if DuckDB does not stop: within one long function it ignores interrupts."""
    try:
        yield
    except (signals.Interrupted, TimedOut) as error:
        if not sql_query.is_running:
            raise
        # Closing the store would wait for DuckDB, perhaps for minutes.
        if part is not None:
            part.unlink(missing_ok=True)
        say_error(str(error))
        os._exit(error.exit_code)


@click.command(
    epilog="Example: tracker view tier_hit_rate",
    short_help="List the results, or describe a view and its columns.",
)
@click.argument("name", metavar="[VIEW|TEXT]", required=False, shell_complete=completion.views)
@click.option("--all", "with_steps", is_flag=True, help="List the steps of computing as well.")
@listing_options
@click.pass_obj
def view(
    settings: Settings, name: str | None, with_steps: bool, form: str, output: Path | None
) -> None:
    """List the results by topic, or describe one: what it is, its columns, its SQL.

    A TEXT that names no view lists the results that have it in their name or title. Results are
    the contract (docs/metrics.md), and stand in the schema 'results' as well; a step may change
    without a note.
    """
    from tracker.api import views

    found = views.described(name)
    if found is not None:
        _write_described(found, form, output, settings)
        return
    listed = views.listed(name or "", with_steps=with_steps)
    if form in ("table", "markdown"):
        values: list[tuple[str | None, ...]] = []
        for topic, rows in itertools.groupby(listed.values, lambda row: row[0] or "Steps"):
            values += [(topic, None), *((f"- {row[1]}", row[2]) for row in rows)]
        listed = Rows(["view", "title"], values)
    write_rows(listed, form, output, settings)


def _write_described(found: Described, form: str, output: Path | None, settings: Settings) -> None:
    if form in ("table", "markdown"):
        facts = render(Rows(["view", found.facts["view"]], [*found.facts.items()][1:]), form)
        text = f"{facts}\n{render(found.columns, form)}\n{_fenced(found.query, form)}"
        write_output(text, output, settings)
        return
    whole = {**found.facts, "columns": found.columns.records(), "sql": found.sql}
    if form == "json":
        write_output(to_json(whole), output, settings)
    else:
        whole["columns"] = json.dumps(whole["columns"])
        write_rows(Rows([*whole], [tuple(whole.values())]), form, output, settings)


def _fenced(query: str, form: str) -> str:
    return f"```sql\n{query.rstrip()}\n```\n" if form == "markdown" else query


@click.command(
    epilog="Example: tracker check", short_help="Check invariants, slates and the log of the store."
)
@listing_options
@click.pass_obj
def check(settings: Settings, form: str, output: Path | None) -> None:
    """Run the invariants, verify the slates, compare the store with its log; exit 4 if one fails.

    The rows that violate an invariant of sql/checks are printed, the slates that are not as they
    were frozen, and what was altered, removed, inserted or backdated since it was sealed
    (docs/guides/log.md). A store with definitions that tracker did
    not make is not queried; they are listed.
    """
    try:
        with progress("running the checks") as notify, settings.opened(notify) as opened:
            found = opened.findings()
    except StoreAltered as error:
        raise CheckFailed("\n".join([*error.findings, error.remedy])) from error
    values = [(name, "sound" if not rows else "violated") for name, rows in found.items()]
    write_rows(Rows(["check", "verdict"], values), form, output, settings)
    broken = [(name, row) for name, rows in found.items() for row in rows]
    if broken:
        raise CheckFailed("\n".join(f"{name}: {row}" for name, row in broken))


def read_query(query: str | None) -> str:
    """Return the SQL of a command: its argument, a .sql file, or standard input."""
    if query is None or query == "-":
        try:
            return sys.stdin.buffer.read().decode()
        except UnicodeDecodeError as error:
            raise InputRefused("standard input: is not UTF-8 text") from error
    if query.endswith(".sql"):
        try:
            return Path(query).read_text(encoding="utf-8")
        except OSError as error:
            raise InputRefused(f"{query}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputRefused(f"{query}: is not UTF-8 text") from error
    try:
        query.encode()
    except UnicodeEncodeError as error:
        raise InputRefused("the query is not UTF-8 text") from error
    return query
