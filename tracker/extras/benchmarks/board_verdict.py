"""The verdict of a benchmark's leaderboard: who leads, by how much, and over which baseline."""

from collections.abc import Sequence

from tracker.extras.benchmarks import boards
from tracker.extras.benchmarks.boards import Baseline, Board, Line
from tracker.reports.pages.page import Verdict
from tracker.reports.words import count, label, short

QUESTION = "Which submission is best?"


def of_boards(found: Sequence[Board]) -> Verdict:
    """Return the verdict by the first metric, on the first track if there are several."""
    if not found:
        return Verdict(
            "Nothing is ranked yet",
            "A submission is ranked once it completes every target and the truth is known.",
            "There is no figure yet.",
        )
    board = found[0]
    lines = sorted(board.lines, key=lambda line: (-line.value, line.submission_id))
    best, others = lines[0], lines[1:]
    level = _level_with(board, best, others)
    baseline = max(board.baselines, key=lambda one: (one.value, one.name), default=None)
    if baseline is not None and _is_none_above(lines, baseline):
        word = "No submission is shown to beat the baseline"
    elif level:
        word = "No clear best"
    elif others:
        word = f"{_name(best)} is best"
    else:
        word = f"{_name(best)} is the only one ranked"
    leads = f"By {label(board.metric)}, track {board.track}, {_name(best)} has the best value, "
    leads += f"{best.value:.3f}{_beside_others(others, level)}."
    return Verdict(word, " ".join([leads, *_beside(best, baseline)]), _certainty(board))


def _level_with(board: Board, best: Line, others: Sequence[Line]) -> list[Line]:
    """Return the submissions that the best one is not shown to beat."""
    beaten = {
        pair.versus for pair in board.pairs if pair.first == best.submission_id and pair.is_told
    }
    return [one for one in others if one.submission_id not in beaten]


def _is_above(line: Line, baseline: Baseline) -> bool:
    return line.low is not None and line.low > baseline.value


def _is_none_above(lines: Sequence[Line], baseline: Baseline) -> bool:
    """Whether the intervals show that no submission is above a baseline; not without intervals."""
    known = [line for line in lines if line.low is not None]
    return bool(known) and not any(_is_above(line, baseline) for line in known)


def _beside_others(others: Sequence[Line], level: Sequence[Line]) -> str:
    """Say how the best compares with the next, and how many more it is not shown to beat."""
    if not others:
        return ""
    following = f"the next, {_name(others[0])}, with {others[0].value:.3f}"
    n_more = len(level) - (others[0] in level)
    if others[0] in level:
        more = f", nor than {n_more:,} more" if n_more else ""
        return f", but is not shown to be better than {following}{more}"
    more = f", but not than {n_more:,} of the others" if n_more else ""
    return f", and is shown to be better than {following}{more}"


def _beside(best: Line, baseline: Baseline | None) -> list[str]:
    """Say how the best compares with the best baseline, if there is one."""
    if baseline is None:
        return []
    of = f"the best baseline without a model, '{baseline.name}' ({baseline.value:.3f})"
    if best.low is None or best.high is None:
        return [f"Without an interval it is not known whether it beats {of}."]
    where = "lies above" if _is_above(best, baseline) else "does not lie above"
    return [f"Its 95% interval, {best.low:.3f} to {best.high:.3f}, {where} {of}."]


def _certainty(board: Board) -> str:
    if len(board.lines) == 1:
        return "There is no other submission to compare it with."
    if board.reason is not None:
        return f"No two submissions can be told apart: {board.reason}."
    return (
        f"{count(len(board.lines), 'submission')} are compared in pairs on the same items, at "
        "p < 0.05 after adjustment for the number of pairs."
    )


def _name(line: Line) -> str:
    return short(boards.name(line))
