"""tracker slate: freeze, prove, import, attach, list, show, export, register, verify."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion, freezing
from tracker.cli.common import Settings, progress
from tracker.cli.freezing import freeze_options
from tracker.cli.options import Instant, folder_to_write, listing_options, output_option
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say
from tracker.cli.timestamp import (
    obtain_timestamps,
    timestamp_options,
)
from tracker.errors import CheckFailed
from tracker.rows import to_json

_SLATE = click.argument("slate_id", metavar="SLATE", shell_complete=completion.slates)


@click.group(
    epilog="Example: tracker slate list", short_help="Freeze, list, move, prove and verify slates."
)
def slate() -> None:
    """Freeze slates of predictions, move them between stores, verify them."""


@slate.command(
    epilog="Example: tracker slate freeze --candidates whole --labels 2026q1 --description 'Q1'",
    short_help="Freeze the best candidates of each disease as a slate.",
)
@freeze_options
@click.pass_obj
def freeze(settings: Settings, /, **chosen: Any) -> None:
    """Freeze the best candidates of each disease as a slate and print its hash.

    The authorities of --prove, or else of the configuration, are asked for proof of the date. The
    freeze stands whether or not one answers; 'tracker slate prove' asks again.
    """
    freezing.freeze(settings, **chosen)


@slate.command(
    epilog="Example: tracker slate prove 469bb270 --token token.tsr",
    short_help="Timestamp a slate (RFC 3161).",
)
@_SLATE
@timestamp_options
@click.pass_obj
def prove(
    settings: Settings,
    slate_id: str,
    authorities: tuple[str, ...],
    token: Path | None,
    timeout: float,
) -> None:
    """Get proof that a slate was frozen by now: an authority's signed word on its SHA-256.

    Nothing but the hash is sent. A token is stored when it verifies against a trusted root; see
    'tracker timestamp list --roots'. Exit code 3: an authority gave none; the others were asked.
    """
    obtain_timestamps(
        settings,
        lambda opened: str(opened.slate(slate_id).facts["content_sha256"]),
        authorities,
        token,
        timeout,
    )


@slate.command(
    epilog="Example: tracker slate claim 469bb270 -o claim.json",
    short_help="Write a slate's hash, tokens, plan and verdict as one statement.",
)
@_SLATE
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@output_option
@click.pass_obj
def claim(settings: Settings, slate_id: str, as_of: datetime | None, output: Path | None) -> None:
    """Print what is claimed of a slate as one JSON (in-toto statement) for others to check.

    It has the hash of the predictions, the timestamps that date it, the plan and the verdict;
    docs/guides/rounds.md has a script of ten lines that checks it without tracker.
    """
    with progress() as notify, settings.opened(notify, as_of=as_of) as opened:
        notify("computing the views")
        made = opened.slate(slate_id).claim()
    write_output(to_json(made), output, settings)


@slate.command("import", epilog="Example: tracker slate import published/")
@click.argument("folder", type=click.Path(path_type=Path))
@click.pass_obj
def import_slate(settings: Settings, folder: Path) -> None:
    """Import a slate from an export or a published folder.

    A published folder contains registry.parquet, slates.json and, if any, outcomes.parquet.
    """
    with progress("reading the folder") as notify, settings.opened(notify, write=True) as opened:
        imported = opened.import_folder(folder)
    for entry in imported:
        state = "imported" if entry.is_new else "already stored:"
        say(
            f"{state} slate {entry.slate_id}: {entry.n_predictions:,} predictions "
            f"({entry.n_duplicates:,} duplicates set aside), {entry.n_outcomes:,} new outcomes"
        )
        say(*entry.tokens.proved)
        say(*entry.tokens.unchecked, err=True)
        if entry.n_foreign:
            say(
                f"{entry.n_foreign:,} outcomes of pairs outside the slate were set aside; to keep "
                "them, load its candidates, attach them with 'tracker slate attach' and import "
                "again",
                err=True,
            )
        if entry.attached:
            say(
                f"where it was exported, it had {' and '.join(entry.attached)} attached after the "
                "freeze; 'tracker slate attach' does so here",
                err=True,
            )


@slate.command(
    epilog="Example: tracker slate attach 5c9f4a52 --candidates world --labels known",
    short_help="Give candidates or labels to a slate that came without.",
)
@_SLATE
@click.option(
    "--candidates",
    metavar="SET",
    shell_complete=completion.candidate_sets,
    help="Every pair its model scored.",
)
@click.option(
    "--labels",
    metavar="SET",
    shell_complete=completion.label_sets,
    help="What was known at its freeze.",
)
@click.pass_obj
def attach(settings: Settings, slate_id: str, candidates: str | None, labels: str | None) -> None:
    """Give a slate that came without candidates or labels, such as a published one, those sets.

    The slate and its hash stay as they are, and a set is never replaced. Every report says which
    sets came after the freeze.
    """
    if candidates is None and labels is None:
        raise click.UsageError("give --candidates, --labels or both")
    with progress() as notify, settings.opened(notify, write=True) as opened:
        attached = opened.attach(slate_id, candidates=candidates, labels=labels)
        found = opened.slate(slate_id)
        warnings = found.attached
    for one in attached:
        done = "attached to" if one.is_new else "already the set of"
        say(f"{one.noun} '{one.name}' ({one.n_pairs:,} pairs): {done} slate {found.short}")
    say(*warnings, err=True)


@slate.command(
    "list",
    epilog="Example: tracker slate list --format csv",
    short_help="List the slates in the order of recording.",
)
@listing_options
@click.pass_obj
def list_slates(settings: Settings, form: str, output: Path | None) -> None:
    """List the slates, numbered in the order in which they were recorded."""
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.slates
    write_rows(rows, form, output, settings)


@slate.command(epilog="Example: tracker slate show 469bb270 --limit 10")
@completion.slate_argument
@click.option(
    "--limit", type=click.IntRange(min=1), help="Show only the first rows in tables and markdown."
)
@listing_options
@click.pass_obj
def show(
    settings: Settings, slate_id: str, limit: int | None, form: str, output: Path | None
) -> None:
    """Show a slate's predictions, disease by disease in order of rank."""
    with progress() as notify, settings.opened(notify) as opened:
        chosen = opened.slate(slate_id)
        rows, facts = chosen.frozen, chosen.facts
    if form == "table" and output is None:
        say(
            f"slate {chosen.short}: {facts['description'] or facts['model_version']}, frozen on "
            f"{facts['frozen_on']}",
            err=True,
        )
    write_rows(rows, form, output, settings, limit=limit)


