"""tracker slate freeze: its options, the freeze, and the message printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tracker.cli import completion
from tracker.cli.common import Settings, progress
from tracker.cli.options import Command, Finite
from tracker.cli.terminal import say
from tracker.cli.timestamp import authorities_option, configuration_in, stored_tokens
from tracker.errors import NotConfirmed
from tracker.figures import MOST_PREDICTIONS

if TYPE_CHECKING:
    from tracker.api.slates import Slate


def freeze_options(command: Command) -> Command:
    """Add the options of a freeze, the parameters of `freeze`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--candidates",
        required=True,
        metavar="NAME",
        shell_complete=completion.candidate_sets,
        help="The candidate set to rank.",
    ),
    click.option(
        "--labels",
        metavar="NAME",
        shell_complete=completion.label_sets,
        help="The label set: what is known at the freeze.",
    ),
    click.option(
        "--ranker",
        metavar="NAME",
        help="Rescore the candidates with this ranker, fitted on --labels: a baseline slate.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="The ranker's seed."),
    click.option(
        "--disease", "-d", "diseases", multiple=True, help="Only this disease; may be repeated."
    ),
    click.option(
        "--top-k",
        type=click.IntRange(1, MOST_PREDICTIONS),
        default=50,
        show_default=True,
        help="Predictions per disease at most.",
    ),
    click.option(
        "--min-score",
        type=Finite(),
        help="The lowest score of a prediction.  [default: none]",
    ),
    click.option(
        "--novel-only",
        is_flag=True,
        help="Leave out pairs that are known at the freeze, by --labels or by evidence, before "
        "ranking: '--top-k 50 --novel-only' lists 50 novel pairs of each disease.",
    ),
    click.option("--description", default="", help="What the slate is for."),
    click.option(
        "--plan", type=click.Path(path_type=Path), help="An analysis plan (TOML) frozen with it."
    ),
    click.option(
        "--replay-as-of",
        type=click.DateTime(["%Y-%m-%d"]),
        help="Time outcomes relative to this past date; the slate stays marked as a replay.",
    ),
    click.option(
        "--embargo-until",
        type=click.DateTime(["%Y-%m-%d"]),
        help="Published sites withhold the slate until this day, and show its number, hash and "
        "date.",
    ),
    click.option(
        "--prove",
        "authorities",
        metavar="URL",
        multiple=True,
        help="Then ask this timestamping authority for proof of the date; may be repeated.",
    ),
    authorities_option,
    click.option(
        "--dry-run",
        is_flag=True,
        help="Say what would be frozen, what it could show and what speaks against it; store "
        "nothing.",
    ),
    click.option(
        "--yes", "-y", is_flag=True, help="On a terminal, freeze without asking about warnings."
    ),
)


def freeze(
    settings: Settings,
    *,
    authorities: tuple[str, ...],
    config: Path | None,
    dry_run: bool,
    yes: bool,
    **chosen: Any,
) -> None:
    """Freeze a slate and print its hash; Spark chooses the predictions, if the settings name one.

    A terminal user is asked about doubts before anything is stored; elsewhere they are printed.
    """
    from tracker.api.timestamps import authorities_to_ask
    from tracker.api.words import count

    authorities = authorities_to_ask(authorities, configuration_in(config))
    if chosen["ranker"] is not None and chosen["labels"] is None:
        raise click.UsageError("--ranker needs --labels to fit it on")
    seen: list[_Read] = []

    def is_wanted(made: Slate) -> bool:
        seen.append(_read(made))
        return not (dry_run or seen[0].doubts)

    asks = dry_run or (not yes and sys.stdin.isatty() and sys.stderr.isatty())
    try:
        stored = _stored(settings, chosen, is_wanted if asks else None)
    except NotConfirmed:
        said = seen[0]
        if dry_run:
            n_predictions = count(said.facts["n_predictions"], "prediction")
            say(f"would freeze {n_predictions}: {_lists(said.sizes)}")
            _say_contents(said, is_stored=False)
            say(*said.doubts, *said.notes, err=True)
            say("nothing was stored")
            return
        say(*said.doubts, err=True)
        # The store is not locked while the user decides.
        click.confirm("A slate stays as it is frozen. Freeze it?", abort=True, err=True)
        stored = _stored(settings, chosen, None)
    # Reading these facts is quick without Spark.
    here = replace(settings, spark=None)
    with progress() as notify, here.opened(notify) as opened:
        frozen = opened.slate(str(stored))
        said = _read(frozen)
    if stored.n_recorded:
        say(
            f"recorded {count(stored.n_recorded, 'event')} first, which the ingested evidence "
            "shows and no detection had recorded"
        )
    say(f"froze slate {frozen}: {said.facts['n_predictions']:,} predictions")
    _say_contents(said, is_stored=True)
    if not seen:
        say(*said.doubts, err=True)
    say(*said.notes, err=True)
    sha256 = str(said.facts["content_sha256"])
    obtained = stored_tokens(here, sha256, authorities) if authorities else []
    for one in obtained:
        if one.problem:
            say(
                f"no proof of its date: {one.problem}; try again with 'tracker slate prove "
                f"{frozen.short} --authority {one.url}'",
                err=True,
            )


