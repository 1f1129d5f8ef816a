"""tracker refresh: from new releases to outcomes in the ledger, all at once or a step alone."""

from __future__ import annotations

import itertools
import json
import textwrap
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracker.cli import completion
from tracker.cli.common import (
    Branching,
    Settings,
    listing_options,
    output_options,
    progress,
    write_output,
    write_rows,
)
from tracker.cli.terminal import say
from tracker.errors import CheckFailed, InputRefused
from tracker.rows import Rows, plain, render, shown, to_json

if TYPE_CHECKING:
    from tracker.extras import refresh as refreshing

_TERMINAL_WIDTH = 80
_SOURCE_COLUMNS = ("kind", "origin", "status", "version", "released_on", "n_rows", "n_versions")


@click.group(
    cls=Branching,
    invoke_without_command=True,
    epilog="Example: tracker refresh --config tracker.toml --dry-run",
    short_help="Fetch, ingest, detect and record: the scheduled run.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=Path("tracker.toml"),
    show_default=True,
    help="Which sources to follow, and where their files appear.",
)
@click.option(
    "--dry-run", is_flag=True, help="Report which files are new; fetch and change nothing."
)
@click.option("--offline", is_flag=True, help="Ask no server; ingest what is there.")
@click.option(
    "--fail-if-unchanged", is_flag=True, help="Exit with 6 if there was nothing new to do."
)
@click.option(
    "--log-format",
    type=click.Choice(["lines", "json"]),
    default="lines",
    show_default=True,
    help="How progress is logged to stderr.",
)
@output_options()
@click.pass_context
def refresh(
    context: click.Context,
    config: Path,
    dry_run: bool,
    offline: bool,
    fail_if_unchanged: bool,
    log_format: str,
    form: str,
    output: Path | None,
) -> None:
    """Fetch and ingest what is new, detect what happened, record it once.

    If the configuration names timestamping authorities, slates without a timestamp get one, and so
    does the log. Made for a scheduler: a repeated run adds nothing, and the next run completes one
    that was killed. Exit code 3: a source was refused, the others were ingested, and the same file
    will not be reported again, or a server gave nothing; 4: an invariant was violated; 5: the store
    is busy; 1: the disk is full.
    """
    from tracker.extras import refresh as refreshing

    settings: Settings = context.obj
    given = context.find_root().get_parameter_source("db")
    with progress() as notify:
        done = refreshing.run(
            config,
            db=None if given is click.core.ParameterSource.DEFAULT else settings.db,
            dry_run=dry_run,
            offline=offline,
            wait=settings.wait,
            log=_log_json if log_format == "json" else _log_line,
            progress=notify,
        )
    write_output(_rendered(done, form), output, settings)
    if fail_if_unchanged and done.is_unchanged and not done.exit_code:
        context.exit(refreshing.UNCHANGED_EXIT_CODE)
    context.exit(done.exit_code)


@refresh.command(
    epilog="Example: tracker refresh fetch --config tracker.toml",
    short_help="Download what is new from the servers of the sources.",
)
@click.argument("names", metavar="[SERVER]...", nargs=-1)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=Path("tracker.toml"),
    show_default=True,
    help="Which servers to ask, and where files go.",
)
@listing_options
@click.pass_context
def fetch(
    context: click.Context,
    names: tuple[str, ...],
    config: Path,
    form: str,
    output: Path | None,
) -> None:
    """Fetch what is new from the servers in the configuration, without ingesting it.

    SERVER is chembl, clinicaltrials, openfda, drugsfda, mondo, efo, doid or mesh; without one, all
    that the configuration names are asked. An interrupted download is continued by the next run.
    Exit code 3: a server did not deliver; the others were asked.
    """
    from tracker.extras import refresh as refreshing

    settings: Settings = context.obj
    given = context.find_root().get_parameter_source("db")
    with progress() as notify:
        done = refreshing.fetch(
            config,
            db=None if given is click.core.ParameterSource.DEFAULT else settings.db,
            only=names,
            wait=settings.wait,
            log=_log_line,
            progress=notify,
        )
    columns = ["kind", "origin", "status", *([] if form == "table" else ["problem"])]
    rows = [tuple(getattr(one, name) for name in columns) for one in done]
    write_rows(Rows(columns, rows), form, output, settings)
    if any(one.problem for one in done):
        context.exit(InputRefused.exit_code)


@refresh.command(
    epilog="Example: tracker refresh doctor --offline",
    short_help="Check what a refresh needs: store, disk, clock, servers.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=Path("tracker.toml"),
    show_default=True,
    help="The configuration of the refresh.",
)
@click.option("--offline", is_flag=True, help="Ask no server.")
@listing_options
@click.pass_context
def doctor(
    context: click.Context, config: Path, offline: bool, form: str, output: Path | None
) -> None:
    """Check all that a refresh needs: store, disk, clock, files, servers, what it would do.

    Changes nothing. Each finding that is not ok names a remedy. Exit code 4: there is a problem.
    """
    from tracker.extras import refresh as refreshing

    settings: Settings = context.obj
    given = context.find_root().get_parameter_source("db")
    with progress() as notify:
        found = refreshing.examine(
            config,
            None if given is click.core.ParameterSource.DEFAULT else settings.db,
            offline=offline,
            progress=notify,
        )
    columns = ["check", "state", "finding", "remedy"]
    rows = [tuple(getattr(one, name) for name in columns) for one in found]
    if form == "table":
        write_output("".join(map(_diagnosis, found)), output, settings)
    else:
        write_rows(Rows(columns, rows), form, output, settings)
    if any(one.state == refreshing.PROBLEM for one in found):
        context.exit(CheckFailed.exit_code)


