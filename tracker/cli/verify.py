"""tracker verify: a store, a slate, a file of the log, an exported slate, or a published site."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tracker import scratch
from tracker.cli import completion, query, slate
from tracker.cli.common import Settings, progress
from tracker.cli.options import Sha256, listing_options
from tracker.cli.output import write_rows
from tracker.cli.terminal import say, say_command
from tracker.errors import CheckFailed, InputRefused

_FILES = ("a file of the log", "a checkpoint")
# The beginning of a signature's line, and the most bytes read of a file.
_SIGNED, _MOST_READ = "\n\N{EM DASH} ".encode(), 1_000_000


@click.command(
    epilog="Example: tracker verify site/",
    short_help="Verify a store, a slate, a proof, an export or a site.",
)
@click.argument("what", metavar="[WHAT]", required=False, shell_complete=completion.slates)
@click.option(
    "--vkey",
    "vkeys",
    metavar="VKEY",
    multiple=True,
    help="The verifier key of a checkpoint's log or of a witness, or its file; may be repeated.",
)
@click.option(
    "--sha256",
    type=Sha256(),
    metavar="HASH",
    help="The hash of manifest.json or of a slate that you were given elsewhere.",
)
@click.option(
    "--against",
    metavar="OLDER",
    help="An older copy of the site, or a head of its log: no slate may be missing since.",
)
@click.option(
    "--render",
    "is_drawn",
    is_flag=True,
    help="Draw the site again from the store and compare every byte.",
)
@listing_options
@click.pass_context
def verify(
    context: click.Context,
    what: str | None,
    vkeys: tuple[str, ...],
    sha256: str | None,
    against: str | None,
    form: str,
    output: Path | None,
    *,
    is_drawn: bool,
) -> None:
    """Verify that nothing was altered since it was frozen, sealed or published.

    \b
    WHAT is
      nothing        the store: its invariants, slates, timestamps and log
      a slate        its hash and its timestamps
      a folder       a published site, or a slate that was exported
      an address     a published site
      a file         a proof from the log, a head of it kept elsewhere, or a
                     checkpoint, with --vkey of its log and of its witnesses

    Exits with code 4 where something was altered; it is named. The options --sha256, --against and
    --render are for a site: of manifest.json, whose SHA-256 'tracker publish' prints, the hash
    fixes every byte; of a slate, its rows and downloads. Without, a site is only found consistent
    with itself. With 'tracker --db STORE' the store must have published it, or its log must begin
    with the checkpoint.
    """  # noqa: D301 (click's mark of lines that stay as they are)
    kind = kind_of(what)
    if kind != "site" and (sha256 or against or is_drawn):
        raise click.UsageError(f"--sha256, --against and --render are for a site, not for {kind}")
    if vkeys:
        if kind not in _FILES:
            raise click.UsageError(f"--vkey is for a checkpoint, not for {kind}")
        kind = "a checkpoint"
    if kind in ("site", *_FILES) and (form != "table" or output is not None):
        raise click.UsageError(f"--format and -o list slates or checks, not {kind}")
    listed: dict[str, Any] = {"form": form, "output": output}
    if kind == "site":
        _verify_site(context.obj, str(what), sha256, against, is_drawn=is_drawn)
    elif kind == "a checkpoint":
        _verify_checkpoint(context.obj, Path(str(what)), vkeys)
    elif kind == "a file of the log":
        _verify_file(context.obj, Path(str(what)))
    elif kind == "an exported slate":
        _verify_export(context.obj, Path(str(what)), form, output)
    elif kind == "a slate":
        context.invoke(slate.verify, slate_id=what, **listed)
    else:
        context.invoke(query.check, **listed)


def kind_of(what: str | None) -> str:
    """Return in words what will be verified; InputRefused for a folder that is neither."""
    if what is None:
        return "the store"
    if "://" in what:
        return "site"
    path = Path(what)
    if path.is_dir():
        if (path / "predictions.parquet").exists():
            return "an exported slate"
        if (path / "manifest.json").exists():
            return "site"
        raise InputRefused(f"{path}: is neither a published site nor an exported slate")
    if path.is_file() and _is_signed(path):
        return "a checkpoint"
    return "a file of the log" if path.exists() or path.suffix == ".json" else "a slate"


def _is_signed(path: Path) -> bool:
    """Whether a file has a signature's line, which no JSON by tracker has."""
    try:
        with path.open("rb") as handle:
            return _SIGNED in handle.read(_MOST_READ)
    except OSError:
        return False


def _verify_site(
    settings: Settings, site: str, sha256: str | None, against: str | None, *, is_drawn: bool
) -> None:
    """Verify a published site without relying on its scripts.

    Every file is compared with the site's manifest, every slate's hash with its published rows, and
    the register is checked: numbers without gaps, slates in the log, timestamps. `is_drawn` needs
    the version of tracker that published the site, and the store as it was then. Exits with code 4
    and the first differences, one per line.
    """
    from tracker.api import sites

    store = settings.db if settings.is_db_given or is_drawn else None
    with progress() as notify:
        done = sites.verify(site, sha256, notify, against, store, is_drawn=is_drawn)
    say("checked:", *(f"  {line}" for line in done.checked))
    say("not checked:", *(f"  {line}" for line in done.not_checked))
    for line, command in done.commands:
        say_command(f"  {line}", command)


def _verify_file(settings: Settings, file: Path) -> None:
    """Verify a proof, which needs no store, or compare an earlier head with this store's log.

    Raises CheckFailed if the proof does not hold or the log does not begin with the head.
    """
    with progress() as notify, settings.opened(notify, from_rows=True) as opened:
        lines = opened.log.verify(file)
        different = opened.different() if settings.db.exists() else []
    if different:
        raise CheckFailed("\n".join(different))
    say(*lines)


def _verify_checkpoint(settings: Settings, file: Path, vkeys: tuple[str, ...]) -> None:
    """Verify a checkpoint's signatures; with 'tracker --db STORE', also that it is its log's."""
    from tracker.api.log import verify_checkpoint

    with progress() as notify, settings.opened(notify) as opened:
        # Users verify mostly checkpoints of other logs than that of their own store.
        lines = verify_checkpoint(file, vkeys, opened if settings.is_db_given else None)
    say(*lines)


def _verify_export(settings: Settings, folder: Path, form: str, output: Path | None) -> None:
    """Import a slate into a temporary store: an import verifies it, and recomputes its hash."""
    with (
        progress("recomputing the hashes") as notify,
        scratch.folder() as place,
        replace(settings, db=place / "store.duckdb").opened(notify, write=True) as opened,
    ):
        opened.import_folder(folder)
        rows = opened.hash_checks()
    write_rows(rows, form, output, settings)
    altered = [f"slate {n}: {found}" for n, _, found, _ in rows.values if found != "as frozen"]
    if altered:
        raise CheckFailed("\n".join(altered))
