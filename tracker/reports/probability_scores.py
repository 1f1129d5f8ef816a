"""The sections of a slate that declares probabilities: limits of both scores, tables for texts."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tracker.figures import OF_VIEW
from tracker.reports.records import Record, Section
from tracker.reports.uncertainty import Subject, Uncertainty
from tracker.reports.words import NOTHING, percent
from tracker.rows import Rows

BRIER, LOG, RELIABILITY = "brier_score", "log_score", "reliability_bin"
VIEWS = (BRIER, LOG, RELIABILITY)
SKILL = "brier_skill_score"

# A figure so many half widths of its interval from 0 is told from 0 with a probability of 0.8:
# 1 + the normal quantile of 0.8 / that of 0.975. With few degrees of freedom fewer would do.
_SEEN = 1.43

# The parts that add up to the Brier score, with their signs.
_PARTS = {
    "reliability": 1,
    "resolution": -1,
    "uncertainty": 1,
    "within_bin_variance": 1,
    "within_bin_covariance": -1,
}


def text_table(section: Section, subject: Subject) -> Section:
    """Return a section with a table of at most 80 columns; what is unknown is explained below.

    An interval is in parentheses. The Brier score gets the limits of its skill, and its parts.
    """
    found = subject.found
    if section.view == BRIER:
        section = replace(section, rows=found.with_limits(BRIER, SKILL, section.rows))
    headings, cells = {BRIER: _brier, LOG: _log, RELIABILITY: _bin}[section.view]()
    return replace(
        section,
        text_table=Rows(headings, [cells(one) for one in section.rows.records()]),
        notes=tuple(dict.fromkeys(_notes(section.view, section.rows, found))),
    )


Cells = Callable[[Record], tuple[object, ...]]


def _brier() -> tuple[list[str], Cells]:
    return ["pairs", "hits", "of", "Brier score (95%)", "skill (95%)"], lambda one: (
        one["population"],
        one["n_hits"],
        one["n_predictions"],
        _interval(one[BRIER], one["low"], one["high"], number),
        _interval(one[SKILL], one[f"low_{SKILL}"], one[f"high_{SKILL}"], number),
    )


def _log() -> tuple[list[str], Cells]:
    return ["pairs", "hits", "of", "log score (95%)", "skill"], lambda one: (
        one["population"],
        one["n_hits"],
        one["n_predictions"],
        _interval(one[LOG], one["low"], one["high"], number),
        NOTHING if one["log_skill_score"] is None else number(one["log_skill_score"]),
    )


def _bin() -> tuple[list[str], Cells]:
    headings = ["pairs", "bin", "hits", "of", "censored", "predicted", "observed (95%)"]
    return headings, lambda one: (
        one["population"],
        one["probability_bin"],
        one["n_hits"],
        one["n_predictions"],
        one["n_censored"],
        NOTHING if one["mean_probability"] is None else percent(one["mean_probability"]),
        _interval(one["observed_rate"], one["low"], one["high"], percent),
    )


def number(value: float) -> str:
    """Return a score with three significant digits."""
    return f"{value:.3g}"


def _interval(
    value: float | None, low: float | None, high: float | None, of: Callable[[float], str]
) -> str:
    if value is None:
        return NOTHING
    if low is None or high is None:
        return of(value)
    return f"{of(value)} ({of(low).rstrip('%')} to {of(high).rstrip('%')})"


def _notes(view: str, table: Rows, found: Uncertainty) -> Iterator[str]:
    rows = table.records()
    for one in rows:
        if one.get("reason"):
            yield f"{one['population']}: {one['reason']}"
    for one in rows:
        if view == BRIER and one[BRIER] is not None:
            yield f"{one['population']}: {number(one[BRIER])} = {_parts(one)}"
    for figure in OF_VIEW[view].figures:
        for one, estimate in zip(rows, found.of_rows(view, figure.name, table), strict=True):
            if estimate is None or estimate.value is None:
                continue
            if estimate.low is None or estimate.high is None:
                yield f"{one['population']}: no interval: {estimate.reason}"
            elif figure.name == SKILL and (unseen := not_seen(estimate.low, estimate.high)):
                yield f"{one['population']}: {unseen}"


def not_seen(low: float, high: float) -> str:
    """Return in words which skills would have stayed unseen; nothing where one was seen."""
    if not low <= 0 <= high:
        return ""
    least = _SEEN * (high - low) / 2
    return (
        f"the skill is not told from 0; with this spread one above {number(least)} or below "
        f"{number(-least)} would have been in four of five slates"
    )


def _parts(one: Record) -> str:
    """Return the parts of a Brier score as a sum in words."""
    words = ""
    for name, sign in _PARTS.items():
        value = sign * one[name]
        joint = ("-" if value < 0 else "") if not words else " - " if value < 0 else " + "
        words += f"{joint}{number(abs(value))} {name.replace('_', ' ')}"
    return words