@slate.command(
    epilog="Example: tracker slate export 469bb270 exported/",
    short_help="Write a slate for others to import or to check.",
)
@_SLATE
@folder_to_write
@click.pass_obj
def export(settings: Settings, slate_id: str, folder: Path) -> None:
    """Write a slate for others: to import, or to check with the script verify.py.

    That is predictions.parquet, outcomes.parquet and manifest.json; slate.txt, whose SHA-256 is the
    slate's; its place in the log, and its timestamps, if it has any, as openssl verifies them.
    """
    with progress("writing the slate") as notify, settings.opened(notify) as opened:
        chosen = opened.slate(slate_id)
        parameters = chosen.facts["parameters"]
        chosen.export(folder)
    say(f"wrote slate {chosen} to {folder.resolve()}")
    if until := parameters.get("embargo_until"):
        say(f"the slate is embargoed until {until}; an export has all of it", err=True)


@slate.command(
    epilog="Example: tracker slate register 469bb270 registration/",
    short_help="Write what proves a slate, without its predictions.",
)
@_SLATE
@folder_to_write
@click.pass_obj
def register(settings: Settings, slate_id: str, folder: Path) -> None:
    """Write what proves a slate, without its predictions, to deposit before they are shown.

    The folder has the plan, the hash, the slate's place in the log, tokens of authorities, and a
    script that checks them without tracker, also against an export that reveals the content later.
    """
    with progress("writing the registration") as notify, settings.opened(notify) as opened:
        chosen = opened.slate(slate_id)
        chosen.register(folder)
    say(f"wrote the registration of slate {chosen} to {folder.resolve()}")


@slate.command(
    epilog="Example: tracker slate verify",
    short_help="Recompute the hash of a slate, or of all.",
)
@click.argument("slate_id", metavar="[SLATE]", required=False, shell_complete=completion.slates)
@listing_options
@click.pass_obj
def verify(settings: Settings, slate_id: str | None, form: str, output: Path | None) -> None:
    """Recompute the hash of a slate, or of all, and verify its timestamps again, offline.

    The column proof says who vouches for the date of the freeze, if anybody does; see 'tracker
    slate prove'. Exit code 4: a row or a timestamp was altered; it is named.
    """
    with (
        progress("recomputing the hashes") as notify,
        settings.opened(notify, from_rows=True) as opened,
    ):
        rows = opened.hash_checks(slate_id)
        others = [] if slate_id else opened.timestamps.problems()
        others += opened.different()
    write_rows(rows, form, output, settings)
    broken = [f"slate {n}: {found}" for n, _, found, _ in rows.values if found != "as frozen"]
    if broken or others:
        raise CheckFailed("\n".join([*broken, *others]))
