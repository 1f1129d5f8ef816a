"""tracker demo: the whole pipeline on the bundled fictional worlds."""

import contextlib
import errno
import io
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from tracker import resources
from tracker.cli import terminal
from tracker.cli.common import progress
from tracker.cli.options import folder_option
from tracker.errors import InputRefused, TrackerError
from tracker.progress import Progress


@dataclass(frozen=True)
class _Part:
    """A world in a store of its own: commands of tracker, and releases that appear in `incoming`.

    In a step, FIXTURES stands for the bundled folder of the world, CONFIG for the configuration.
    `looks` read the filled store, and run where their output is shown.
    """

    title: str
    fixtures: str
    store: str
    configuration: str
    incoming: str
    sources: tuple[tuple[str, str], ...]
    steps: tuple[str | tuple[str, ...], ...]
    looks: tuple[str, ...]

    def toml(self) -> str:
        """Return the configuration of its refreshes."""
        blocks = [
            f'[[source]]\nkind = "{kind}"\npath = "{self.incoming}/{pattern}"\n'
            for kind, pattern in self.sources
        ]
        return "\n".join([f'store = "{self.store}"\nsettle_seconds = 0\n', *blocks])


# This authority dates the slates in the exports.
_TRUST = "timestamp trust FIXTURES/authority.pem --name 'Demo Timestamping Authority (fictional)'"
# The imported slates were frozen before the later releases; the one frozen here awaits outcomes.
EVIDENCE = _Part(
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
        _TRUST,
        "slate import FIXTURES/spring_slate",
        "slate import FIXTURES/autumn_slate",
        "slate freeze --candidates world --labels known --min-score 0.3 "
        "--description 'Frozen by the demo'",
        ("chembl_92.db", "trials-2025-02-20.json"),
        "refresh --config CONFIG",
        ("chembl_93.db", "trials-2026-01-10.jsonl", "drugsatfda.zip"),
        "refresh --config CONFIG",
    ),
    looks=("slate verify", "check"),
)
# The demo's final page, and its slate.
_PAGE, _OF_PAGE = "report.html", "4be1"
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
        _TRUST,
        "slate import FIXTURES/lodestar_2024_09",
        "slate import FIXTURES/mirage_2024_09",
        "slate import FIXTURES/almanac_2024_09",
        "slate import FIXTURES/lodestar_2025_02",
        ("trials-2025-03-10.jsonl",),
        "refresh --config CONFIG",
        ("trials-2025-09-15.jsonl",),
        "refresh --config CONFIG",
    ),
    # Later failures, outcomes that do not count, and near-known pairs.
    looks=(f"report {_OF_PAGE} --section warnings --section enrichment_by_nearness",),
)
_PARTS = (EVIDENCE, _VERDICTS)
# Runs in a copy of the registry's store, after its slates have their verdicts.
_ROUND = _Part(
    title="A round: four teams answer one question",
    fixtures="registry/round",
    store="round.duckdb",
    configuration="",
    incoming="",
    sources=(),
    steps=(
        "timestamp trust FIXTURES/authority.pem --name 'Demo Round Authority (fictional)'",
        "round new autumn --candidates mirage --labels known --deadline 2024-09-02 --top-k 10 "
        "--labels-as-of 2024-09-01 --replay -o FOLDER/autumn",
        "round deposit autumn FIXTURES/meridian.tsr --team Meridian --model compass",
        "round deposit autumn FIXTURES/evergreen.tsr --team Evergreen --model common",
        "round deposit autumn FIXTURES/echo.tsr --team Echo --model again",
        "! round deposit autumn FIXTURES/tardy.tsr --team Tardy --model slow",
        "round reveal autumn FIXTURES/meridian.csv FIXTURES/evergreen.csv FIXTURES/echo.csv",
        "round close autumn",
    ),
    looks=("round board autumn", "round board autumn --format html -o FOLDER/round.html"),
)