def _diagnosis(one: refreshing.Finding) -> str:
    """Return a finding as lines that fit a terminal, with what helps below it."""
    head = f"{one.state:8} {one.check}: "
    lines = textwrap.fill(f"{head}{shown(one.finding)}", _TERMINAL_WIDTH, subsequent_indent=" " * 9)
    if one.remedy is not None:
        lines += "\n" + textwrap.fill(
            shown(one.remedy),
            _TERMINAL_WIDTH,
            initial_indent=" " * 9 + "-> ",
            subsequent_indent=" " * 12,
        )
    return f"{lines}\n"


@refresh.command(
    epilog="Example: tracker refresh detect 469bb270",
    short_help="Record what the ingested evidence shows.",
)
@click.argument("slate_id", metavar="[SLATE]", required=False, shell_complete=completion.slates)
@click.pass_obj
def detect(settings: Settings, slate_id: str | None) -> None:
    """Append the outcomes that ingested evidence shows, for one slate or for all.

    The last lines state how many of a slate's drugs and diseases the sources can see at all.
    """
    from tracker import slates, store
    from tracker.evidence import detection
    from tracker.reports import coverage

    with progress() as notify, settings.opened(notify, write=True).writing() as connection:
        wanted = (
            [slates.find(connection, slate_id).slate_id]
            if slate_id
            else slates.all_slate_ids(connection)
        )
        began = store.now(connection)
        found = detection.detect(connection, wanted, progress=notify)
        n_corrected = detection.corrected(connection, began)
        seen = coverage.seen_counts(connection, wanted)
        total = detection.summed(connection, wanted, began) if found else None
    by_slate = itertools.groupby(found, key=lambda entry: entry.slate_id)
    for found_of, entries in by_slate:
        listed = ", ".join(f"{one.n_outcomes:,} {one.outcome_type}" for one in entries)
        say(f"slate {str(found_of)[:8]}: {listed}")
    if total is not None:
        say(total)
    if n_corrected:
        say(detection.corrected_words(n_corrected))
    elif not found:
        say("detection finished: no new events")
    for line in coverage.seen_lines(seen):
        say(line)


def _rendered(done: refreshing.Refreshed, form: str) -> str:
    from tracker.evidence import detection
    from tracker.reports import coverage

    sources = [tuple(getattr(found, name) for name in _SOURCE_COLUMNS) for found in done.sources]
    outcomes = [
        (str(entry.slate_id), entry.outcome_type, entry.n_outcomes) for entry in done.outcomes
    ]
    named = {
        "sources": Rows(list(_SOURCE_COLUMNS), sources),
        "outcomes": Rows(["slate_id", "outcome_type", "n_outcomes"], outcomes),
    }
    if form == "json":
        document = {
            "summary": done.summary,
            "is_dry_run": done.is_dry_run,
            "exit_code": done.exit_code,
            "problems": [found.problem for found in done.sources if found.problem],
            "notes": [f"{one.origin}: {note}" for one in done.sources for note in one.notes],
            "n_corrected": done.n_corrected,
            **{name: rows.records() for name, rows in named.items()},
            "coverage": [asdict(one) | {"slate_id": str(one.slate_id)} for one in done.coverage],
        }
        return to_json(document)
    if form == "table":
        named["sources"] = Rows(
            ["source", "status", "released", "rows", "new"],
            [
                (one.origin, one.status, one.released_on, one.n_rows, one.n_versions)
                for one in done.sources
            ],
        )
    parts = [render(rows, form) for rows in named.values() if rows.values]
    # CSV has one table, the sources; the outcomes are in the ledger.
    text = render(named["sources"], "csv") if form == "csv" else "\n".join(parts)
    notes = [f"{one.origin}: {note}" for one in done.sources for note in one.notes]
    if done.n_corrected:
        notes.append(detection.corrected_words(done.n_corrected))
    lines = [*notes, *coverage.seen_lines(done.coverage), done.summary]
    return text if form == "csv" else text + "".join(f"{line}\n" for line in lines)


def _log_line(event: str, fields: dict[str, object]) -> None:
    words = [
        str(value) if name == "step" else f"{name} {value}"
        for name, value in fields.items()
        if value is not None
    ]
    for line in f"{event}: {', '.join(words)}".splitlines():
        say(f"{_now()} {shown(line)}", err=True)


def _log_json(event: str, fields: dict[str, object]) -> None:
    known = {name: plain(value) for name, value in fields.items() if value is not None}
    click.echo(json.dumps({"at": _now(), "event": event, **known}), err=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
