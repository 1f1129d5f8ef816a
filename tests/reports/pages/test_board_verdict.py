"""The verdict of a leaderboard: who is best, told from the next and from the baseline or not."""

from collections.abc import Mapping, Sequence

import pytest

from tracker.extras.benchmarks import board_verdict
from tracker.extras.benchmarks.boards import Baseline, Board, Line
from tracker.uncertainty.estimates.duels import Duel
from tracker.uncertainty.stats import Interval

# The submissions by number: their values and the lower limits of their intervals.
CLEAR = {1: (0.8, 0.7), 2: (0.6, 0.5), 3: (0.5, 0.4)}


def _duel(first: int, versus: int, p_adjusted: float) -> Duel[int]:
    compared = Interval("", "", 9, 9, 0.1, 0.0, 0.2, p_value=p_adjusted)
    return Duel(first, versus, compared, p_adjusted)


def _board(
    values: Mapping[int, tuple[float, float | None]],
    p_values: Sequence[float],
    baseline: float | None = 0.3,
    reason: str | None = None,
) -> Board:
    """A board on which the first submission is compared with the others, in their order."""
    lines = [
        Line(number, f"lab{number}", value, low, None if low is None else value + 0.1, 1, False)
        for number, (value, low) in values.items()
    ]
    first, *others = values
    pairs = [_duel(first, other, p) for other, p in zip(others, p_values, strict=True)]
    baselines = [] if baseline is None else [Baseline("most frequent", baseline)]
    baselines += [Baseline("random labels", 0.1)]
    return Board("mean_spearman", "test", None, lines, pairs, reason, baselines)


@pytest.mark.parametrize(
    ("board", "word", "sentence"),
    [
        (
            _board(CLEAR, [0.001, 0.001]),
            "#1 lab1 is best",
            "By mean Spearman, track test, #1 lab1 has the best value, 0.800, and is shown to be "
            "better than the next, #2 lab2, with 0.600. Its 95% interval, 0.700 to 0.900, lies "
            "above the best baseline without a model, 'most frequent' (0.300).",
        ),
        (
            _board(CLEAR, [0.2, 0.3]),
            "No clear best",
            "0.800, but is not shown to be better than the next, #2 lab2, with 0.600, nor than "
            "1 more.",
        ),
        (
            _board(CLEAR, [0.001, 0.2]),
            "No clear best",
            "and is shown to be better than the next, #2 lab2, with 0.600, but not than 1 of the "
            "others.",
        ),
        (
            _board(CLEAR, [0.001, 0.001], baseline=0.7),
            "No submission is shown to beat the baseline",
            "0.700 to 0.900, does not lie above the best baseline without a model, 'most frequent'",
        ),
        (
            _board({1: (0.8, 0.7)}, []),
            "#1 lab1 is the only one ranked",
            "#1 lab1 has the best value, 0.800. Its 95% interval",
        ),
        (
            _board({1: (0.8, None), 2: (0.6, None)}, [1.0], reason="too few items"),
            "No clear best",
            "Without an interval it is not known whether it beats the best baseline",
        ),
    ],
)
def test_the_verdict_names_the_best_the_next_and_the_baseline(
    board: Board, word: str, sentence: str
) -> None:
    verdict = board_verdict.of_boards([board])
    assert verdict.word == word
    assert sentence in verdict.sentence


def test_why_submissions_cannot_be_told_apart_is_said() -> None:
    board = _board({1: (0.8, None), 2: (0.6, None)}, [1.0], reason="too few items")
    assert "told apart: too few items." in board_verdict.of_boards([board]).certainty


def test_without_a_ranked_submission_nothing_is_best() -> None:
    assert board_verdict.of_boards([]).word == "Nothing is ranked yet"
