"""A submission's score and a leaderboard as rows of text: table, markdown, csv or json."""

from collections.abc import Sequence
from typing import Any

from tracker.report import scoring
from tracker.report.records import Section, tidy
from tracker.rows import Rows, render, shown, to_json

# The CSV columns that identify a value's row in its view.
_KEYS = (
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
)


def render_score(sections: Sequence[Section], form: str) -> str:
    """Return the sections of a score in one of the formats of tracker.rows."""
    if form == "json":
        return to_json({section.view: section.rows.records() for section in sections})
    if form == "csv":
        return render(tidy(sections, _KEYS).without_empty("standing"), form)
    mark = "## " if form == "markdown" else ""
    return "".join(
        f"{mark}{section.title} ({section.view})\n\n{render(section.rows, form)}\n"
        for section in sections
    )


def render_leaderboard(leaderboard: scoring.Leaderboard, form: str) -> str:
    """Return a leaderboard with the best of each column marked; in csv and json, a column."""
    if form in ("json", "csv"):
        return render(_with_best(leaderboard), form)
    text = render(_starred(leaderboard.ranked).without_empty("reason"), form)
    if leaderboard.unranked.values:
        text += f"\nNot ranked overall:\n\n{render(leaderboard.unranked, form)}"
    if leaderboard.by_target.values:
        by_target = leaderboard.by_target.without_empty("reason")
        text += f"\nBy target, among the submissions that complete it:\n\n{render(by_target, form)}"
    return text


def _with_best(leaderboard: scoring.Leaderboard) -> Rows:
    """Ranked and separate entries together, with the metrics in which each is best."""
    best = scoring.best(leaderboard.ranked) + [[] for _ in leaderboard.unranked.values]
    values = [
        (*row, ", ".join(metrics) or None)
        for row, metrics in zip(
            leaderboard.ranked.values + leaderboard.unranked.values, best, strict=True
        )
    ]
    return Rows([*leaderboard.ranked.columns, "best_in"], values)


def _starred(rows: Rows) -> Rows:
    """Mark the best value of each column with a star and a shared rank with an equals sign."""
    starred = []
    ranks = {name: [row[i] for row in rows.values] for i, name in enumerate(rows.columns)}
    for row, best in zip(rows.values, scoring.best(rows), strict=True):
        cells: list[Any] = []
        for name, value in zip(rows.columns, row, strict=True):
            if name in best:
                cells.append(f"{shown(value)}*")
            elif name.endswith("_rank") and value is not None and ranks[name].count(value) > 1:
                cells.append(f"{value}=")
            else:
                cells.append(value)
        starred.append(tuple(cells))
    return Rows(rows.columns, starred)
