"""Completes slates, sets, benchmarks and views in a shell, without failures or slow queries."""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from tracker import resources
from tracker.errors import LATEST_SLATE
from tracker.rows import shown

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_MOST = 1000
# A shell inserts a completion unquoted, and a store may come from anyone.
_PLAIN = re.compile(r"[\w.:@%+,=/][\w.:@%+,=/-]*")


def slates(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the slates whose UUID begins with `incomplete`, by its first eight digits."""
    query = "select cast(slate_id as varchar), description from slate order by recorded_at, 1"
    length = max(8, len(incomplete))
    return [
        CompletionItem(slate_id[:length], help=shown(description)[:60])
        for slate_id, description in _rows(context, "slate", query)
        if slate_id.startswith(incomplete.lower())
    ]


def _slates_or_commands(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the slates, and the subcommands that the command accepts instead of one."""
    own = context.command.commands if isinstance(context.command, click.Group) else {}
    names = [CompletionItem(name) for name in own if name.startswith(incomplete)]
    return names + slates(context, parameter, incomplete)


# For commands that show one slate, by default the latest.
slate_argument = click.argument(
    "slate_id", metavar="[SLATE]", default=LATEST_SLATE, shell_complete=_slates_or_commands
)


def _named(table: str, query: str) -> Completer:
    """Return a completer of the names that a query of one table returns."""

    def complete(
        context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found = [name for (name,) in _rows(context, table, query)]
        return [
            CompletionItem(name)
            for name in found
            if name.startswith(incomplete) and _PLAIN.fullmatch(name)
        ]

    return complete


candidate_sets = _named("candidate_set", "select name from candidate_set order by 1")
label_sets = _named("label_set", "select name from label_set order by 1")
rounds = _named("round", "select name from round order by 1")
benchmarks = _named("benchmark", "select name from benchmark order by 1")


def views(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the views that begin with `incomplete`."""
    root = resources.directory("sql")
    found = sorted(
        path.stem
        for path in root.glob("*/**/*.sql")
        if path.relative_to(root).parts[0] not in ("statements", "checks")
        and path.stem.startswith(incomplete)
    )
    return [CompletionItem(name) for name in found]


def _rows(context: click.Context, table: str, query: str) -> list[tuple[str, ...]]:
    """Return the rows of a query on one table of the store; none if it cannot be read now."""
    path = Path(context.find_root().params.get("db") or "")
    if not path.is_file():
        return []
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": "256MB",
    }
    with (
        contextlib.suppress(duckdb.Error),
        duckdb.connect(str(path), read_only=True, config=settings) as connection,
    ):
        # A view of this name would run a query by the store's maker. Nothing is bound, since DuckDB
        # would import pandas, and the lists are short.
        tables = connection.execute("select table_name from duckdb_tables() where not internal")
        if (table,) in tables.fetchall():
            return connection.execute(query).fetchmany(_MOST)
    return []
