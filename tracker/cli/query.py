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
from tracker.cli.common import (
    Finite,
    Instant,
    Settings,
    listing_options,
    output_file,
    print_error,
    progress,
    require_file,
    tell_if_altered,
    write_output,
    write_rows,
)
from tracker.cli.terminal import print_text, say
from tracker.errors import CheckFailed, InputRefused, StoreAltered, no_such
from tracker.rows import Rows, render, to_json

if TYPE_CHECKING:
    from tracker.store import catalog, queries


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
    from tracker import store

    with (
        progress("bringing the store up to date"),
        store.writer(settings.db, wait=settings.wait, drop_foreign=drop_foreign),
    ):
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
    from tracker import store
    from tracker.store import queries

    if query is None and sys.stdin.isatty():
        raise click.UsageError("a query is missing: SQL, a .sql file, or - for standard input")
    require_file(form, output)
    statement = read_query(query)
    tell_if_altered(settings)
    destination = output_file(output, settings) if output else contextlib.nullcontext()
    with destination as part:
        writable = part if form == "parquet" else None
        with store.reader(settings.db, as_of=as_of, writes_to=writable) as connection:
            sql_query = queries.Query(connection, statement, timeout=timeout)
            with _stopped_by_force(sql_query, part if part != output else None):
                if part is None:
                    _print(sql_query, form, n_rows)
                    return
                with progress("running the query"):
                    if writable is not None:
                        sql_query.write_parquet(writable)
                        return
                    with part.open("w", encoding="utf-8") as file:
                        file.writelines(_texts(sql_query, form, n_rows))


def _texts(sql_query: queries.Query, form: str, n_rows: int) -> Iterator[str]:
    from tracker.reports.batches import render_batches
    from tracker.store import queries

    columns, batches = sql_query.rows()
    if form == "json":
        queries.require_distinct(columns)
    if form != "table":
        return render_batches(columns, batches, form)
    # Fetch one more row than is shown, to know whether there are more.
    rows = itertools.chain.from_iterable(batches)
    values = list(itertools.islice(rows, n_rows + 1 if n_rows else None))
    if n_rows and len(values) > n_rows:
        values.pop()
        say(
            f"only the first {n_rows:,} rows are shown; --rows 0 or another --format shows all",
            err=True,
        )
    return iter([render(Rows(columns, values), form)])


def _print(sql_query: queries.Query, form: str, n_rows: int) -> None:
    """Print the rows: a table at once, other formats as the rows arrive."""
    if form == "table":
        print_text("".join(_texts(sql_query, form, n_rows)))
        return
    for text in _texts(sql_query, form, n_rows):
        click.echo(text, nl=False)


@contextlib.contextmanager
def _stopped_by_force(sql_query: queries.Query, part: Path | None) -> Iterator[None]:
    """Exit at once where DuckDB does not stop: inside one long function it ignores interrupts."""
    from tracker.store import queries

    try:
        yield
    except (signals.Interrupted, queries.TimedOut) as error:
        if not sql_query.is_running:
            raise
        # Closing the store would wait for DuckDB, perhaps for minutes.
        if part is not None:
            part.unlink(missing_ok=True)
        print_error(str(error))
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
    from tracker.store import catalog

    found = [view for view in catalog.read_views() if view.name == name]
    if found:
        _describe(found[0], form, output, settings)
        return
    listed = catalog.listed(name or "", with_steps=with_steps)
    listed = listed or catalog.listed(name or "", with_steps=True)
    if not listed:
        known = [view.name for view in catalog.read_views()]
        raise no_such("view", str(name), known, "see 'tracker view'")
    if form in ("table", "markdown"):
        values = []
        for topic, views in itertools.groupby(listed, lambda view: view.topic or "Steps"):
            values += [(topic, None), *((f"- {one.name}", one.header["Title"]) for one in views)]
        write_rows(Rows(["view", "title"], values), form, output, settings)
    else:
        columns = ["topic", "view", "title", "grain", "units"]
        kept = [(v.topic, v.name, *map(v.header.get, ("Title", "Grain", "Units"))) for v in listed]
        write_rows(Rows(columns, [*kept]), form, output, settings)


def _describe(view: catalog.View, form: str, output: Path | None, settings: Settings) -> None:
    """Write a view's header, its columns with what they mean, and its SQL."""
    from tracker.store import building, catalog, dictionary

    header = {key.lower(): value for key, value in view.header.items()}
    described = {"view": view.name, **header, "section": view.section}
    meanings = dictionary.columns()
    columns = Rows(
        ["column", "type", "meaning", "unit"],
        [
            (column, kind, meanings[column].meaning, meanings[column].unit)
            for column, kind in building.columns_of(view)
        ],
    )
    if form not in ("table", "markdown"):
        whole = {**described, "columns": columns.records(), "sql": view.select}
        if form == "json":
            write_output(to_json(whole), output, settings)
        else:
            whole["columns"] = json.dumps(whole["columns"])
            write_rows(Rows([*whole], [tuple(whole.values())]), form, output, settings)
        return
    # The header's comments are the lines above the query.
    _, query = catalog.split_header(view.select)
    facts = render(Rows(["view", view.name], [*described.items()][1:]), form)
    text = f"{facts}\n{render(columns, form)}\n{_fenced(query, form)}"
    write_output(text, output, settings)


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
