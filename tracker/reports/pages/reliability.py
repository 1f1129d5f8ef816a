"""The reliability curve of a slate's probabilities, and its scores in a sentence."""

from collections.abc import Sequence

from tracker.reports.pages.figures import Curves, Point, Scale
from tracker.reports.pages.sections import Drawing
from tracker.reports.probability_scores import BRIER, LOG, SKILL, not_seen, number
from tracker.reports.records import Record
from tracker.reports.words import between, percent

# Room beyond the largest value of a curve, as a share of it.
_ROOM = 1.04


def drawing(bins: Sequence[Record], brier: Record, log: Record) -> Drawing | None:
    """Draw the bins of one population beside the diagonal; None for a slate without any.

    `brier` and `log` are the rows of its scores.
    """
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