class _Read(NamedTuple):
    """The printed facts of a slate, stored or not yet stored."""

    facts: dict[str, Any]
    sizes: list[int]
    left_out: dict[str, int]
    ties: dict[str, Any]
    asked: str
    power: list[str]
    doubts: Sequence[str]
    notes: Sequence[str]


def _read(slate: Slate) -> _Read:
    warned = slate.freeze_warnings
    return _Read(
        slate.facts,
        slate.list_sizes,
        slate.left_out,
        slate.ties,
        slate.asked,
        slate.power,
        warned.doubts,
        warned.notes,
    )


def _stored(
    settings: Settings, chosen: dict[str, Any], confirm: Callable[[Slate], bool] | None
) -> Slate:
    with progress() as notify, settings.opened(notify, write=True) as opened:
        return opened.freeze(**chosen, confirm=confirm)


def _lists(sizes: list[int]) -> str:
    from tracker.api.words import count

    n_diseases = count(len(sizes), "disease")
    if sizes[0] == sizes[-1]:
        return f"{n_diseases}, {sizes[0]:,} each"
    median = sizes[len(sizes) // 2]
    return f"{n_diseases}, {sizes[0]:,} to {sizes[-1]:,} each, in the median {median:,}"


def _say_contents(said: _Read, *, is_stored: bool) -> None:
    """Print what a slate left out, its hash, what its plan requires, its ties and its power."""
    from tracker.api.words import count

    left_out, parameters = said.left_out, said.facts["parameters"]
    if parameters.get("novel_only"):
        say(
            f"novel pairs only: {count(left_out['n_known'], 'candidate')} known at the freeze "
            f"{'was' if left_out['n_known'] == 1 else 'were'} left out before ranking"
        )
    if left_out["n_beyond"]:
        say(
            f"{left_out['n_beyond']:,} of {left_out['n_candidates']:,} candidates are not among "
            f"the best {parameters['top_k']:,} of a disease"
        )
    if is_stored:
        say(f"SHA-256 {said.facts['content_sha256']}")
    say(said.asked)
    if until := parameters.get("embargo_until"):
        say(f"embargoed until {until}: published sites withhold it until then")
    say(*_drawn(said.ties))
    say(*said.power)


def _drawn(ties: dict[str, Any]) -> list[str]:
    """Return in words how many predictions were drawn from ties, and the ties split by tiers."""
    from tracker.api.words import count

    lines = []
    if ties["n_drawn"]:
        lines.append(
            f"{count(ties['n_drawn'], 'prediction')} chosen among "
            f"{count(ties['n_drawn_from'], 'candidate')} with equal scores"
        )
        lines.append(
            f"  in {ties['n_drawn_diseases']:,} of {ties['n_diseases']:,} diseases; by a hash of "
            "the names"
        )
    if ties["n_over_tiers"]:
        lines.append(
            f"ties across tiers: {ties['n_over_tiers']:,} predictions, in "
            f"{ties['n_over_tiers_diseases']:,} of {ties['n_diseases']:,} diseases"
        )
    return lines