# In the folder until all stores are filled, to mark an incomplete demo.
_UNFINISHED = "unfinished"


@click.command(
    epilog="Example: tracker demo -o elsewhere/",
    short_help="Run everything on fictional worlds; keeps its stores.",
)
@folder_option(
    default=Path("demo"),
    show_default=True,
    help="The folder for the stores, which stay there.",
)
@click.option("--full", is_flag=True, help="Show every command and what it prints.")
@click.option("--round", "with_round", is_flag=True, help="Then play a round of four teams.")
@click.pass_context
def demo(context: click.Context, folder: Path, full: bool, with_round: bool) -> None:
    """Run the whole pipeline on fictional worlds; four slates get their verdicts.

    Takes under two minutes. A second run only shows the verdicts again.
    """
    is_there = _is_there(folder)
    if is_there and full:
        raise InputRefused(
            f"{folder}: has the demo's stores already; --full makes them: choose another folder "
            "with --output"
        )
    if is_there:
        terminal.print_text(_verdicts(context, folder))
    else:
        _fill(context, folder, full)
    if with_round:
        _play(context, folder)
    terminal.say("", *_next(folder, is_there))


def _play(context: click.Context, folder: Path) -> None:
    """Play the round once, in a copy of the registry's store."""
    store, page = folder / _ROUND.store, folder / "round.html"
    terminal.say("", _ROUND.title, "=" * len(_ROUND.title), "")
    if page.exists():
        terminal.say(f"{page} is there already.")
        return
    for left in folder.glob(f"{_ROUND.store}*"):
        left.unlink()
    shutil.rmtree(folder / "autumn", ignore_errors=True)
    shutil.copyfile(folder / _VERDICTS.store, store)
    for shown, printed in steps(context, folder, _ROUND):
        terminal.say(f"$ {shown}", *printed.rstrip("\n").split("\n"))
    terminal.say(f"Open {page} in a browser.")


def _fill(context: click.Context, folder: Path, full: bool) -> None:
    """Run all parts in a folder; print each step, or only the verdicts.

    A failure removes everything, since half a demo would obstruct the next one.
    """
    _prepare(folder)
    try:
        _run_parts(context, folder, full)
        report = ["report", _OF_PAGE, "--format", "html", "-o", str(folder / _PAGE)]
        _printed(context, ["--db", str(folder / _VERDICTS.store), *report], logs=False)
    except BaseException:
        _remove_parts(folder)
        raise
    (folder / _UNFINISHED).unlink()


def _run_parts(context: click.Context, folder: Path, full: bool) -> None:
    if full:
        for part in _PARTS:
            terminal.say(part.title, "=" * len(part.title), "")
            for shown, printed in steps(context, folder, part):
                terminal.say(f"$ {shown}", *printed.split("\n"))
        verdicts = _verdicts(context, folder)
    else:
        with progress("filling two stores, in under two minutes") as notify:
            for part in _PARTS:
                for _ in steps(context, folder, part, notify):
                    pass
            notify("tracker assess")
            verdicts = _verdicts(context, folder)
    terminal.print_text(verdicts)


def _verdicts(context: click.Context, folder: Path) -> str:
    words = ["--db", str(folder / _VERDICTS.store), "assess"]
    return f"$ tracker assess\n{_printed(context, words, logs=False)}"


def _remove_parts(folder: Path) -> None:
    """Remove what `_prepare` found absent, and the folder if nothing else is in it."""
    for part in _PARTS:
        shutil.rmtree(folder / part.incoming, ignore_errors=True)
        # A store has locks beside it.
        for path in (folder / part.configuration, *folder.glob(f"{part.store}*")):
            path.unlink(missing_ok=True)
    (folder / _PAGE).unlink(missing_ok=True)
    (folder / _UNFINISHED).unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()


