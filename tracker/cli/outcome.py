"""tracker outcome: the ledger, the evidence of one outcome, and what is taken back of it."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import listing_options
from tracker.cli.output import write_output, write_rows
from tracker.cli.terminal import say, wrapped
from tracker.rows import Rows, render, shown

_FIRST = (
    "drug_name",
    "disease_name",
    "outcome_type",
    "counts_as",
    "event_date",
    "source",
    "record",
    "version",
    "released_on",
    "recorded_at",
)
# The number of words that name a pair: slate, drug, disease.
_PAIR = 3


# An outcome by its number, or a pair of a slate.
_words_argument = click.argument(
    "words",
    nargs=-1,
    required=True,
    metavar="OUTCOME | SLATE DRUG DISEASE",
    shell_complete=completion.slates,
)


@click.group(
    epilog="Example: tracker outcome show 153",
    short_help="List outcomes and their evidence; annul claims.",
)
def outcome() -> None:
    """Show the ledger of outcomes and the evidence behind each; take a claim back."""


@outcome.command(
    "list",
    epilog="Example: tracker outcome list 469bb270 --format csv",
    short_help="List outcomes of all pairs that a slate scored.",
)
@completion.slate_argument
@click.option("--hits", "only_hits", is_flag=True, help="Only what counts as a hit.")
@click.option("--drug", metavar="NAME", help="Only of this drug, by name or identifier.")
@click.option("--disease", metavar="NAME", help="Only of this disease, by name or identifier.")
@listing_options
@click.pass_obj
def list_outcomes(
    settings: Settings,
    slate_id: str,
    only_hits: bool,
    drug: str | None,
    disease: str | None,
    form: str,
    output: Path | None,
) -> None:
    """List the outcomes of all pairs that a slate scored, and what each counts as.

    SLATE is the beginning of a UUID, @3 for the third that was recorded, or @latest, which is meant
    where none is named.

    `withdrawal` says that the source has taken back what an outcome rests on, which the table marks
    as 'withdrawn', or that an outcome from a file was annulled, and why; `recorded_at` is when the
    store wrote the row; `claimed_observed_at` is when its file claims that it was observed, where
    that differs.
    """
    with progress("computing the views") as notify, settings.opened(notify) as opened:
        chosen = opened.slate(slate_id)
        rows = chosen.outcomes_of(drug, disease, only_hits=only_hits)
        facts = chosen.facts
    if form == "table" and output is None:
        say(f"slate {chosen.short}: {facts['description'] or facts['model_version']}", err=True)
    marked = _marked(rows) if form == "table" else rows
    if only_hits and marked.values == rows.values:
        marked = marked.without("counts_as")
    write_rows(marked, form, output, settings)
    if form == "table" and output is None:
        _say_marks(rows)


@outcome.command(
    "show",
    epilog="Example: tracker outcome show 5c9f beluvastin 'Brassard dystrophy'",
    short_help="Show why an outcome counts, and its evidence.",
)
@_words_argument
@listing_options
@click.pass_obj
def show(settings: Settings, words: tuple[str, ...], form: str, output: Path | None) -> None:
    """Say whether an outcome is a hit, and why; print its evidence.

    OUTCOME is a number of 'tracker outcome list': a card for each slate that contains the pair.
    SLATE DRUG DISEASE names a pair of a slate: a card for each of its outcomes.

    A card has the pair and the aliases that matched the evidence to it, the source's record, the
    release and its hash, the dates, when it was recorded, and whether the evidence has been
    withdrawn since.
    """
    from tracker.api.words import counted

    number = _meant(words)
    with progress() as notify, settings.opened(notify) as opened:
        if number is not None:
            cards = opened.outcome(number)
        else:
            slate_id, drug, disease = words
            cards = opened.slate(slate_id).evidence(drug, disease)
    if form not in ("table", "markdown"):
        write_rows(cards, form, output, settings)
        return
    text = "\n".join(
        f"{wrapped(shown(counted(dict(zip(cards.columns, card, strict=True)))))}\n\n"
        f"{render(_fields(cards.columns, card), form)}"
        for card in cards.values
    )
    write_output(text, output, settings)


@outcome.command(
    epilog="Example: tracker outcome annul 7 --reason 'wrong drug: the release names corotinib'",
    short_help="Take back an outcome that came from a file.",
)
@_words_argument
@click.option("--reason", required=True, help="Why; every report of the slate says it.")
@click.option(
    "--type",
    "outcome_type",
    metavar="TYPE",
    help="Of a pair with several: the type, as in 'outcome list'.",
)
@click.option(
    "--on",
    "event_date",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Of a pair with several: the event date.",
)
@click.pass_obj
def annul(
    settings: Settings,
    words: tuple[str, ...],
    reason: str,
    outcome_type: str | None,
    event_date: datetime | None,
) -> None:
    """Take back an outcome that came from a file: it counts no longer, for any slate.

    OUTCOME is a number of 'tracker outcome list'; SLATE DRUG DISEASE names a pair that has one such
    outcome. Nothing is removed: a row with the reason is appended, reports list it, and with
    --as-of a day before today they show the outcome as it counted then. What was detected in
    evidence is refused: its source has to correct it.
    """
    number = _meant(words)
    if number is not None and (outcome_type is not None or event_date is not None):
        raise click.UsageError("--type and --on go with a slate, a drug and a disease")
    with progress() as notify, settings.opened(notify, write=True) as opened:
        if number is not None:
            done = opened.annul(number, reason)
        else:
            slate_id, drug, disease = words
            done = opened.slate(slate_id).annul(
                drug,
                disease,
                reason,
                outcome_type=outcome_type,
                event_date=event_date,
            )
    said = "annulled" if done.is_new else f"already annulled on {done.annulled_on}"
    say(f"outcome {done.outcome_id} {'is ' * (not done.is_new)}{said}: {done.reason}")


def _marked(rows: Rows) -> Rows:
    """Mark the outcomes whose evidence was withdrawn."""
    at, withdrawal = rows.columns.index("counts_as"), rows.columns.index("withdrawal")
    marked = [
        (*row[:at], f"{row[at]}, withdrawn", *row[at + 1 :])
        if row[withdrawal] and row[at] != "annulled"
        else row
        for row in rows.values
    ]
    return Rows(rows.columns, marked)


def _say_marks(rows: Rows) -> None:
    """Name the listed pairs with a failed trial or a withdrawal, even if the table has no room."""
    marks: dict[str, None] = {}
    for one in rows.records():
        pair = f"{one['drug_name']} for {one['disease_name']}"
        if one["withdrawal"]:
            marks[f"{pair}, {one['outcome_type']}: {one['withdrawal']}"] = None
        if one["failure"]:
            marks[f"{pair}: {one['failure']}"] = None
        if one["drug_withdrawn"]:
            marks[f"{one['drug_name']}: {one['drug_withdrawn']}"] = None
    for mark in marks:
        say(mark, err=True)


def _meant(words: tuple[str, ...]) -> int | None:
    """Return the number of an outcome, None if the words name a pair of a slate."""
    # No outcome has a longer number.
    if len(words) == 1 and re.fullmatch("[1-9][0-9]{0,17}", words[0]):
        return int(words[0])
    if len(words) != _PAIR:
        raise click.UsageError(
            "give the number of an outcome, as 'tracker outcome list' has it, or a slate, a drug "
            "and a disease"
        )
    return None


def _fields(columns: list[str], card: tuple[Any, ...]) -> Rows:
    """Return the card's fields that have a value, one per row, the most wanted first."""
    known = {name: value for name, value in zip(columns, card, strict=True) if value is not None}
    order = dict.fromkeys((*(name for name in _FIRST if name in known), *known))
    return Rows(["field", "value"], [(name, known[name]) for name in order])
