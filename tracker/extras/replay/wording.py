"""A replay as text: tables and sentences to read, json and csv to compute with."""

import textwrap
from pathlib import Path

from tracker import text_tables
from tracker.extras.replay.running import Replayed
from tracker.rows import Rows, markdown_cell, render, shown, to_json

# The most differences in a text; json and csv have all.
MOST_TOLD = 20


def text(done: Replayed, form: str) -> str:
    """Return a replay in one of the formats of rows; csv has the differences, each whole."""
    if form == "csv":
        return render(done.differences, form)
    if form == "json":
        document = {
            "summary": done.summary,
            "is_equal": done.is_equal,
            "exit_code": done.exit_code,
            "notes": list(done.notes),
            "releases": done.releases.records(),
            "compared": done.compared.records(),
            "differences": done.differences.records(),
        }
        return to_json(document)
    lines = _lines(done)
    if form == "markdown":
        listed = "".join(f"- {markdown_cell(line)}\n" for line in lines)
    else:
        width = text_tables.terminal_width()
        listed = "".join(
            textwrap.fill(shown(line), width, subsequent_indent="  ") + "\n" for line in lines
        )
    return "\n".join([render(_releases(done), form), render(done.compared, form), listed])


def _releases(done: Replayed) -> Rows:
    """Return the releases as a screen has room for: files by their names."""
    listed = done.releases.without("problem").without("sha256")
    named = [(*row[:-1], row[-1] and Path(row[-1]).name) for row in listed.values]
    return Rows(listed.columns, named)


def _lines(done: Replayed) -> list[str]:
    """Return the first differences, what was not checked, and the summary."""
    words = done.differences.columns.index("difference")
    told = [row[words] for row in done.differences.values[:MOST_TOLD]]
    n_hidden = len(done.differences.values) - len(told)
    more = [f"and {n_hidden:,} more; --format csv or json has all"] if n_hidden > 0 else []
    problem, file = (done.releases.columns.index(name) for name in ("problem", "file"))
    problems = [f"{row[file]}: {row[problem]}" for row in done.releases.values if row[problem]]
    return [*told, *more, *problems, *done.notes, done.summary]
