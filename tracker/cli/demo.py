"""tracker demo: the whole pipeline on the bundled fictional world."""

import errno
import shlex
import shutil
from pathlib import Path

import click

from tracker import resources, scratch
from tracker.errors import InputRefused, TrackerError

_STORE = "demo.duckdb"
_INCOMING = "incoming"
_CONFIGURATION = f"""store = "{_STORE}"
settle_seconds = 0

[[source]]
kind = "chembl"
path = "{_INCOMING}/chembl_*.db"

[[source]]
kind = "trials"
path = "{_INCOMING}/trials-*.json*"

[[source]]
kind = "fda"
path = "{_INCOMING}/drugsatfda.zip"
"""

# The demo: commands of tracker, and releases that appear. WORLD stands for the bundled folder,
# FOLDER for the demo's own. The imported slates were frozen in 2025, before the releases that
# follow; the one frozen here still awaits its outcomes.
_STEPS = (
    "load candidates WORLD/candidates.csv --set world --model fable-1",
    "load labels WORLD/labels.csv --set known",
    "ingest chembl WORLD/chembl_91.db",
    "slate import WORLD/spring_slate",
    "slate import WORLD/autumn_slate",
    "slate freeze --candidates world --labels known --description 'Frozen by the demo'",
    ("chembl_92.db", "trials-2025-02-20.json"),
    "refresh --config FOLDER/tracker.toml",
    ("chembl_93.db", "trials-2026-01-10.jsonl", "drugsatfda.zip"),
    "refresh --config FOLDER/tracker.toml",
    "slate verify",
    "check",
    "report 5c9f --population all",
)


@click.command(epilog="Example: tracker demo --keep demo/")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the store in this folder (default: a temporary one, removed at the end).",
)
@click.pass_context
def demo(context: click.Context, keep: Path | None) -> None:
    """Run the whole pipeline on a small fictional world and print its report."""
    with scratch.folder() as private:
        folder = keep or private
        _prepare(folder)
        _run(context, folder)
    where = f"--db {shlex.quote(str(folder / _STORE))} " if keep else ""
    click.echo("\nTry next:")
    if keep is None:
        click.echo("  tracker demo --keep demo               keep the store to query it yourself")
        where = "--db demo/demo.duckdb "
    click.echo(f"  tracker {where}report a07e --window prospective")
    click.echo(f"  tracker {where}outcome list 5c9f")
    click.echo(f"  tracker {where}outcome show 153")
    click.echo(f"  tracker {where}sql 'from enrichment_vs_popularity'")
    click.echo("  tracker load candidates --help         start with your own predictions")


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (_STORE, _INCOMING, "tracker.toml"):
            if (folder / name).exists():
                raise InputRefused(f"{folder / name}: is already there; choose another folder")
    except OSError as error:
        refusal = TrackerError if error.errno in (errno.ENOSPC, errno.EDQUOT) else InputRefused
        raise refusal(f"{folder}: cannot be made a folder: {error.strerror}") from error


def _run(context: click.Context, folder: Path) -> None:
    world = resources.directory("fixtures") / "world"
    group = context.find_root().command
    for step in _STEPS:
        if isinstance(step, tuple):
            click.echo(f"\n$ cp {' '.join(step)} {_INCOMING}/")
            (folder / _INCOMING).mkdir(exist_ok=True)
            (folder / "tracker.toml").write_text(_CONFIGURATION, encoding="utf-8")
            for name in step:
                shutil.copyfile(world / name, folder / _INCOMING / name)
            continue
        click.echo(f"\n$ tracker {step.replace('WORLD/', '').replace('FOLDER/', '')}")
        arguments = [
            part.replace("WORLD", str(world)).replace("FOLDER", str(folder))
            for part in shlex.split(step)
        ]
        words = ["--db", str(folder / _STORE), *arguments]
        # The command has printed its own error; main returns its exit code.
        if code := group.main(words, prog_name="tracker", standalone_mode=False):
            context.exit(code)
