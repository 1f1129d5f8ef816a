"""tracker refresh: from new releases to recorded outcomes, as a whole or step by step."""

from __future__ import annotations

import json
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.groups import Branching
from tracker.cli.options import listing_options, output_options
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say
from tracker.errors import CheckFailed, InputRefused
from tracker.rows import Rows, plain, shown

if TYPE_CHECKING:
    from tracker import refresh as refreshing

_TERMINAL_WIDTH = 80
_CONFIG = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=Path("tracker.toml"),
    show_default=True,
    help="Which sources and servers to follow, and where their files go.",
)


@click.group(
    cls=Branching,
    invoke_without_command=True,
    epilog="Example: tracker refresh --config tracker.toml --dry-run",
    short_help="Fetch, ingest, detect and record: the scheduled run.",
)
@_CONFIG
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
    from tracker import refresh as refreshing

    settings: Settings = context.obj
    with progress() as notify:
        done = refreshing.run(
            config,
            db=settings.chosen_db,
            dry_run=dry_run,
            offline=offline,
            wait=settings.wait,
            log=_log_json if log_format == "json" else _log_line,
            progress=notify,
        )
    write_output(done.text(form), output, settings)
    if fail_if_unchanged and done.is_unchanged and not done.exit_code:
        context.exit(refreshing.UNCHANGED_EXIT_CODE)
    context.exit(done.exit_code)


@refresh.command(
    epilog="Example: tracker refresh fetch --config tracker.toml",
    short_help="Download what is new from the servers of the sources.",
)
@click.argument("names", metavar="[SERVER]...", nargs=-1)
@_CONFIG
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
    from tracker import refresh as refreshing

    settings: Settings = context.obj
    with progress() as notify:
        done = refreshing.fetch(
            config,
            db=settings.chosen_db,
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
@_CONFIG
@click.option("--offline", is_flag=True, help="Ask no server.")
@listing_options
@click.pass_context
def doctor(
    context: click.Context, config: Path, offline: bool, form: str, output: Path | None
) -> None:
    """Check all that a refresh needs: store, disk, clock, files, servers, what it would do.

    Changes nothing. Each finding that is not ok names a remedy. Exit code 4: there is a problem.
    """
    from tracker import refresh as refreshing

    settings: Settings = context.obj
    with progress() as notify:
        found = refreshing.examine(
            config,
            settings.chosen_db,
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
    """Return a finding as lines that fit a terminal, with the remedy below it."""
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
    with progress() as notify, settings.opened(notify, write=True) as opened:
        lines = opened.detected(*([slate_id] if slate_id else []))
    say(*lines)


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