def _next(folder: Path, is_there: bool) -> list[str]:
    """Return where the stores and the page are, and what to do with them."""
    where, program = shlex.quote(str(folder)), _program()
    return [
        f"The stores {'are already' if is_there else 'stay'} in {where}/. "
        f"Open {where}/{_PAGE} in a browser, or try:",
        f"  {program} --db {where}/{_VERDICTS.store} report {_OF_PAGE}",
        f"  {program} --db {where}/{EVIDENCE.store} outcome show 153",
        f"  {program} --db {where}/{_VERDICTS.store} publish -o {where}/site",
    ]


def _program() -> str:
    """Return how a shell calls this program, which may not be on the path."""
    called, found = Path(sys.argv[0]), shutil.which("tracker")
    if called.name != "tracker" or (
        found is not None and called.resolve() == Path(found).resolve()
    ):
        return "tracker"
    return shlex.quote(sys.argv[0])


def _is_there(folder: Path) -> bool:
    names = [part.store for part in _PARTS]
    return all((folder / name).is_file() for name in names) and not (folder / _UNFINISHED).exists()


def _prepare(folder: Path) -> None:
    try:
        if (folder / _UNFINISHED).exists():
            raise InputRefused(
                f"{folder}: has a demo that did not come to its end; remove the folder, or choose "
                "another one with --output"
            )
        folder.mkdir(parents=True, exist_ok=True)
        for part in _PARTS:
            for name in (part.store, part.incoming, part.configuration, _PAGE):
                if (folder / name).exists():
                    raise InputRefused(
                        f"{folder / name}: is already there; choose another folder with --output"
                    )
        (folder / _UNFINISHED).touch(exist_ok=False)
    except OSError as error:
        refusal = TrackerError if error.errno in (errno.ENOSPC, errno.EDQUOT) else InputRefused
        raise refusal(
            f"{folder}: cannot be created: {error.strerror}; choose another folder with --output"
        ) from error


def steps(
    context: click.Context, folder: Path, part: _Part, notify: Progress | None = None
) -> Iterator[tuple[str, str]]:
    """Run the steps of a part; yield each as a shell would show it, with its output.

    With `notify`, which is told of each step, logs are shown only on failure, and `looks` are
    skipped.
    """
    fixtures = resources.directory("fixtures") / part.fixtures
    for step in (*part.steps, *(part.looks if notify is None else ())):
        if isinstance(step, tuple):
            (folder / part.incoming).mkdir(exist_ok=True)
            (folder / part.configuration).write_text(part.toml(), encoding="utf-8")
            for name in step:
                shutil.copyfile(fixtures / name, folder / part.incoming / name)
            yield f"cp {' '.join(step)} {part.incoming}/", ""
            continue
        is_refused, step = step.startswith("! "), step.removeprefix("! ")
        shown = f"tracker {step.replace('FIXTURES/', '').replace('CONFIG', part.configuration)}"
        shown = shown.replace("FOLDER/", "")
        configuration = str(folder / part.configuration)
        words = [
            word.replace("FIXTURES", str(fixtures))
            .replace("CONFIG", configuration)
            .replace("FOLDER", str(folder))
            for word in shlex.split(step)
        ]
        if notify is not None:
            notify(shown)
        words = ["--db", str(folder / part.store), *words]
        yield shown, _printed(context, words, notify is None, is_refused=is_refused)


def _printed(
    context: click.Context, words: list[str], logs: bool, *, is_refused: bool = False
) -> str:
    """Run a command and return its output; exit if it fails, or succeeds where `is_refused`."""
    printed, logged = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(logged) if is_refused or not logs else contextlib.nullcontext(),
    ):
        # The command prints its own error; main returns its exit code.
        code = context.find_root().command.main(words, prog_name="tracker", standalone_mode=False)
    if bool(code) != is_refused:
        click.echo(printed.getvalue() + logged.getvalue(), nl=False, err=True)
        context.exit(code or 1)
    return printed.getvalue() + (logged.getvalue() if is_refused else "")
