"""tracker slate freeze: its options, the freeze, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from tracker.cli import completion
from tracker.cli.common import Command, Finite, Settings, progress
from tracker.cli.terminal import say
from tracker.cli.timestamp import authorities_option, configured_authorities, stored_tokens
from tracker.errors import some
from tracker.figures import MOST_PREDICTIONS


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
)


def freeze(
    settings: Settings,
    *,
    candidates: str,
    labels: str | None,
    ranker: str | None,
    seed: int,
    diseases: tuple[str, ...],
    top_k: int,
    min_score: float | None,
    novel_only: bool,
    description: str,
    plan: Path | None,
    replay_as_of: datetime | None,
    embargo_until: datetime | None,
    authorities: tuple[str, ...],
    config: Path | None,
) -> None:
    """Freeze a slate and print its hash; Spark chooses the best, if the settings name one."""
    from tracker import timestamps
    from tracker.reports.words import count

    timestamps.require_urls(authorities)
    authorities = authorities or configured_authorities(config)
    if ranker is not None and labels is None:
        raise click.UsageError("--ranker needs --labels to fit it on")
    with progress() as notify, settings.opened(notify, write=True) as opened:
        frozen = opened.freeze(
            candidates=candidates,
            labels=labels,
            ranker=ranker,
            seed=seed,
            diseases=diseases,
            top_k=top_k,
            min_score=min_score,
            novel_only=novel_only,
            description=description,
            plan=plan,
            replay_as_of=replay_as_of.date() if replay_as_of else None,
            embargo_until=embargo_until.date() if embargo_until else None,
        )
    n_recorded = frozen.n_recorded
    # What is said of it is quick without Spark.
    here = replace(settings, spark=None)
    with progress() as notify, here.opened(notify) as opened:
        frozen = opened.slate(str(frozen))
        facts, power, ties, left_out = frozen.facts, frozen.power, frozen.ties, frozen.left_out
        asked, unlabeled = frozen.asked, frozen.unlabeled
    if n_recorded:
        say(
            f"recorded {count(n_recorded, 'event')} first, which the ingested evidence shows and "
            "no detection had recorded"
        )
    say(f"froze slate {frozen}: {facts['n_predictions']:,} predictions")
    if novel_only:
        say(
            f"novel pairs only: {count(left_out['n_known'], 'candidate')} known at the freeze "
            f"{'was' if left_out['n_known'] == 1 else 'were'} left out before ranking"
        )
    if left_out["n_beyond"]:
        say(
            f"{left_out['n_beyond']:,} of {left_out['n_candidates']:,} candidates are not among "
            f"the best {facts['parameters']['top_k']:,} of a disease"
        )
    say(f"SHA-256 {facts['content_sha256']}")
    say(asked)
    if embargo_until:
        say(f"embargoed until {embargo_until.date()}: published sites withhold it until then")
    say(*_drawn(ties))
    say(*power)
    for warning in _coarse(ties):
        say(warning, err=True)
    if left_out["n_low"]:
        lowest, n_emptied = facts["parameters"]["min_score"], left_out["n_diseases"]
        emptied = f", {count(n_emptied, 'disease')} as a whole" if n_emptied else ""
        say(
            f"{left_out['n_low']:,} of the best candidates scored below {lowest:g} and were left "
            f"out{emptied}; see --min-score",
            err=True,
        )
    if left_out["n_candidates"] and not (left_out["n_beyond"] or left_out["n_low"]):
        say(
            "every candidate is predicted, so that little is left to compare with: give a smaller "
            "--top-k, or load all pairs that the model scored",
            err=True,
        )
    if unlabeled:
        verb = "is" if len(unlabeled) == 1 else "are"
        say(
            f"{count(len(unlabeled), 'prediction')} {verb} known by the evidence in the store and "
            f"not by the labels, and so not novel: {some(unlabeled)}",
            err=True,
        )
    if labels is None:
        say(
            "no --labels: nothing counts as known and enrichment versus popularity stays unknown",
            err=True,
        )
    sha256 = str(facts["content_sha256"])
    obtained = stored_tokens(here, sha256, authorities) if authorities else []
    for one in obtained:
        if one.problem:
            say(
                f"no proof of its date: {one.problem}; try again with 'tracker slate prove "
                f"{frozen.short} --authority {one.url}'",
                err=True,
            )


def _drawn(ties: dict[str, Any]) -> list[str]:
    """Return in words how many predictions were drawn from ties, and which ties tiers divide."""
    lines = []
    if ties["n_drawn"]:
        lines.append(
            f"drawn from ties: {ties['n_drawn']:,} predictions, of {ties['n_drawn_from']:,} "
            "candidates with the same score"
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


def _coarse(ties: dict[str, Any]) -> Iterator[str]:
    """Yield in words where the model has fewer distinct scores than predictions."""
    if ties["n_coarse_diseases"]:
        named = ", ".join(f"'{name}'" for name in ties["coarse_diseases"])
        more = ties["n_coarse_diseases"] - len(ties["coarse_diseases"])
        yield (
            f"fewer distinct scores than predictions in {ties['n_coarse_diseases']:,} of "
            f"{ties['n_diseases']:,} diseases: {named}{f' and {more:,} more' if more else ''}; "
            "what the model does not tell apart, the slate cannot either"
        )
    elif ties["n_coarse_scores"]:
        yield (
            f"the model has fewer distinct scores than predictions, {ties['n_coarse_scores']:,}: "
            "lists over all diseases end within ties"
        )
