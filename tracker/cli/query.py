"""tracker init, sql, views, check: the store itself and ad-hoc questions to it."""

import sys
from datetime import datetime
from pathlib import Path

import click

from tracker import catalog, queries, store
from tracker.cli.common import Instant, Settings, format_option, output_file, write_output
from tracker.errors import CheckFailed, InputRefused, StoreAltered
from tracker.report.rows import Rows, render


@click.command(epilog="Example: tracker --db track.duckdb init")
@click.option(
    "--drop-foreign",
    is_flag=True,
    help="Drop macros, views, types and schemas that tracker did not make ('tracker check' lists "
    "them).",
)
@click.pass_obj
def init(settings: Settings, drop_foreign: bool) -> None:
    """Create the store, bring an older one up to date, or build altered views anew."""
    with settings.writer(drop_foreign=drop_foreign):
        pass
    click.echo(f"{settings.db} is ready")


@click.command(epilog="Example: tracker sql 'select * from tier_hit_rate' --format csv")
@click.argument("query", required=False)
@click.option("--as-of", type=Instant(), help="Leave out outcomes written down after this day.")
@format_option("parquet")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to a file.")
@click.pass_obj
def sql(
    settings: Settings, query: str | None, as_of: datetime | None, form: str, output: Path | None
) -> None:
    """Run a query on the store, read-only and without access to files or network.

    QUERY is SQL, the path of a .sql file, or - (or nothing) for standard input.
    """
    if form == "parquet" and output is None:
        raise click.UsageError("--format parquet needs --output FILE")
    statement = _read_query(query)
    with store.reader(settings.db, as_of=as_of) as connection:
        if form == "parquet" and output is not None:
            with output_file(output, settings) as part:
                queries.write_parquet(connection, statement, part)
        else:
            write_output(render(queries.run(connection, statement), form), output, settings)


@click.command(epilog="Example: tracker views tier_hit_rate")
@click.argument("name", required=False)
@format_option()
def views(name: str | None, form: str) -> None:
    """List the views, or describe one: title, formula, grain, units, source."""
    known = catalog.read_views()
    if name is None:
        columns = ["view", "title", "grain", "units"]
        values = [(v.name, v.header["Title"], v.header["Grain"], v.header["Units"]) for v in known]
        click.echo(render(Rows(columns, values), form), nl=False)
        return
    found = [view for view in known if view.name == name]
    if not found:
        raise InputRefused(f"no view is named '{name}'; see 'tracker views'")
    entries = [(key.lower(), value) for key, value in found[0].header.items()]
    click.echo(
        render(Rows(["of", name], [*entries, ("section", found[0].section)]), form), nl=False
    )
    if form == "table":
        click.echo(f"\n{found[0].select}", nl=False)


@click.command(epilog="Example: tracker check")
@format_option()
@click.pass_obj
def check(settings: Settings, form: str) -> None:
    """Run the invariants of sql/checks; exit 4 and print the rows that violate one.

    A store that defines what tracker did not make is not queried: what was found is listed.
    """
    try:
        with store.reader(settings.db) as connection:
            found = {
                check.name: store.violations(connection, check, limit=20)
                for check in catalog.read_checks()
            }
    except StoreAltered as error:
        raise CheckFailed("\n".join([*error.findings, error.way_out])) from error
    values = [(name, "sound" if not rows else "violated") for name, rows in found.items()]
    click.echo(render(Rows(["check", "verdict"], values), form), nl=False)
    broken = [(name, row) for name, rows in found.items() for row in rows]
    if broken:
        raise CheckFailed("\n".join(f"{name}: {row}" for name, row in broken))


def _read_query(query: str | None) -> str:
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
