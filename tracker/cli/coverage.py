"""tracker coverage: what the sources can see of a slate or of candidates."""

from pathlib import Path

import click

from tracker import slates, store
from tracker.cli.common import Settings, format_option, progress, write_output
from tracker.report import coverage as covering
from tracker.report.render import render_report
from tracker.rows import render
from tracker.slates import loads
from tracker.store import schema


@click.command(epilog="Example: tracker coverage --candidates world --aliases suggested.csv")
@click.argument("slate_id", metavar="[SLATE]", required=False)
@click.option("--candidates", metavar="SET", help="Of this set of candidates, before a freeze.")
@click.option(
    "--aliases",
    type=click.Path(path_type=Path),
    help="Write the nearest texts of unseen names to a file to review and then load as aliases.",
)
@format_option()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to a file.")
@click.pass_obj
def coverage(
    settings: Settings,
    slate_id: str | None,
    candidates: str | None,
    aliases: Path | None,
    form: str,
    output: Path | None,
) -> None:
    """Show which drugs and diseases the sources in the store can see, and by which match.

    A name that no record has can have no outcome. The suggestions are similar texts of the
    evidence: read them before you load them.
    """
    if (slate_id is None) == (candidates is None):
        raise click.UsageError("give a slate or --candidates, and not both")
    with progress() as notify, store.reader(settings.db) as connection:
        notify("comparing names")
        if slate_id is not None:
            built = covering.of_slate(connection, slates.find(connection, slate_id))
        else:
            found = loads.find_set(connection, schema.candidate_set, str(candidates))
            built = covering.of_candidates(connection, found)
    if aliases is not None:
        unseen = next(section for section in built.sections if section.view == "unseen_name")
        suggested = covering.alias_rows(unseen.rows)
        write_output(render(suggested, "csv"), aliases, settings)
    subject = "slate" if slate_id is not None else "candidate_set"
    write_output(render_report(built, form, subject), output, settings)
