"""Writes the reference pages from the code: the command line, the views of sql/, the tables.

MkDocs calls `on_files` as a hook at every build, so that the pages are never out of date and none
of them is checked in.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
import metric_pages
import sqlalchemy as sa
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sqlalchemy import Connection, text

from tracker import schema, store
from tracker.cli import main
from tracker.cli.commands import sections
from tracker.store import catalog, dictionary

_COLUMNS = text(
    "select table_name, column_name, data_type from duckdb_columns() "
    "where not internal and schema_name = 'main' order by table_name, column_index"
)
_CONTRACT = "docs/metrics.md#"


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to those of docs/."""
    from mkdocs.structure.files import File

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def pages() -> dict[str, str]:
    """Return each generated page's path below docs/ with its Markdown."""
    with tempfile.TemporaryDirectory() as folder, store.writer(Path(folder) / "s.db") as connection:
        sql = {path: "\n".join(lines) for path, lines in _sql_pages(connection)}
    return {
        "reference/cli.md": "\n".join(_cli_page()),
        **sql,
        "reference/data-model.md": "\n".join(_data_model_page()),
        "reference/dependencies.md": "\n".join(_dependencies_page()),
    }


def runtime_licences() -> dict[str, str]:
    """Return what tracker installs with itself, by normalised name, and under which licence."""
    names: list[str] = ["slate-tracker"]
    for name in names:
        for line in metadata.requires(name) or []:
            requirement = Requirement(line)
            needed = canonicalize_name(requirement.name)
            is_needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if is_needed and needed not in names:
                names.append(needed)
    return {name: _licence(name) for name in sorted(names[1:])}


def _licence(name: str) -> str:
    """Return an SPDX expression, or the words that a package has in its place."""
    about = metadata.metadata(name)
    prefix = "License :: OSI Approved :: "
    classified = [
        line.removeprefix(prefix)
        for line in about.get_all("Classifier") or []
        if line.startswith(prefix)
    ]
    return about["License-Expression"] or ", ".join(classified) or about["License"] or "unknown"


def _dependencies_page() -> Iterator[str]:
    yield "# Dependencies and licences\n"
    yield (
        "Generated from the installed packages: what `pip install .` in a checkout brings with it. "
        "The versions that were tested, with their hashes, are in `requirements.lock`.\n"
    )
    yield from _table(
        ("package", "version", "licence"),
        (
            (f"`{name}`", metadata.version(name), _cell(licence))
            for name, licence in runtime_licences().items()
        ),
    )


def _cli_page() -> Iterator[str]:
    # Its words are on many pages: in the search, a command comes before what mentions it.
    yield "---\nsearch:\n  boost: 2\n---\n"
    yield "# Command line\n"
    yield "Generated from the commands' own help. Every command accepts `--help`.\n"
    yield from _command(main, click.Context(main, info_name="tracker"), level=2)


def _command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    path = context.command_path
    yield f"{'#' * level} `{path}` {{#{path.replace(' ', '-')}}}\n"
    yield f"{_plain(cleandoc(command.help or ''))}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{path} {usage}\n```\n"
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    yield from _table(
        ("option", "meaning"),
        ((f"`{record[0]}`", _cell(record[1])) for record in records if record is not None),
    )
    if command.epilog:
        yield f"Example:\n\n```text\n{command.epilog.removeprefix('Example: ')}\n```\n"
    if command is main:
        for title, names in sections(main.list_commands(context)).items():
            yield f"{'#' * level} {title}\n"
            yield from _children(main, names, context, level + 1)
    elif isinstance(command, click.Group):
        yield from _children(command, command.list_commands(context), context, min(level + 1, 4))


def _children(
    group: click.Group, names: Iterable[str], context: click.Context, level: int
) -> Iterator[str]:
    for name in names:
        child = group.get_command(context, name)
        if child is not None:
            inner = click.Context(child, parent=context, info_name=name)
            yield from _command(child, inner, level)


def _sql_pages(connection: Connection) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the overview of the views and checks, and a page for the views of each topic."""
    columns: dict[str, list[tuple[str, str]]] = {}
    for row in connection.execute(_COLUMNS):
        columns.setdefault(row.table_name, []).append((row.column_name, row.data_type))
    topics = _topics()
    yield "reference/sql.md", _sql_overview(topics)
    for (name, title), views in topics.items():
        yield f"reference/sql/{name}.md", _views_page(title, views, columns)


def _topics() -> dict[tuple[str, str], list[catalog.View]]:
    """Return the views of each topic, by its name in paths and title, in the contract's order."""
    contract = (Path(__file__).parent / metric_pages.CONTRACT).read_text(encoding="utf-8")
    found: dict[str, list[catalog.View]] = {}
    for view in catalog.read_views():
        cited = re.search(re.escape(_CONTRACT) + r"([\w-]+)", " ".join(view.header.values()))
        found.setdefault(cited[1] if cited else "audit-aids", []).append(view)
    topics: dict[tuple[str, str], list[catalog.View]] = {}
    for anchor in sorted(found, key=lambda anchor: contract.index(f"{{#{anchor}}}")):
        topics.setdefault(metric_pages.topic(contract, anchor), []).extend(found[anchor])
    return topics


