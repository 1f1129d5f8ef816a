"""tracker log: what was sealed when, and proofs of it for others."""

import json
from pathlib import Path

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import listing_options, output_option
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say
from tracker.cli.timestamp import obtain_timestamps, timestamp_options
from tracker.errors import InputRefused


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


@log.command(
    epilog="Example: tracker log stamp --token token.tsr",
    short_help="Timestamp the latest head (RFC 3161).",
)
@timestamp_options
@click.pass_obj
def stamp(
    settings: Settings, authorities: tuple[str, ...], token: Path | None, timeout: float
) -> None:
    """Have an authority sign that the latest head existed by now (RFC 3161).

    The token proves that everything the head covers had been written by then: slates, releases,
    events, figures. Only the head's hash is sent. Exit code 3: an authority gave no token.
    """
    obtain_timestamps(settings, lambda opened: opened.log.head_sha256, authorities, token, timeout)


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
    with progress() as notify, settings.opened(notify) as opened:
        proof = opened.log.prove(slate_id, since)
    write_output(json.dumps(proof, indent=2, ensure_ascii=False) + "\n", output, settings)


key_option = click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    required=True,
    help="The private key that signs, as 'tracker log key' made it.",
)


@log.command(
    epilog="Example: tracker log key team.example/tracker -o team.key",
    short_help="Make the key that signs checkpoints.",
)
@click.argument("name")
@click.option(
    "--output",
    "-o",
    "path",
    type=click.Path(path_type=Path),
    required=True,
    help="The file of the private key, which nobody else may read.",
)
def key(name: str, path: Path) -> None:
    """Make a private key of that NAME, and print the verifier key, which others need.

    NAME is also that of the log that it signs: one word, best an address of yours, which nothing
    visits. If the file has a key of that name already, its verifier key is printed again.
    """
    from tracker.api.log import make_key

    say(make_key(name, path))


@log.command(
    epilog="Example: tracker log checkpoint --key team.key -o checkpoint.txt",
    short_help="Sign the latest head, for witnesses.",
)
@key_option
@click.option(
    "--from",
    "since",
    type=click.Path(path_type=Path),
    metavar="CHECKPOINT",
    help="Prove also that the log has only grown since this checkpoint.",
)
@output_option
@click.pass_obj
def checkpoint(settings: Settings, key_file: Path, since: Path | None, output: Path | None) -> None:
    """Write the latest head as a signed checkpoint, the form of transparency logs (C2SP).

    A witness needs --from with the last checkpoint that it co-signed. The file is then what
    witnesses with a server take (c2sp.org/tlog-witness).
    """
    with progress() as notify, settings.opened(notify) as opened:
        text = opened.log.checkpoint(key_file, since)
    write_output(text, output, settings)


@log.command(
    epilog="Example: tracker log witness checkpoint.txt --vkey other.vkey --key team.key",
    short_help="Co-sign the checkpoint of another team.",
)
@click.argument("file", metavar="CHECKPOINT", type=click.Path(path_type=Path))
@click.option(
    "--vkey",
    metavar="VKEY",
    required=True,
    help="The verifier key of the log, or the file that has it.",
)
@key_option
@click.option(
    "--seen",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where the last checkpoint of each log is kept.  [default: the key's file with .seen]",
)
@output_option
@click.pass_obj
def witness(
    settings: Settings,
    file: Path,
    vkey: str,
    key_file: Path,
    seen: Path | None,
    output: Path | None,
) -> None:
    """Co-sign another team's checkpoint if its log has only grown since the last one seen.

    Exit code 4: the signature is not theirs, the log shrank, or it has another history than the
    one that was seen. Exit code 3: nothing proves that it only grew. Then nothing is signed. No
    store is needed. A witness that loses the folder of what it saw notices nothing: keep both.
    """
    from tracker.api.log import co_sign

    kept = seen or key_file.with_name(f"{key_file.name}.seen")
    if output is not None and output.resolve().is_relative_to(kept.resolve()):
        raise InputRefused(f"{output}: is in the folder of what was seen; choose another file")
    done = co_sign(file, vkey, key_file, kept, wait=settings.wait)
    write_output(str(done.note), output, settings)
    say(done.compared, err=True)
