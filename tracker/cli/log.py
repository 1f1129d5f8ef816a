"""tracker log: what was sealed when, and proofs of it for others."""

from pathlib import Path

import click

from tracker.cli import completion
from tracker.cli.common import (
    Settings,
    listing_options,
    output_option,
    progress,
    write_output,
    write_rows,
)
from tracker.cli.terminal import say
from tracker.cli.timestamp import obtain_timestamps, timestamp_options
from tracker.errors import CheckFailed


@click.group(
    epilog="Example: tracker log list", short_help="Show the log of what was written, and prove it."
)
def log() -> None:
    """Show the log of what was written, and prove to others what is in it.

    Every command that writes seals its rows: their hashes become leaves of a Merkle tree (RFC
    9162), whose root is the head of the log. 'tracker check' compares the rows with it.
    """


@log.command(
    "list",
    epilog="Example: tracker log list",
    short_help="List the heads: when each was sealed, and its root.",
)
@listing_options
@click.pass_obj
def list_(settings: Settings, form: str, output: Path | None) -> None:
    """List the heads: when each was sealed, how many entries it covers, its root."""
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.log.rows()
    write_rows(rows, form, output, settings)


@log.command(
    epilog="Example: tracker log head -o head.json",
    short_help="Print the latest head, to be kept where the store is not.",
)
@output_option
@click.pass_obj
def head(settings: Settings, output: Path | None) -> None:
    """Print the latest head, one line of JSON, to be kept where the store is not.

    Only a head kept elsewhere reveals that a whole log was rewritten. Its SHA-256, by which it is
    timestamped, is that of the line with its line end, as sha256sum gives it.
    """
    with progress() as notify, settings.opened(notify) as opened:
        line = opened.log.head()
    write_output(f"{line}\n", output, settings)


@log.command(epilog="Example: tracker log stamp --token token.tsr")
@timestamp_options
@click.pass_obj
def stamp(
    settings: Settings, authorities: tuple[str, ...], token: Path | None, timeout: float
) -> None:
    """Get an authority's signed word that the latest head existed by now.

    It proves when everything that the head covers was written at the latest: slates, releases,
    events, figures. Nothing but the head's hash is sent. Exit code 3: an authority gave no token.
    """
    from tracker.slates import log_proofs

    obtain_timestamps(
        settings,
        lambda opened: log_proofs.latest_head(opened.connection).head_sha256,
        authorities,
        token,
        timeout,
    )


@log.command(
    epilog="Example: tracker log prove 5c9f4a52 --from head.json -o proof.json",
    short_help="Prove that a slate is in the log.",
)
@click.argument("slate_id", metavar="SLATE", shell_complete=completion.slates)
@click.option(
    "--from",
    "since",
    type=click.Path(path_type=Path),
    metavar="HEAD",
    help="Prove also that the log has only grown since the head in this file.",
)
@output_option
@click.pass_obj
def prove(settings: Settings, slate_id: str, since: Path | None, output: Path | None) -> None:
    """Prove that a slate is in the log: JSON that others verify without the store."""
    from tracker.slates import log_proofs

    with progress() as notify, settings.opened(notify) as opened:
        proof = opened.log.prove(slate_id, since)
    write_output(log_proofs.render(proof), output, settings)


@log.command(
    epilog="Example: tracker log verify proof.json",
    short_help="Verify a proof.",
    deprecated="Use 'tracker verify FILE'.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def verify(settings: Settings, file: Path) -> None:
    """Verify a proof, or compare a head kept elsewhere with the log of this store.

    Exit code 4 if the proof does not hold or the log does not begin with the head. A proof needs
    no store. 'tracker check' says whether the rows are still those of the log.
    """
    from tracker.slates import checking, log_proofs

    different: list[str] = []
    with progress() as notify, settings.opened(notify, from_rows=True) as opened:
        connection = opened.connection if settings.db.exists() else None
        lines = log_proofs.verify(connection, file)
        if connection is not None:
            different = checking.different(settings.db, connection, notify)
    if different:
        raise CheckFailed("\n".join(different))
    say(*lines)
