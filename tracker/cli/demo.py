"""tracker demo: the whole pipeline on the bundled fictional worlds."""

import errno
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import click

from tracker import resources, scratch
from tracker.errors import InputRefused, TrackerError


@dataclass(frozen=True)
class _Part:
    """A world in a store of its own: commands of tracker, and releases that appear in `incoming`.

    FIXTURES in a step stands for the bundled folder of the world, CONFIG for the configuration.
    """

    title: str
    fixtures: str
    store: str
    configuration: str
    incoming: str
    sources: tuple[tuple[str, str], ...]
    steps: tuple[str | tuple[str, ...], ...]

    def toml(self) -> str:
        """Return the configuration of its refreshes."""
        blocks = [
            f'[[source]]\nkind = "{kind}"\npath = "{self.incoming}/{pattern}"\n'
            for kind, pattern in self.sources
        ]
        return "\n".join([f'store = "{self.store}"\nsettle_seconds = 0\n', *blocks])


# The imported slates were frozen before the releases that follow; the one frozen here still awaits
# its outcomes.
_EVIDENCE = _Part(
    title="A small world: evidence of three sources",
    fixtures="world",
    store="demo.duckdb",
    configuration="tracker.toml",
    incoming="incoming",
    sources=(
        ("chembl", "chembl_*.db"),
        ("trials", "trials-*.json*"),
        ("fda", "drugsatfda.zip"),
    ),
    steps=(
        "load candidates FIXTURES/candidates.csv --set world --model fable-1",
        "load labels FIXTURES/labels.csv --set known",
        "ingest chembl FIXTURES/chembl_91.db",
        "slate import FIXTURES/spring_slate",
        "slate import FIXTURES/autumn_slate",
        "slate freeze --candidates world --labels known --description 'Frozen by the demo'",
        ("chembl_92.db", "trials-2025-02-20.json"),
        "refresh --config CONFIG",
        ("chembl_93.db", "trials-2026-01-10.jsonl", "drugsatfda.zip"),
        "refresh --config CONFIG",
        "slate verify",
        "check",
    ),
)
_VERDICTS = _Part(
    title="A larger registry: four slates and their verdicts",
    fixtures="registry",
    store="registry.duckdb",
    configuration="registry.toml",
    incoming="registry",
    sources=(("trials", "trials-*.jsonl"),),
    steps=(
        "load candidates FIXTURES/lodestar.parquet --set lodestar --model lodestar-1",
        "load candidates FIXTURES/mirage.parquet --set mirage --model mirage-1",
        "load candidates FIXTURES/almanac.parquet --set almanac --model almanac-1",
        "load labels FIXTURES/labels.csv --set known",
        "ingest vocabulary FIXTURES/diseases.obo",
        "slate import FIXTURES/lodestar_2024_09",
        "slate import FIXTURES/mirage_2024_09",
        "slate import FIXTURES/almanac_2024_09",
        "slate import FIXTURES/lodestar_2025_02",
        ("trials-2025-03-10.jsonl",),
        "refresh --config CONFIG",
        ("trials-2025-09-15.jsonl",),
        "refresh --config CONFIG",
        "assess",
    ),
)
_PARTS = (_EVIDENCE, _VERDICTS)


@click.command(epilog="Example: tracker demo --keep demo/")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the store in this folder (default: a temporary one, removed at the end).",
)
@click.pass_context
def demo(context: click.Context, keep: Path | None) -> None:
    """Run the whole pipeline on fictional worlds; four slates get their verdicts."""
    with scratch.folder() as private:
        folder = keep or private
        _prepare(folder)
        for part in _PARTS:
            _run(context, folder, part)
    where = shlex.quote(str(keep or "demo"))
    click.echo("\nTry next:")
    if keep is None:
        click.echo("  tracker demo --keep demo        keep the stores to query them yourself")
    click.echo(f"  tracker --db {where}/{_VERDICTS.store} report 4be1 --format html -o works.html")
    click.echo(f"  tracker --db {where}/{_VERDICTS.store} assess d58f")
    click.echo(f"  tracker --db {where}/{_VERDICTS.store} sql 'from enrichment_vs_matched'")
    click.echo(f"  tracker --db {where}/{_EVIDENCE.store} report 5c9f")
    click.echo(f"  tracker --db {where}/{_EVIDENCE.store} outcome show 153")
    click.echo("  tracker load candidates --help  start with your own predictions")


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part in _PARTS:
            for name in (part.store, part.incoming, part.configuration):
                if (folder / name).exists():
                    raise InputRefused(f"{folder / name}: is already there; choose another folder")
    except OSError as error:
        refusal = TrackerError if error.errno in (errno.ENOSPC, errno.EDQUOT) else InputRefused
        raise refusal(f"{folder}: cannot be made a folder: {error.strerror}") from error


def _run(context: click.Context, folder: Path, part: _Part) -> None:
    fixtures = resources.directory("fixtures") / part.fixtures
    group = context.find_root().command
    click.echo(f"\n{part.title}\n{'=' * len(part.title)}")
    for step in part.steps:
        if isinstance(step, tuple):
            click.echo(f"\n$ cp {' '.join(step)} {part.incoming}/")
            (folder / part.incoming).mkdir(exist_ok=True)
            (folder / part.configuration).write_text(part.toml(), encoding="utf-8")
            for name in step:
                shutil.copyfile(fixtures / name, folder / part.incoming / name)
            continue
        shown = step.replace("FIXTURES/", "").replace("CONFIG", part.configuration)
        click.echo(f"\n$ tracker {shown}")
        arguments = [
            word.replace("FIXTURES", str(fixtures)).replace(
                "CONFIG", str(folder / part.configuration)
            )
            for word in shlex.split(step)
        ]
        words = ["--db", str(folder / part.store), *arguments]
        # The command has printed its own error; main returns its exit code.
        if code := group.main(words, prog_name="tracker", standalone_mode=False):
            context.exit(code)
