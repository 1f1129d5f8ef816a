"""tracker benchmark: define benchmarks, submit to them, score and rank, export and import."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracker.api.choices import FILES, OPTIONS, TRACKS, Track
from tracker.cli import benchmark_demo, completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import (
    Command,
    folder_to_write,
    listing_options,
    output_option,
    output_options,
    seed_option,
)
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say
from tracker.errors import CheckFailed
from tracker.rows import ReportFormat, to_csv

if TYPE_CHECKING:
    from tracker.api.benchmarks import Submitted

_FILE = click.Path(path_type=Path)
_SUBMISSION = click.argument("submission", type=click.IntRange(min=1))


def _definition_options(command: Command) -> Command:
    for name, hint in reversed(OPTIONS.items()):
        description, *taken = hint.__metadata__
        kind: click.ParamType[Any] = _FILE if name in FILES else click.STRING
        match taken:
            case [range() as numbers]:
                kind = click.IntRange(numbers[0], numbers[-1])
            case [words]:
                kind = click.Choice(words)
        flag = "--" + name.removeprefix("n_").replace("_", "-")
        metavar = "COL" if kind is click.STRING else None
        command = click.option(flag, name, type=kind, metavar=metavar, help=description)(command)
    return command


@click.group(
    epilog="Example: tracker benchmark demo ordinal",
    short_help="Score submissions against held-out truth.",
)
def benchmark() -> None:
    """Score frozen submissions against truth: regression, binary, ordinal, multilabel."""


@benchmark.command(
    epilog="Example: tracker benchmark define gdpa1 --preset gdpa1 --truth GDPa1.csv"
)
@click.argument("name")
@_definition_options
@click.pass_obj
def define(settings: Settings, /, **options: Any) -> None:
    """Define a benchmark from its truth, or from its items alone.

    Files are wide (a column per target) or long (item, target, value); multilabel: instance and
    label, one true label per row.
    """
    with progress("loading the files") as notify, settings.opened(notify, write=True) as opened:
        defined = opened.benchmark.define(**options)
    state = "defined" if defined.is_new else "already defined; nothing was added:"
    say(f"{state} {defined.kind} benchmark '{defined.name}': {defined.n_items:,} items")
    if defined.targets:
        say(f"targets: {', '.join(defined.targets)}")
    if not defined.has_truth:
        say("no truth yet: submissions are frozen now and scored when it is loaded")


@benchmark.command(
    epilog="Example: tracker benchmark truth assay measured.csv",
    short_help="Load the truth of a benchmark defined without one.",
)
@click.argument("name", shell_complete=completion.benchmarks)
@click.argument("file", type=_FILE)
@click.pass_obj
def truth(settings: Settings, name: str, file: Path) -> None:
    """Load the truth of a benchmark defined without one; its submissions can then be scored."""
    with progress("loading the truth") as notify, settings.opened(notify, write=True) as opened:
        loaded = opened.benchmark.truth(name, file)
    if loaded.is_new:
        say(f"loaded the truth of '{name}' for {loaded.n_items:,} items")
    else:
        say(f"the truth of '{name}' was already loaded from this file; nothing was added")


@benchmark.command(epilog="Example: tracker benchmark template gdpa1 -o submission.csv")
@click.argument("name", shell_complete=completion.benchmarks)
@output_option
@click.pass_obj
def template(settings: Settings, name: str, output: Path | None) -> None:
    """Print a submission to fill in as CSV: every item, empty values."""
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.benchmark.template(name)
    write_output(to_csv(rows.columns, rows.values), output, settings)
    if output:
        say(f"wrote {len(rows.values):,} items to {output}; fill in the empty columns")


@benchmark.command(
    epilog="Example: tracker benchmark submit gdpa1 ridge.csv --submitter Lab --track cv",
    short_help="Check a file of predictions and freeze it.",
)
@click.argument("name", shell_complete=completion.benchmarks)
@click.argument("file", type=_FILE)
@click.option("--submitter", required=True, metavar="WHO", help="Who submits.")
@click.option("--track", required=True, type=click.Choice(TRACKS), help="The track to submit to.")
@click.option("--code-revision", metavar="REV", help="The revision of the code that made it.")
@click.option("--model", metavar="NAME", help="The model that made it.")
@click.option("--model-version", metavar="VERSION", help="Its version.")
@click.option("--link", metavar="URL", help="Where it is described: http or https.")
@click.option("--license", "license_name", metavar="NAME", help="Its license.")
@click.option(
    "--trained-until",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The last day of its training data.",
)
@click.option(
    "--partial",
    "is_partial",
    is_flag=True,
    help="Accept missing items; the submission is then ranked only on targets that it completes.",
)
@click.pass_obj
def submit(
    settings: Settings,
    /,
    name: str,
    file: Path,
    license_name: str | None,
    **options: Any,
) -> None:
    """Check a file of predictions and freeze it, all of it or nothing.

    Every problem is named with its row and column; nothing is stored if there is one. What is said
    of the model is frozen too, and shown on leaderboards.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        submitted = opened.benchmark.submit(name, file, license=license_name, **options)
    _echo_frozen(submitted, "froze")


@benchmark.command(
    "import",
    epilog="Example: tracker benchmark import exported/",
    short_help="Freeze a submission that another store exported.",
)
@click.argument("folder", type=_FILE)
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=completion.benchmarks,
    help="The benchmark of this store; default: the one of the same name.",
)
@click.pass_obj
def import_submission(settings: Settings, folder: Path, benchmark: str | None) -> None:
    """Freeze a submission exported from another store, if its content has the hash it states.

    Its values pass the gate again. The date of its first freeze stays a claim and is named as such.
    """
    with progress("reading the export") as notify, settings.opened(notify, write=True) as opened:
        submitted = opened.benchmark.import_export(folder, benchmark=benchmark)
    _echo_frozen(submitted, "imported")


