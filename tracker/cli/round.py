"""tracker round: one question to many teams, a deadline, and a board that judges all alike."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import (
    Instant,
    Sha256,
    folder_to_write,
    include_replays_option,
    listing_options,
    output_options,
)
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say
from tracker.figures import MOST_PREDICTIONS
from tracker.rows import ReportFormat

_FILE = click.Path(path_type=Path)
_NAME = click.argument("name", metavar="ROUND", shell_complete=completion.rounds)
_DEADLINE = click.argument("deadline", type=Instant(may_be_ahead=True))


@click.group(
    "round",
    epilog="Example: tracker round board autumn --format html -o board.html",
    short_help="Ask many teams one question, and judge them alike.",
)
def round_() -> None:
    """Ask many teams one question: a deadline, sealed deposits, and a board."""


@round_.command(
    epilog="Example: tracker round new autumn --candidates whole --labels 2026q1 "
    "--deadline 2099-03-31 -o autumn/",
    short_help="Open a round and write the folder that teams take.",
)
@click.argument("name", metavar="ROUND")
@folder_to_write
@click.option(
    "--candidates",
    required=True,
    metavar="NAME",
    shell_complete=completion.candidate_sets,
    help="The candidate set whose pairs can be predicted; its scores are not told.",
)
@click.option(
    "--labels",
    required=True,
    metavar="NAME",
    shell_complete=completion.label_sets,
    help="The label set: what is known.",
)
@click.option(
    "--deadline",
    required=True,
    type=Instant(may_be_ahead=True),
    help="The last day of deposits (UTC), or an instant. Hits count after this day.",
)
@click.option("--plan", type=_FILE, help="An analysis plan (TOML) by which all are judged.")
@click.option(
    "--top-k",
    type=click.IntRange(1, MOST_PREDICTIONS),
    default=50,
    show_default=True,
    help="Predictions for each disease.",
)
@click.option(
    "--labels-as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The last day that the labels know.  [default: of their evidence, or their loading]",
)
@click.option(
    "--embargo-until",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Published sites withhold the slates until this day.",
)
@click.option("--replay", is_flag=True, help="Accept a deadline in the past; marked as a replay.")
@click.pass_obj
def new(settings: Settings, /, name: str, folder: Path, **chosen: Any) -> None:
    """Open a round: freeze the question and its baselines, and write FOLDER for the teams.

    The question stays as it is: candidates, labels, plan, length of lists. Its hash and those of
    its files are sealed in the log. The same command again writes the same folder.
    """
    with progress("reading the store") as notify, settings.opened(notify, write=True) as opened:
        is_new = opened.round.new(name, folder, **chosen)
    opens = "opened round" if is_new else "nothing was added; wrote again the folder of round"
    say(f"{opens} '{name}': {folder} is for the teams, and index.html in it says what it can show")


@round_.command(
    epilog="Example: tracker round extend autumn 2099-09-30 --reason 'Holidays'",
    short_help="Move a deadline to a later day, and say why.",
)
@_NAME
@_DEADLINE
@click.option("--reason", required=True, help="Why; every page of the round says it.")
@click.pass_obj
def extend(settings: Settings, name: str, deadline: datetime, reason: str) -> None:
    """Move the deadline of an open round to a later one. The row stays, and every page shows it."""
    with progress() as notify, settings.opened(notify, write=True) as opened:
        holds = opened.round.extend(name, deadline, reason)
    say(f"round '{name}' takes deposits until {holds:%Y-%m-%d %H:%M:%S} UTC")


@round_.command(
    epilog="Example: tracker round check autumn/ predictions.csv",
    short_help="Try a submission against a question, without a store.",
)
@click.argument("folder", type=_FILE)
@click.argument("file", type=_FILE)
def check(folder: Path, file: Path) -> None:
    """Check a file of predictions against the question in FOLDER, as a reveal would.

    Says how many known drugs of the probe's diseases are in it, and the hash to deposit.
    """
    from tracker.api.rounds import check_submission
    from tracker.api.words import count

    with progress("checking every row"):
        found = check_submission(folder, file)
    if found.n_left_out:
        say(f"{count(found.n_left_out, 'disease')} left out: they count as misses")
    say(
        f"{round(found.n_found, 1):,g} of {count(found.n_known, 'known drug')} of the probe's "
        "diseases are in the lists",
        f"SHA-256 {found.sha256}",
    )


@round_.command(
    epilog="Example: tracker round deposit autumn reply.tsr --team 'Lab A' --model graph-2",
    short_help="Take a team's hash with its token, before the deadline.",
)
@_NAME
@click.argument("token", type=_FILE)
@click.option("--team", required=True, help="The team, as it calls itself.")
@click.option("--model", required=True, help="Its model; a team may have several.")
@click.option("--sha256", type=Sha256(), help="The hash that the token has to be of.")
@click.pass_obj
def deposit(
    settings: Settings, name: str, token: Path, team: str, model: str, sha256: str | None
) -> None:
    """Take the reply of a timestamping authority (RFC 3161) as a team's deposit.

    The hash is that of its file of predictions, which stays with the team. A later deposit of the
    same model replaces it until the deadline.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.round.deposit(name, token, team=team, model=model, sha256=sha256)
    if not done.is_new:
        say(f"deposit {done.row.deposit_id} of {team} is that of this hash; nothing was added")
        return
    say(f"took deposit {done.row.deposit_id} of {team}, {model}: SHA-256 {done.row.sha256}")
    if done.replaces is not None:
        say(f"it replaces deposit {done.replaces}")


