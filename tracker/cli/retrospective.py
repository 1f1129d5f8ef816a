"""tracker retrospective: scores and rankers compared with what is already known."""

from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import Command, output_options, require_unused, seed_option
from tracker.cli.output import write_output
from tracker.cli.terminal import say
from tracker.rows import ReportFormat

_YEAR = click.IntRange(1800, 2200)
LABELS = click.option(
    "--labels",
    required=True,
    metavar="SET",
    shell_complete=completion.label_sets,
    help="The label set.",
)
POSITIVE = click.option(
    "--positive-min-label",
    type=click.IntRange(1, 4),
    default=4,
    show_default=True,
    help="The lowest label that counts as positive; 4 is approved.",
)


def _run_options(command: Command) -> Command:
    """Add the options that leave-one-out and temporal runs share."""
    for option in (
        click.option("--name", help="The name of the run in reports.  [default: the ranker's]"),
        click.option(
            "--workers", type=click.IntRange(min=1), help="Threads.  [default: all cores]"
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="The ranker's seed."),
        POSITIVE,
        LABELS,
        click.option(
            "--candidates",
            metavar="SET",
            shell_complete=completion.candidate_sets,
            help="The candidate set; without it every labeled drug is a candidate everywhere.",
        ),
    ):
        command = option(command)
    return command


@click.group(
    epilog="Example: tracker retrospective evaluate --candidates whole --labels 2026q1",
    short_help="Evaluate scores and rankers on what is known.",
)
def retrospective() -> None:
    """Evaluate scores and rankers on what is already known, before a slate is frozen."""


@retrospective.command(
    epilog="Example: tracker retrospective evaluate --candidates whole --labels 2026q1"
)
@click.option(
    "--candidates",
    required=True,
    metavar="SET",
    shell_complete=completion.candidate_sets,
    help="The candidate set.",
)
@LABELS
@POSITIVE
@output_options("html")
@click.pass_obj
def evaluate(settings: Settings, /, form: ReportFormat, output: Path | None, **chosen: Any) -> None:
    """Compare a candidate set with a label set and report AUC and NDCG.

    Evaluating the same sets at the same threshold again adds nothing.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        made = opened.retrospective.evaluate(**chosen)
    write_output(made.text(form), output, settings)


@retrospective.command(
    epilog="Example: tracker retrospective report 1 --format markdown",
    short_help="Report an evaluation again, with its runs.",
)
@click.argument("evaluation_id", metavar="EVALUATION", type=int)
@output_options("html")
@click.pass_obj
def report(settings: Settings, evaluation_id: int, form: ReportFormat, output: Path | None) -> None:
    """Report an evaluation again, with its leave-one-out and temporal runs."""
    with progress() as notify, settings.opened(notify) as opened:
        made = opened.retrospective.report(evaluation_id)
    write_output(made.text(form), output, settings)


@retrospective.command(epilog="Example: tracker retrospective estimate 1")
@click.argument("evaluation_id", metavar="EVALUATION", type=int)
@seed_option
@click.pass_obj
def estimate(settings: Settings, evaluation_id: int, seed: int) -> None:
    """Compute intervals of an evaluation's figures, and store them."""
    with progress("resampling") as notify, settings.opened(notify, write=True) as opened:
        n_stored = opened.retrospective.estimate(evaluation_id, seed=seed)
    say(f"stored {n_stored:,} estimates of evaluation {evaluation_id}")


@retrospective.command(
    epilog="Example: tracker retrospective loo --ranker cf --labels 2026q1",
    short_help="Hide each known pair and rank its drug again: Hit@K.",
)
@click.option(
    "--ranker", metavar="NAME", help="popularity, cf, random, degree_product or a plugin."
)
@click.option(
    "--trials",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Ranks computed elsewhere: disease_name, drug_name, rank, n_candidates.",
)
@_run_options
@output_options("html")
@click.pass_obj
def loo(
    settings: Settings,
    /,
    ranker: str | None,
    trials: Path | None,
    name: str | None,
    seed: int,
    workers: int | None,
    form: ReportFormat,
    output: Path | None,
    **chosen: Any,
) -> None:
    """Hide each positive pair from training, rank its drug again, and report Hit@K.

    An interrupted run resumes where it stopped when it is started again.
    """
    if (ranker is None) == (trials is None):
        raise click.UsageError("give either --ranker NAME or --trials FILE")
    if trials is not None:
        require_unused(("seed", "workers"), "goes with --ranker")
    with progress() as notify, settings.opened(notify, write=True) as opened:
        if ranker is not None:
            made = opened.retrospective.loo(ranker, name=name, seed=seed, workers=workers, **chosen)
        elif trials is not None:
            made = opened.retrospective.load_trials(trials, name=name or trials.stem, **chosen)
    say(made.note, err=True)
    write_output(made.text(form), output, settings)


@retrospective.command(
    "temporal",
    epilog="Example: tracker retrospective temporal --ranker cf --labels 2026q1 "
    "--cutoff 2015 --from 2016 --to 2024",
    short_help="Fit a ranker on the past, judge it by later approvals.",
)
@click.option(
    "--ranker",
    required=True,
    metavar="NAME",
    help="popularity, cf, random, degree_product or a plugin.",
)
@click.option("--cutoff", type=_YEAR, required=True, help="The last year the ranker learns from.")
@click.option(
    "--from",
    "first",
    type=_YEAR,
    required=True,
    help="The first year to evaluate, after the cutoff.",
)
@click.option("--to", "last", type=_YEAR, required=True, help="The last year to evaluate.")
@_run_options
@output_options("html")
@click.pass_obj
def temporal_run(
    settings: Settings, /, form: ReportFormat, output: Path | None, **chosen: Any
) -> None:
    """Fit a ranker on approvals up to a year and report its AUC for later approvals.

    An interrupted run resumes where it stopped when it is started again.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        made = opened.retrospective.temporal(**chosen)
    say(made.note, err=True)
    write_output(made.text(form), output, settings)
