"""The states of a slate, each with a word, colour and shape of its own, in charts and text."""

from typing import Any

from tracker.reports import assessment
from tracker.reports.kinds import Report
from tracker.reports.pages.figures import Style

REPLAY = assessment.REPLAY

# The colour-blind can tell blue from orange; the shapes need no colour.
STYLES = (
    Style(assessment.WORKS, 1, "circle"),
    Style(assessment.DOES_NOT_WORK, 2, "square"),
    Style(assessment.EXPLAINED, 4, "diamond"),
    Style(assessment.INCONCLUSIVE, 3, "cross"),
    Style(assessment.TOO_EARLY, 6, "triangle-up"),
    Style(REPLAY, 5, "triangle-down"),
)
_SHAPES = {
    "circle": "\N{BLACK CIRCLE}",
    "square": "\N{BLACK SQUARE}",
    "diamond": "\N{BLACK DIAMOND}",
    "cross": "\N{HEAVY PLUS SIGN}",
    "triangle-up": "\N{BLACK UP-POINTING TRIANGLE}",
    "triangle-down": "\N{BLACK DOWN-POINTING TRIANGLE}",
}
# The shape of each state as a character.
GLYPHS = {one.series: _SHAPES[one.shape] for one in STYLES}


def state_of(facts: dict[str, Any], assessed: Report | None) -> str:
    """Return the state of a slate with these facts; empty without an assessment by its plan."""
    if facts["is_replay"]:
        return REPLAY
    return "" if assessed is None else str(assessed.facts["overall"])
