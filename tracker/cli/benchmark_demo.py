"""tracker benchmark demo: one kind of benchmark on a small invented fixture."""

import shlex

import click

from tracker import resources, scratch
from tracker.api.choices import BENCHMARK_KINDS
from tracker.cli.terminal import say

# The commands of each kind; KIND stands for the bundled folder of the kind.
_DEMOS = {
    "regression": (
        "define demo --kind regression --truth KIND/truth.csv --targets KIND/targets.csv "
        "--fold-column fold",
        "submit demo KIND/linear.csv --submitter linear --track cv",
        "submit demo KIND/shuffled.csv --submitter shuffled --track cv",
        "submit demo KIND/easiest.csv --submitter easiest --track cv --partial",
        "score 1",
        "leaderboard demo",
    ),
    "binary": (
        "define demo --kind binary --items KIND/items.csv --targets KIND/targets.csv",
        "submit demo KIND/model.csv --submitter model --track test",
        "submit demo KIND/coarse.csv --submitter coarse --track test",
        "truth demo KIND/truth.csv",
        "score 1",
        "leaderboard demo",
    ),
    "ordinal": (
        "define demo --kind ordinal --truth KIND/truth.csv",
        "submit demo KIND/perfect.csv --submitter perfect --track test",
        "submit demo KIND/random.csv --submitter random --track test",
        "submit demo KIND/inverted.csv --submitter inverted --track test",
        "score 2",
        "leaderboard demo",
    ),
    "multilabel": (
        "define demo --kind multilabel --truth KIND/truth.csv --labels KIND/labels.csv",
        "submit demo KIND/popular.csv --submitter popular --track test",
        "submit demo KIND/model.csv --submitter model --track test",
        "score 2",
        "leaderboard demo --k 5",
    ),
}


@click.command(
    epilog="Example: tracker benchmark demo ordinal",
    short_help="Define, submit, score and rank on an invented fixture.",
)
@click.argument("kind", type=click.Choice(BENCHMARK_KINDS))
@click.pass_context
def demo(context: click.Context, kind: str) -> None:
    """Run define, submit, score and leaderboard of one kind on a small invented fixture."""
    folder = resources.directory("fixtures") / "benchmarks" / kind
    group = context.find_root().command
    with scratch.folder() as private:
        for command in _DEMOS[kind]:
            say("", f"$ tracker benchmark {command.replace('KIND/', '')}")
            arguments = [part.replace("KIND/", f"{folder}/") for part in shlex.split(command)]
            database = str(private / "demo.duckdb")
            exit_code = group.main(
                ["--db", database, "benchmark", *arguments],
                prog_name="tracker",
                standalone_mode=False,
            )
            if exit_code:
                context.exit(exit_code)
