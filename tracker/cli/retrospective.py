"""tracker retrospective: scores and rankers compared with what is already known."""

from pathlib import Path

import click

from tracker import store
from tracker.cli.common import Command, Settings, format_option, progress, seed_option, write_output
from tracker.evaluation import evaluations, leave_one_out, temporal
from tracker.pages import documents
from tracker.report import evaluation as report_evaluation
from tracker.report.render import render_report
from tracker.store import scope
from tracker.uncertainty import estimates

_YEAR = click.IntRange(1800, 2200)
_LABELS = click.option("--labels", required=True, metavar="SET", help="The label set.")
_POSITIVE = click.option(
    "--positive-min-label",
    type=click.IntRange(1, 4),
    default=4,
    show_default=True,
    help="The lowest label that counts as positive; 4 is approved.",
)
_OUTPUT = click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to a file.")


def _run_options(command: Command) -> Command:
    """Add the options that leave-one-out and temporal runs share."""
    for option in (
        click.option("--name", help="The name of the run in reports.  [default: the ranker's]"),
        click.option(
            "--workers", type=click.IntRange(min=1), help="Threads.  [default: all cores]"
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="The ranker's seed."),
        _POSITIVE,
        _LABELS,
        click.option(
            "--candidates",
            metavar="SET",
            help="The candidate set; without it every labeled drug is a candidate everywhere.",
        ),
    ):
        command = option(command)
    return command


@click.group(epilog="Example: tracker retrospective evaluate --candidates whole --labels 2026q1")
def retrospective() -> None:
    """Evaluate scores and rankers on what is already known, before a slate is frozen."""


@retrospective.command(
    epilog="Example: tracker retrospective evaluate --candidates whole --labels 2026q1"
)
@click.option("--candidates", required=True, metavar="SET", help="The candidate set.")
@_LABELS
@_POSITIVE
@format_option("html")
@_OUTPUT
@click.pass_obj
def evaluate(
    settings: Settings,
    candidates: str,
    labels: str,
    positive_min_label: int,
    form: str,
    output: Path | None,
) -> None:
    """Compare a candidate set with a label set and report AUC and NDCG.

    Evaluating the same sets at the same threshold again adds nothing.
    """
    evaluation_id = _create(settings, candidates, labels, positive_min_label)
    _report(settings, evaluation_id, form, output)


@retrospective.command(epilog="Example: tracker retrospective report 1 --format markdown")
@click.argument("evaluation_id", metavar="EVALUATION", type=int)
@format_option("html")
@_OUTPUT
@click.pass_obj
def report(settings: Settings, evaluation_id: int, form: str, output: Path | None) -> None:
    """Report an evaluation again, with its leave-one-out and temporal runs."""
    _report(settings, evaluation_id, form, output)


@retrospective.command(epilog="Example: tracker retrospective estimate 1")
@click.argument("evaluation_id", metavar="EVALUATION", type=int)
@seed_option()
@click.pass_obj
def estimate(settings: Settings, evaluation_id: int, seed: int) -> None:
    """Compute intervals of an evaluation's figures, and store them."""
    with progress() as notify, settings.writer() as connection:
        notify("resampling")
        found = evaluations.find(connection, evaluation_id)
        stored = estimates.record_evaluation(connection, found, store.now(connection), seed=seed)
    click.echo(f"stored {len(stored):,} estimates of evaluation {evaluation_id}")


@retrospective.command(epilog="Example: tracker retrospective loo --ranker cf --labels 2026q1")
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
@format_option("html")
@_OUTPUT
@click.pass_obj
def loo(
    settings: Settings,
    ranker: str | None,
    trials: Path | None,
    candidates: str | None,
    labels: str,
    positive_min_label: int,
    seed: int,
    workers: int | None,
    name: str | None,
    form: str,
    output: Path | None,
) -> None:
    """Hide each positive pair from training, rank its drug again, and report Hit@K.

    An interrupted run resumes where it stopped when it is started again.
    """
    if (ranker is None) == (trials is None):
        raise click.UsageError("give either --ranker NAME or --trials FILE")
    evaluation_id = _create(settings, candidates, labels, positive_min_label)
    with progress() as notify:
        if ranker is not None:
            n_trials = leave_one_out.run(
                settings.db,
                evaluation_id,
                ranker,
                seed=seed,
                name=name,
                workers=workers,
                wait=settings.wait,
                progress=notify,
            )
        elif trials is not None:
            with settings.writer() as connection:
                n_trials = leave_one_out.load_trials(
                    connection, trials, evaluation_id, name or trials.stem
                ).n_added
    click.echo(f"{n_trials:,} new trials", err=True)
    _report(settings, evaluation_id, form, output)


@retrospective.command(
    "temporal",
    epilog="Example: tracker retrospective temporal --ranker cf --labels 2026q1 "
    "--cutoff 2015 --from 2016 --to 2024",
)
@click.option(
    "--ranker",
    required=True,
    metavar="NAME",
    help="popularity, cf, random, degree_product or a plugin.",
)
@click.option("--cutoff", type=_YEAR, required=True, help="The last year the ranker learns from.")
@click.option("--from", "first", type=_YEAR, required=True, help="The first later year.")
@click.option("--to", "last", type=_YEAR, required=True, help="The last later year.")
@_run_options
@format_option("html")
@_OUTPUT
@click.pass_obj
def temporal_run(
    settings: Settings,
    ranker: str,
    cutoff: int,
    first: int,
    last: int,
    candidates: str | None,
    labels: str,
    positive_min_label: int,
    seed: int,
    workers: int | None,
    name: str | None,
    form: str,
    output: Path | None,
) -> None:
    """Fit a ranker on approvals up to a year and report its AUC for later approvals.

    An interrupted run resumes where it stopped when it is started again.
    """
    evaluation_id = _create(settings, candidates, labels, positive_min_label)
    with progress() as notify:
        n_diseases = temporal.run(
            settings.db,
            evaluation_id,
            ranker,
            cutoff=cutoff,
            first=first,
            last=last,
            seed=seed,
            name=name,
            workers=workers,
            wait=settings.wait,
            progress=notify,
        )
    click.echo(f"{n_diseases:,} diseases scored", err=True)
    _report(settings, evaluation_id, form, output)


def _create(
    settings: Settings, candidates: str | None, labels: str, positive_min_label: int
) -> int:
    with settings.writer() as connection:
        evaluation_id, _ = evaluations.create(connection, candidates, labels, positive_min_label)
    return evaluation_id


def _report(settings: Settings, evaluation_id: int, form: str, output: Path | None) -> None:
    with progress() as notify, store.reader(settings.db) as connection:
        notify("computing the views")
        evaluation = evaluations.find(connection, evaluation_id)
        with scope.of_evaluation(connection, evaluation):
            built = report_evaluation.build(connection, evaluation)
    if form in documents.FORMATS:
        text = documents.of_evaluation(built, form)
    else:
        text = render_report(built, form, "evaluation")
    write_output(text, output, settings)
