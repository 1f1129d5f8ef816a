"""tracker timestamp: the trusted authorities and their tokens; options to ask authorities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracker.cli.common import Settings, progress
from tracker.cli.options import Command, Finite, listing_options
from tracker.cli.output import write_rows
from tracker.cli.terminal import say
from tracker.errors import InputRefused

if TYPE_CHECKING:
    from tracker.api.stores import Store
    from tracker.api.timestamps import Obtained


def timestamp_options(command: Command) -> Command:
    """Add --authority, --token and --timeout to a command that gets timestamps."""
    for option in (
        click.option(
            "--timeout",
            type=Finite(min=0.1, max=3_600),
            default=20,
            show_default=True,
            help="How many seconds to wait for an authority.",
        ),
        click.option(
            "--token",
            type=click.Path(path_type=Path),
            help="Use this openssl reply instead of asking an authority.",
        ),
        click.option(
            "--authority",
            "authorities",
            metavar="URL",
            multiple=True,
            help="Ask this authority (RFC 3161); may be repeated.  [default: DigiCert and Sectigo]",
        ),
    ):
        command = option(command)
    return command


# The configuration that names the authorities if no option does.
authorities_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Ask the authorities that this configuration names for timestamps.  [default: "
    "tracker.toml if it is there]",
)


def configuration_in(config: Path | None) -> Path | None:
    """Return the given configuration, or else the one in the working directory."""
    default = Path("tracker.toml")
    return default if config is None and default.exists() else config


def obtain_timestamps(
    settings: Settings,
    sha256_of: Callable[[Store], str],
    authorities: tuple[str, ...],
    token: Path | None,
    timeout: float,
) -> None:
    """Get tokens as the options say and store them; refuse at the end if an authority gave none."""
    if token is not None and authorities:
        raise click.UsageError("give --authority or --token, not both")
    # An absent or older store is refused, not made or upgraded.
    with progress() as notify, settings.opened(notify) as opened:
        sha256 = sha256_of(opened)
    obtained = stored_tokens(settings, sha256, authorities, token, timeout)
    problems = [one.problem for one in obtained if one.problem]
    if problems:
        raise InputRefused("\n".join(problems))


def stored_tokens(
    settings: Settings,
    sha256: str,
    authorities: tuple[str, ...],
    token: Path | None = None,
    timeout: float | None = None,
) -> list[Obtained]:
    """Get tokens of a hash, store them and print what they prove; return them and the failures."""
    from tracker.api import timestamps

    with progress() as notify, settings.opened(notify, write=True) as opened:
        obtained = timestamps.stored_tokens(opened, sha256, authorities, token, timeout)
    for one in obtained:
        if one.verified:
            say(timestamps.words(one))
    return obtained


@click.group(
    epilog="Example: tracker timestamp list",
    short_help="Trust timestamping authorities; list their tokens.",
)
def timestamp() -> None:
    """Trust timestamping authorities for the dates of slates; list their tokens."""


@timestamp.command(epilog="Example: tracker timestamp trust cacert.pem --name 'Our authority'")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", required=True, metavar="NAME", help="What to call the root here.")
@click.pass_obj
def trust(settings: Settings, file: Path, name: str) -> None:
    """Trust the root certificates in a PEM file for timestamps.

    Whoever has their keys can date anything: compare the SHA-256 with the one that the authority
    publishes. It stays in this store; slates that others export bring no trust with them.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        pinned = opened.timestamps.pin(file, name)
    for root, is_new in pinned:
        done = "trusted" if is_new else "trusted already:"
        say(f"{done} '{root.name}', SHA-256 {root.root_sha256}")


@timestamp.command(
    "list",
    epilog="Example: tracker timestamp list --roots",
    short_help="List the tokens, each with its slate and its root.",
)
@click.option("--roots", is_flag=True, help="List the trusted roots instead.")
@listing_options
@click.pass_obj
def list_timestamps(settings: Settings, roots: bool, form: str, output: Path | None) -> None:
    """List the tokens, each with its slate and its root, in the order in which they were stored.

    A token without a slate is of another hash; one without a root is no longer verified.
    """
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.timestamps.roots if roots else opened.timestamps.tokens
    write_rows(rows, form, output, settings)