def _views_page(
    title: str, views: list[catalog.View], columns: dict[str, list[tuple[str, str]]]
) -> Iterator[str]:
    meaning = dictionary.columns()
    yield f"# SQL: {title}\n"
    for view in views:
        yield f"## {view.name} {{#{view.name}}}\n"
        yield from _header(view)
        yield from _table(
            ("column", "type", "meaning", "unit"),
            (
                (f"`{name}`", f"`{kind}`", *map(_cell, (meaning[name].meaning, meaning[name].unit)))
                for name, kind in columns[view.name]
            ),
        )


def _sql_overview(topics: dict[tuple[str, str], list[catalog.View]]) -> Iterator[str]:
    yield "# SQL views and checks\n"
    yield (
        "Generated from the headers of the files in `sql/`, and from `sql/columns.csv`, which says "
        "what each column means, in a store as comments on the columns, too. **Results**, in bold, "
        "are public interface: their names, columns and grain, which "
        "[Metrics](../metrics.md) defines. A store has them in the schema `results` as well, "
        "without the steps by which they are computed; a step may change without a note. `tracker "
        "view NAME` prints the same, and the view's SQL.\n"
    )
    for (name, title), views in topics.items():
        yield f"## {title} {{#section-{name}}}\n"
        yield from _table(
            ("view", "what it has"),
            ((_entry(view, f"sql/{name}.md"), _cell(view.header["Title"])) for view in views),
        )
    yield "## sql/checks {#section-checks}\n"
    yield (
        "Invariants. A check returns the rows that violate it. Those marked `write` run before a "
        "writing command's changes are kept; `tracker check` runs all of them.\n"
    )
    yield from _table(
        ("check", "invariant", "runs", "grain"),
        (
            (
                f"`{check.name}`",
                _cell(check.header["Title"]),
                check.header["When"],
                f"`{check.header['Grain']}`",
            )
            for check in catalog.read_checks()
        ),
    )


def _entry(view: catalog.View, page: str) -> str:
    """Return the link to a view, in bold of a result."""
    link = f"[`{view.name}`]({page}#{view.name})"
    return f"**{link}**" if view.topic else link


def _header(view: catalog.View) -> Iterator[str]:
    yield f"**{_plain(view.header['Title'])}**\n"
    for key, value in view.header.items():
        if key == "Title":
            continue
        shown = f"`{value}`" if key == "Grain" else _linked(_plain(value))
        yield f"- {key}: {shown}"
    yield ""


def _linked(source: str) -> str:
    """Turn citations of docs/metrics.md into links from a page in docs/reference/sql/."""
    return re.sub(
        re.escape(_CONTRACT) + r"([\w\\-]+)",
        lambda found: f"[metrics]({'../../metrics.md#' + found[1].replace(chr(92), '')})",
        source,
    )


def _data_model_page() -> Iterator[str]:
    yield "# Data model\n"
    yield (
        "Generated from `tracker/schema/`. Tables hold facts; every definition is a view "
        "(see [SQL views](sql.md)). Slates, submissions, evidence and outcomes are appended and "
        "never updated or deleted. Instants are stored in UTC.\n"
    )
    for name in sorted(schema.metadata.tables):
        table = schema.metadata.tables[name]
        yield f"## {name} {{#{name}}}\n\n{_plain(table.comment or '')}.\n"
        yield from _table(
            ("column", "type", "meaning", "unit", "may be NULL", "key or reference"),
            (
                (
                    f"`{column.name}`",
                    f"`{column.type}`",
                    _cell(dictionary.columns()[column.name].meaning),
                    _cell(dictionary.columns()[column.name].unit),
                    "yes" if column.nullable else "no",
                    _keys(column),
                )
                for column in table.columns
            ),
        )
        checks = [
            str(constraint.sqltext)
            for constraint in table.constraints
            if isinstance(constraint, sa.CheckConstraint)
        ]
        yield from (f"- check: `{check}`" for check in sorted(checks))
        yield ""


def _keys(column: sa.Column[Any]) -> str:
    parts = ["primary key"] if column.primary_key else []
    for key in column.foreign_keys:
        target = key.column
        parts.append(f"[{target.table.name}.{target.name}](#{target.table.name})")
    return ", ".join(parts)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if lines:
        yield "\n".join([f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines, ""])


def _cell(words: str) -> str:
    return _plain(" ".join(words.split()))


def _plain(words: str) -> str:
    """Escape what Markdown would read as markup."""
    return re.sub(r"([\\`*_|<>\[\]{}])", r"\\\1", words)
