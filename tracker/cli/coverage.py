"""tracker coverage: what the sources can see of a slate or of candidates."""

from pathlib import Path

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import output_options
from tracker.cli.output import write_output
from tracker.rows import ReportFormat, to_csv


@click.command(
    epilog="Example: tracker coverage --candidates world --aliases suggested.csv",
    short_help="Show which drugs and diseases the sources can see.",
)
@click.argument("slate_id", metavar="[SLATE]", required=False, shell_complete=completion.slates)
@click.option(
    "--candidates",
    metavar="SET",
    shell_complete=completion.candidate_sets,
    help="Show it for this candidate set, before a freeze.",
)
@click.option(
    "--aliases",
    type=click.Path(path_type=Path),
    help="Write suggested aliases for unmatched names to a file, to review and load.",
)
@output_options()
@click.pass_obj
def coverage(
    settings: Settings,
    slate_id: str | None,
    candidates: str | None,
    aliases: Path | None,
    form: ReportFormat,
    output: Path | None,
) -> None:
    """Show which drugs and diseases the sources in the store can see, and by which match.

    A name that appears in no record can have no outcome. The suggestions are similar texts of the
    evidence: read them before you load them.
    """
    if (slate_id is None) == (candidates is None):
        raise click.UsageError("give a slate or --candidates, and not both")
    with progress("comparing names") as notify, settings.opened(notify) as opened:
        if slate_id is not None:
            made = opened.slate(slate_id).coverage()
        else:
            made = opened.coverage(str(candidates))
    if aliases is not None:
        # The columns that 'load aliases' reads.
        suggested = [
            (one["entity_kind"], one["name"], "synonym", one["nearest_text"])
            for one in made["unseen_name"].records()
            if one["nearest_text"] is not None
        ]
        columns = ["entity", "name", "kind", "value"]
        write_output(to_csv(columns, suggested), aliases, settings)
    write_output(made.text(form), output, settings)
