"""A submission's score and a leaderboard as rows of text: table, markdown, csv or json."""

from collections.abc import Sequence

from tracker import text_tables
from tracker.extras.benchmarks import boards
from tracker.extras.benchmarks.boards import Board, Line
from tracker.extras.benchmarks.scoring import Leaderboard
from tracker.reports.kinds import Kind
from tracker.reports.records import Section, tidy
from tracker.reports.words import cell, label, sentence, with_limits
from tracker.rows import Rows, render, to_json

SUBMISSION = Kind(
    "submission",
    "Submission by {submitter} to {benchmark}",
    (
        "submission_id",
        "fold",
        "target",
        "lowest_class",
        "min_class",
        "threshold",
        "k",
        "recall_target",
        "decile",
        "figure",
        "method",
    ),
)


def render_score(sections: Sequence[Section], form: str) -> str:
    """Return the sections of a score in one of the formats of tracker.rows."""
    if form == "json":
        return to_json({section.view: section.rows.records() for section in sections})
    if form == "csv":
        return render(tidy(sections, SUBMISSION.keys).without_empty("standing"), form)
    mark = "## " if form == "markdown" else ""
    return "".join(
        f"{_lines(f'{mark}{section.title} ({section.view})', form)}\n{render(section.rows, form)}\n"
        for section in sections
    )


def render_leaderboard(leaderboard: Leaderboard, form: str) -> str:
    """Return a leaderboard in a format; csv and json have all columns, and what is best."""
    if form in ("json", "csv"):
        return render(_with_best(leaderboard), form)
    parts = _rankings(leaderboard.boards)
    if leaderboard.ranked.values:
        parts.append(("Submissions", entry_rows(leaderboard.ranked)))
    if leaderboard.unranked.values:
        parts.append(("Not ranked overall", entry_rows(leaderboard.unranked, with_values=True)))
        if any(one.get("n_complete_targets") for one in leaderboard.unranked.records()):
            parts += _rankings(leaderboard.target_boards)
    found = [*leaderboard.boards, *leaderboard.target_boards]
    return _texts(parts, found, form, leaderboard.doubts)


def render_targets(rows: Rows, found: Sequence[Board], form: str) -> str:
    """Return the rankings of each target in a format; csv and json have all columns."""
    if form in ("json", "csv"):
        return render(rows, form)
    return _texts(_rankings(found), found, form)


def board_rows(found: Sequence[Board]) -> Rows:
    """Return boards of one metric as rows to read: rank, submission, figure with its interval.

    A star marks the best value of a board, an equals sign a rank that is shared on it. Baselines
    are at its end, without a rank.
    """
    rows = Rows(
        ["target", "rank", "submission", "track", label(found[0].metric)],
        [
            (board.target, rank, who, board.track, figure)
            for board in found
            for rank, who, figure in [
                *[(_rank(line, board), boards.name(line), _figure(line)) for line in board.lines],
                *[(None, f"{one.name} (baseline)", f"{one.value:.3f}") for one in board.baselines],
            ]
        ],
    )
    return rows.without_empty("target")


def entry_rows(rows: Rows, *, with_values: bool = False) -> Rows:
    """Return the submissions of a leaderboard as rows to read: who, track, model, when frozen.

    `with_values` adds the figures of those that are not ranked, and why.
    """
    metrics = boards.metrics_of(rows) if with_values else []
    values = []
    for one in rows.records():
        is_before = one.get("is_frozen_before_truth")
        frozen = None if is_before is None else f"{'before' if is_before else 'after'} truth"
        figures = [cell(metric, one[metric]) for metric in metrics]
        reason = one.get("reason") if with_values else None
        who = f"#{one['submission_id']} {one['submitter']}"
        model = " ".join(one[name] for name in ("model", "model_version") if one[name]) or None
        facts = (model, one["license"], one["trained_until"], one["link"])
        values.append((who, one["track"], *figures, *facts, frozen, reason))
    optional = ("model", "license", "trained until", "link", "frozen", "reason")
    rows = Rows(["submission", "track", *map(label, metrics), *optional], values)
    for name in optional:
        rows = rows.without_empty(name)
    return rows


def notes(found: Sequence[Board]) -> list[str]:
    """Return the rule of the ranks of boards, with the reason why some have no differences."""
    if not found:
        return []
    reasons = [board.reason for board in found if board.reason is not None]
    untold = f" Where nobody is ranked above another: {reasons[0]}." if reasons else ""
    return [
        "A rank is 1 + the number of submissions shown to be better (paired by item, "
        "p < 0.05 adjusted by Holm); those that cannot be told apart share it (=). #3 is a "
        "submission's number, not its rank. In parentheses the 95% interval; * marks the best "
        f"value.{untold}"
    ]


def _rankings(found: Sequence[Board]) -> list[tuple[str, Rows]]:
    """Return a heading and the rows of each metric's boards, in the order of the metrics."""
    parts = []
    for metric in dict.fromkeys(board.metric for board in found):
        own = [board for board in found if board.metric == metric]
        by_target = "" if own[0].target is None else " by target"
        parts.append((sentence(label(metric)).rstrip(".") + by_target, board_rows(own)))
    return parts


def _texts(
    parts: Sequence[tuple[str, Rows]], found: Sequence[Board], form: str, doubts: Sequence[str] = ()
) -> str:
    if not parts:
        return "Nothing has been submitted yet.\n"
    mark = "## " if form == "markdown" else ""
    texts = [f"{mark}{heading}\n\n{render(rows, form)}" for heading, rows in parts]
    texts += [_lines(note, form) for note in (*doubts, *notes(found))]
    return "\n".join(texts)


def _lines(text: str, form: str) -> str:
    """Return a text with a line end, in lines that fit the terminal unless it is Markdown."""
    width = text_tables.terminal_width()
    return "\n".join([text] if form == "markdown" else text_tables.wrap(text, width)) + "\n"


def _rank(line: Line, board: Board) -> str:
    ranks = [one.rank for one in board.lines]
    return f"{line.rank}{'=' if ranks.count(line.rank) > 1 else ''}"


def _figure(line: Line) -> str:
    text = with_limits(line.value, line.low, line.high, of="{:.3f}".format)
    return f"{text}{'*' if line.is_best else ''}"


def _with_best(leaderboard: Leaderboard) -> Rows:
    """Return ranked entries with the metrics in which each is best, then those not ranked."""
    ranked = leaderboard.ranked
    places = {name: ranked.columns.index(name) + 1 for name in boards.metrics_of(ranked)}
    best = [[name for name, place in places.items() if row[place] == 1] for row in ranked.values]
    values = [
        *((*row, ", ".join(names) or None) for row, names in zip(ranked.values, best, strict=True)),
        *((*row, None) for row in leaderboard.unranked.values),
    ]
    return Rows([*ranked.columns, "best_in"], values)
