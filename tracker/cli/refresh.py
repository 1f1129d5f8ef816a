"""tracker refresh and detect: from new releases to outcomes in the ledger."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from tracker import refresh as refreshing
from tracker import slates
from tracker.cli.common import Settings, format_option, progress
from tracker.evidence import detection
from tracker.report import coverage
from tracker.rows import Rows, plain, render, shown, to_json

_SOURCE_COLUMNS = ("kind", "origin", "status", "version", "released_on", "n_rows", "n_versions")


@click.command(epilog="Example: tracker refresh --config tracker.toml --dry-run")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=Path("tracker.toml"),
    show_default=True,
    help="Which sources to follow, and where their files appear.",
)
@click.option("--dry-run", is_flag=True, help="Report what is new and change nothing.")
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
@format_option()
@click.pass_context
def refresh(
    context: click.Context,
    config: Path,
    dry_run: bool,
    fail_if_unchanged: bool,
    log_format: str,
    form: str,
) -> None:
    """Ingest what is new, detect what happened, record it once.

    Made for a scheduler: a repeated run adds nothing, and the next run completes one that was
    killed. Exit code 3: a source was refused, the others were ingested; 4: an invariant was
    violated; 5: the store is busy; 1: the disk is full.
    """
    settings: Settings = context.obj
    given = context.find_root().get_parameter_source("db")
    done = refreshing.run(
        config,
        db=None if given is click.core.ParameterSource.DEFAULT else settings.db,
        dry_run=dry_run,
        wait=settings.wait,
        log=_log_json if log_format == "json" else _log_line,
    )
    click.echo(_rendered(done, form), nl=False)
    if fail_if_unchanged and done.is_unchanged and not done.exit_code:
        context.exit(refreshing.UNCHANGED_EXIT_CODE)
    context.exit(done.exit_code)


@click.command(epilog="Example: tracker detect 469bb270")
@click.argument("slate_id", metavar="[SLATE]", required=False)
@click.pass_obj
def detect(settings: Settings, slate_id: str | None) -> None:
    """Append the outcomes that ingested evidence shows, for one slate or for all.

    The last lines say how many of a slate's drugs and diseases the sources can see at all.
    """
    with progress() as notify, settings.writer() as connection:
        wanted = (
            [slates.find(connection, slate_id).slate_id]
            if slate_id
            else detection.all_slates(connection)
        )
        found = detection.detect(connection, wanted, progress=notify)
        seen = coverage.seen_counts(connection, wanted)
    for entry in found:
        click.echo(f"slate {str(entry.slate_id)[:8]}: {entry.n_outcomes:,} {entry.outcome_type}")
    if not found:
        click.echo("nothing new")
    for line in coverage.seen_lines(seen):
        click.echo(line)


def _rendered(done: refreshing.Refreshed, form: str) -> str:
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
            **{name: rows.records() for name, rows in named.items()},
            "coverage": [asdict(one) | {"slate_id": str(one.slate_id)} for one in done.coverage],
        }
        return to_json(document)
    parts = [render(rows, form) for rows in named.values() if rows.values]
    # CSV has one table, the sources; the outcomes are in the ledger.
    text = render(named["sources"], "csv") if form == "csv" else "\n".join(parts)
    lines = [*coverage.seen_lines(done.coverage), done.summary]
    return text if form == "csv" else text + "".join(f"{line}\n" for line in lines)


def _log_line(event: str, fields: dict[str, object]) -> None:
    words = [
        str(value) if name == "step" else f"{name} {value}"
        for name, value in fields.items()
        if value is not None
    ]
    for line in f"{event}: {', '.join(words)}".splitlines():
        click.echo(f"{_now()} {shown(line)}", err=True)


def _log_json(event: str, fields: dict[str, object]) -> None:
    known = {name: plain(value) for name, value in fields.items() if value is not None}
    click.echo(json.dumps({"at": _now(), "event": event, **known}), err=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
