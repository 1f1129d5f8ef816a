"""tracker timestamps: which authorities are trusted, and what they stated."""

from pathlib import Path

import click

from tracker.cli.common import Settings, listing_options, write_rows


@click.group(epilog="Example: tracker timestamps list")
def timestamps() -> None:
    """Say which timestamping authorities are trusted; list their tokens."""


@timestamps.command(epilog="Example: tracker timestamps trust cacert.pem --name 'Our authority'")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", required=True, metavar="NAME", help="What to call the root here.")
@click.pass_obj
def trust(settings: Settings, file: Path, name: str) -> None:
    """Trust the root certificates in a PEM file for timestamps.

    Whoever has their keys can date anything: compare the SHA-256 with the one that the authority
    publishes. It stays in this store; slates that others export bring no trust with them.
    """
    from tracker import timestamps

    with settings.writer() as connection:
        pinned = timestamps.trust(connection, file, name)
    for root, is_new in pinned:
        done = "trusted" if is_new else "trusted already:"
        click.echo(f"{done} '{root.name}', SHA-256 {root.root_sha256}")


@timestamps.command("list", epilog="Example: tracker timestamps list --roots")
@click.option("--roots", is_flag=True, help="List the trusted roots instead.")
@listing_options
@click.pass_obj
def list_timestamps(settings: Settings, roots: bool, form: str, output: Path | None) -> None:
    """List the tokens, each with its slate and its root, in the order in which they were stored.

    A token without a slate is of another hash; one without a root is no longer verified.
    """
    from tracker import store
    from tracker.slates import proofs

    with store.reader(settings.db) as connection:
        rows = proofs.listed_roots(connection) if roots else proofs.listed(connection)
    write_rows(rows, form, output, settings)