def _echo_frozen(submitted: "Submitted", done: str) -> None:
    """Print the result of a submission, with notes and warnings on standard error."""
    if not submitted.is_new:
        say(
            f"this file is already submission {submitted.submission_id} of this submitter; "
            "nothing was added"
        )
        return
    say(f"{done} submission {submitted.submission_id}: {submitted.n_values:,} values")
    say(f"SHA-256 {submitted.content_sha256}")
    say(*(f"note: {note}" for note in submitted.notes), err=True)
    say(*(f"warning: {one}" for one in submitted.warnings), err=True)
    if not submitted.has_truth:
        say("the benchmark has no truth yet; the submission is scored once it has")


@benchmark.command(
    epilog="Example: tracker benchmark score 1 --format json",
    short_help="Show every metric of a submission.",
)
@_SUBMISSION
@click.option("--curves", is_flag=True, help="Show the points of the curves as well.")
@output_options("html")
@click.pass_obj
def score(
    settings: Settings, submission: int, curves: bool, form: ReportFormat, output: Path | None
) -> None:
    """Show every metric of a submission, with the reason where there is none.

    The format html is a page with the curves.
    """
    from tracker.api.benchmarks import render_score

    with progress("scoring") as notify, settings.opened(notify) as opened:
        made = opened.benchmark.score(submission, curves=curves or form == "html")
        notes = opened.benchmark.notes(submission)
    if form == "html":
        write_output(made.text(form), output, settings)
        return
    say(*(f"note: {note}" for note in notes), err=True)
    say(*(f"warning: {one}" for one in made.warnings[len(notes) :]), err=True)
    write_output(render_score(made.content.sections, form), output, settings)


@benchmark.command(epilog="Example: tracker benchmark estimate 1")
@_SUBMISSION
@seed_option
@click.pass_obj
def estimate(settings: Settings, submission: int, seed: int) -> None:
    """Compute intervals of a submission's figures, and store them."""
    with progress("resampling") as notify, settings.opened(notify, write=True) as opened:
        n_stored = opened.benchmark.estimate(submission, seed=seed)
    say(f"stored {n_stored:,} estimates of submission {submission}")


@benchmark.command(
    epilog="Example: tracker benchmark leaderboard gdpa1 --track cv",
    short_help="Rank the submissions, metric by metric.",
)
@click.argument("name", shell_complete=completion.benchmarks)
@click.option("--track", type=click.Choice(TRACKS), help="Only this track.")
@click.option("--k", type=int, default=10, show_default=True, help="Multi-label: the k to show.")
@click.option("--target", help="Only this target: rank the submissions that complete it.")
@click.option(
    "--by-target", is_flag=True, help="Show the ranks target by target; not available as html."
)
@output_options("html")
@click.pass_obj
def leaderboard(
    settings: Settings,
    name: str,
    track: Track | None,
    k: int,
    target: str | None,
    by_target: bool,
    form: ReportFormat,
    output: Path | None,
) -> None:
    """Rank a benchmark's submissions, metric by metric; those not told apart share a rank.

    A rank is 1 + the number of submissions shown to be better. The best value is marked
    with a star. Submissions that do not complete every target are listed separately, and ranked on
    the targets that they complete.
    """
    with progress("comparing submissions") as notify, settings.opened(notify) as opened:
        if by_target:
            if form == "html" or target is not None:
                raise click.UsageError("--by-target goes with neither --format html nor --target")
            text = opened.benchmark.target_leaderboard_text(name, form, track=track)
        else:
            text = opened.benchmark.leaderboard_text(name, form, track=track, k=k, target=target)
    write_output(text, output, settings)


@benchmark.command("list", epilog="Example: tracker benchmark list")
@listing_options
@click.pass_obj
def list_benchmarks(settings: Settings, form: str, output: Path | None) -> None:
    """List the benchmarks in the order in which they were defined."""
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.benchmark.list()
    write_rows(rows, form, output, settings)


@benchmark.command(epilog="Example: tracker benchmark export 1 exported/")
@_SUBMISSION
@folder_to_write
@click.pass_obj
def export(settings: Settings, submission: int, folder: Path) -> None:
    """Write a submission as predictions.parquet and manifest.json."""
    with progress("writing the submission") as notify, settings.opened(notify) as opened:
        written = opened.benchmark.export(submission, folder)
    say(f"wrote submission {submission} to {written}")


@benchmark.command(
    epilog="Example: tracker benchmark verify",
    short_help="Recompute the hash of a submission, or of all.",
)
@click.argument("submission", type=click.IntRange(min=1), required=False)
@listing_options
@click.pass_obj
def verify(settings: Settings, submission: int | None, form: str, output: Path | None) -> None:
    """Recompute the hash of a submission, or of all; exit 4 and name the row if one was altered."""
    with progress("recomputing the hashes") as notify, settings.opened(notify) as opened:
        rows = opened.benchmark.hash_checks(submission)
    write_rows(rows, form, output, settings)
    broken = [f"submission {n}: {found}" for n, _, found in rows.values if found != "as frozen"]
    if broken:
        raise CheckFailed("\n".join(broken))


benchmark.add_command(benchmark_demo.demo)