@round_.command(
    epilog="Example: tracker round reveal autumn predictions.csv",
    short_help="Make slates of deposited files, after the deadline.",
)
@_NAME
@click.argument("files", metavar="FILE...", type=_FILE, nargs=-1, required=True)
@click.pass_obj
def reveal(settings: Settings, name: str, files: tuple[Path, ...]) -> None:
    """Make a slate of each file that was deposited, found by its hash: all of them or none.

    Rows that repeat a pair, that the round does not have, or that begin a list and do not fill it
    are refused with row and column.
    """
    from tracker.api.words import count

    with progress("checking every row") as notify, settings.opened(notify, write=True) as opened:
        done = opened.round.reveal(name, *files)
    for one in done:
        if not one.is_new:
            say(f"{one.name} is slate {one.slate_id} already; nothing was added")
            continue
        left_out = (
            f"; {count(one.n_left_out, 'disease')} left out, which count as misses"
            if one.n_left_out
            else ""
        )
        say(f"{one.name} is slate {one.slate_id}: {one.n_predictions:,} predictions{left_out}")


@round_.command(
    epilog="Example: tracker round close autumn",
    short_help="End the reveals, and freeze what all teams say together.",
)
@_NAME
@click.pass_obj
def close(settings: Settings, name: str) -> None:
    """End the reveals: freeze the mean rank of all teams, and name who never revealed."""
    from tracker.api.words import count, joined

    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.round.close(name)
    state = "closed" if done.is_new else "was closed; nothing was added:"
    say(f"round '{name}' {state}, {count(done.n_teams, 'entry', 'entries')} of teams")
    if done.never_revealed:
        say(f"never revealed: {joined(done.never_revealed)}")


@round_.command(
    epilog="Example: tracker round board autumn --format html -o board.html",
    short_help="Show who predicts best, and how sure that is.",
)
@_NAME
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@output_options("html")
@click.pass_obj
def board(
    settings: Settings, name: str, as_of: datetime | None, form: ReportFormat, output: Path | None
) -> None:
    """Show the board of a round; before its deadline, what could be detected.

    Hits are compared with those of equally popular drugs. Teams that cannot be told apart are in
    one block.
    """
    with progress() as notify, settings.opened(notify, as_of=as_of) as opened:
        notify("computing the views")
        made = opened.round.board(name)
    write_output(made.text(form), output, settings)


@round_.command(
    epilog="Example: tracker round standing",
    short_help="Rank teams over all rounds, adjusted for difficulty.",
)
@include_replays_option
@click.option("--as-of", type=Instant(), help="As of the end of this day (UTC).")
@output_options()
@click.pass_obj
def standing(
    settings: Settings,
    include_replays: bool,
    as_of: datetime | None,
    form: ReportFormat,
    output: Path | None,
) -> None:
    """Rank teams over all rounds: an easy disease moves up no team that met it.

    Hits are compared with those of equally popular drugs, and with what all teams found in the same
    diseases.
    """
    with progress() as notify, settings.opened(notify, as_of=as_of) as opened:
        notify("computing the views")
        made = opened.round.standing(include_replays=include_replays)
    write_output(made.text(form), output, settings)


@round_.command("list", epilog="Example: tracker round list", short_help="List the rounds.")
@listing_options
@click.pass_obj
def list_rounds(settings: Settings, form: str, output: Path | None) -> None:
    """List the rounds with their deadlines, and how many deposits were revealed."""
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.round.rows()
    write_rows(rows, form, output, settings)
