"""A slate with declared probabilities: score tables for texts, and the reliability curve."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tracker.figures import OF_VIEW
from tracker.reports.pages.figures import Curves, Point, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing
from tracker.reports.records import Record, Section, first, records
from tracker.reports.uncertainty import Subject, Uncertainty
from tracker.reports.words import between, or_dash, percent, with_limits
from tracker.rows import Rows

BRIER, LOG, RELIABILITY = "brier_score", "log_score", "reliability_bin"
VIEWS = (BRIER, LOG, RELIABILITY)
SKILL = "brier_skill_score"

# A test detects a figure this many half widths from 0 with probability 0.8: 1 + the normal quantile
# of 0.8 / that of 0.975. Few degrees of freedom would need less.
_SEEN = 1.43

# Room above the largest value of a curve, as a multiple of it.
_ROOM = 1.04

# The terms of the Brier score, with their signs.
_PARTS = {
    "reliability": 1,
    "resolution": -1,
    "uncertainty": 1,
    "within_bin_variance": 1,
    "within_bin_covariance": -1,
}


def text_table(section: Section, subject: Subject) -> Section:
    """Return a section with a table of at most 80 columns, and notes on what is unknown.

    Intervals are in parentheses. The Brier score gets its decomposition and its skill's limits.
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
        with_limits(one[BRIER], one["low"], one["high"], of=number),
        with_limits(one[SKILL], one[f"low_{SKILL}"], one[f"high_{SKILL}"], of=number),
    )


def _log() -> tuple[list[str], Cells]:
    return ["pairs", "hits", "of", "log score (95%)", "skill"], lambda one: (
        one["population"],
        one["n_hits"],
        one["n_predictions"],
        with_limits(one[LOG], one["low"], one["high"], of=number),
        or_dash(one["log_skill_score"], number),
    )


def _bin() -> tuple[list[str], Cells]:
    headings = ["pairs", "bin", "hits", "of", "censored", "predicted", "observed (95%)"]
    return headings, lambda one: (
        one["population"],
        one["probability_bin"],
        one["n_hits"],
        one["n_predictions"],
        one["n_censored"],
        or_dash(one["mean_probability"], percent),
        with_limits(one["observed_rate"], one["low"], one["high"], of=percent),
    )


def number(value: float) -> str:
    """Return a score with three significant digits."""
    return f"{value:.3g}"


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
    """Say which skills would have gone undetected; empty if one was detected."""
    if not low <= 0 <= high:
        return ""
    least = _SEEN * (high - low) / 2
    return (
        f"the skill is not told from 0; with this spread one above {number(least)} or below "
        f"{number(-least)} would have been in four of five slates"
    )


def _parts(one: Record) -> str:
    words = ""
    for name, sign in _PARTS.items():
        value = sign * one[name]
        joint = ("-" if value < 0 else "") if not words else " - " if value < 0 else " + "
        words += f"{joint}{number(abs(value))} {name.replace('_', ' ')}"
    return words


def drawing(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw the bins of the lead's population beside the diagonal; None without any."""
    bins = records(sections, RELIABILITY, **lead.keys)
    brier, log = (first(sections, view, **lead.keys) for view in (BRIER, LOG))
    if not bins or not brier:
        return None
    if brier[BRIER] is None:
        return Drawing(f"Whether the probabilities hold is not known: {brier['reason']}.")
    points = [
        Point("", one["mean_probability"], one["observed_rate"], one["low"], one["high"])
        for one in bins
        if one["observed_rate"] is not None
    ]
    most = max(max(one.x, one.y, one.high or 0) for one in points)
    end = min(1.0, most * _ROOM) or 1.0
    return Drawing(
        f"On average {percent(brier['mean_probability'])} was predicted and "
        f"{percent(brier['observed_rate'])} came true. {_scores(brier, log)}",
        Curves(
            tuple(points),
            Scale("mean predicted probability of the group", ".2~%", 0, end),
            Scale("share that came true", ".2~%", 0, end),
            has_bands=True,
            has_diagonal=True,
        ),
        [f"predicted {percent(one.x)}: {percent(one.y)}" for one in points],
    )


def _scores(brier: Record, log: Record) -> str:
    found, unseen = f"The Brier score is {number(brier[BRIER])}", ""
    interval = between(brier["low"], brier["high"], of=number)
    found += f" ({interval})" if interval else ""
    if brier[SKILL] is not None:
        limits = between(brier[f"low_{SKILL}"], brier[f"high_{SKILL}"], of=number)
        found += (
            f", a skill of {number(brier[SKILL])}{f' ({limits})' if limits else ''} over the "
            "observed rate for every pair"
        )
        if limits and (words := not_seen(brier[f"low_{SKILL}"], brier[f"high_{SKILL}"])):
            unseen = f" {words[0].upper()}{words[1:]}."
    found += (
        f"; the log score is {number(log[LOG])}."
        if log.get(LOG) is not None
        else f"; the log score is not known: {log.get('reason')}."
    )
    return found + unseen
