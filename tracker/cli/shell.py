"""The interactive shell of `tracker sql`: statements that end with a semicolon, and their answers.

Lines are edited by the standard library's readline where Python has it, with a history and with
completion of views, tables, columns and keywords.
"""

import contextlib
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from tracker.cli import signals
from tracker.cli.common import print_error
from tracker.cli.terminal import print_text
from tracker.errors import TrackerError
from tracker.rows import Rows, render

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PROMPT, _CONTINUED = "sql> ", "...> "
_HELP = """\
A statement ends with a semicolon; it only reads. Tab completes views, tables and columns.
  .views [TEXT]   the views, or those with TEXT in their name or title
  .help           this help
  .quit           leave, as Ctrl-D does
Ctrl-C cancels the line or the query.
"""
_DOTTED = (".help", ".quit", ".views")
_HISTORY_LINES = 1000
# What may contain a semicolon that ends nothing.
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_KEYWORDS = (
    *("all", "and", "as", "asc", "between", "by", "case", "count", "cross", "desc", "describe"),
    *("distinct", "else", "end", "except", "exists", "explain", "false", "filter", "from"),
    *("full", "group", "having", "in", "inner", "intersect", "is", "join", "left", "like", "limit"),
    *("max", "min", "not", "null", "offset", "on", "or", "order", "outer", "over", "partition"),
    *("qualify", "right", "select", "sum", "then", "true", "union", "using", "values", "when"),
    *("where", "with"),
)


def run(connection: "Connection", answer: Callable[[str], None]) -> None:
    """Read statements from the terminal until its end; `answer` runs and prints each.

    A TrackerError or Ctrl-C during a statement is reported, and the next one is read.
    """
    click.echo("Read-only SQL on the store; .help for help, .quit or Ctrl-D to leave.")
    pending = ""
    with _interruptible(), _edited(connection) as remember:
        while True:
            try:
                line = input(_CONTINUED if pending else _PROMPT)
            except EOFError:
                click.echo()
                return
            except signals.Interrupted as interrupted:
                _unless_cancelled(interrupted)
                pending = ""
                continue
            if not pending and line.lstrip().startswith("."):
                remember(line)
                if line.strip() in (".quit", ".exit"):
                    return
                _dotted(line.split())
                continue
            pending = f"{pending}\n{line}" if pending else line.strip()
            if not _is_complete(pending):
                continue
            remember(pending)
            statement, pending = pending, ""
            try:
                answer(statement)
            except signals.Interrupted as interrupted:
                _unless_cancelled(interrupted)
            except TrackerError as error:
                print_error(*error.lines)


def _is_complete(text: str) -> bool:
    bare = _QUOTED.sub(" ", text)
    return bare.rstrip().endswith(";") and not re.search(r"['\"]|/\*", bare)


def _dotted(words: list[str]) -> None:
    from tracker.store import catalog

    if words[0] == ".help":
        click.echo(_HELP, nl=False)
    elif words[0] == ".views":
        listed = catalog.listed(" ".join(words[1:]), with_steps=True)
        found = [(view.name, view.header["Title"]) for view in listed]
        print_text(render(Rows(["view", "title"], found), "table"))
    else:
        print_error(f"no command is named '{words[0]}'; see .help")


def _unless_cancelled(interrupted: signals.Interrupted) -> None:
    """Raise what is to end the process; Ctrl-C only cancels."""
    if interrupted.number != signal.SIGINT:
        raise interrupted
    click.echo("\ncancelled", err=True)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let each Ctrl-C raise Interrupted, where a second one would end another command at once."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        raise signals.Interrupted(number)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _edited(connection: "Connection") -> Iterator[Callable[[str], None]]:
    """Make lines editable, with history and completion; yield what adds to the history."""
    try:
        import readline
    except ImportError:
        yield lambda _text: None
        return
    path = _history_path()
    readline.set_auto_history(False)
    readline.set_history_length(_HISTORY_LINES)
    if path is not None:
        with contextlib.suppress(OSError):
            readline.read_history_file(path)
    names = _names(connection)
    found: list[str] = []

    def complete(text: str, state: int) -> str | None:
        if state == 0:
            before, dot, begun = text.rpartition(".")
            known = _DOTTED if text.startswith(".") else names
            stem = text if known is _DOTTED else begun
            lead = "" if known is _DOTTED else before + dot
            found[:] = [lead + name for name in known if name.startswith(stem.lower())]
        return found[state] if state < len(found) else None

    def remember(text: str) -> None:
        # A comment would hide what follows it in a single line.
        for line in text.splitlines() if "--" in text else [" ".join(text.split("\n"))]:
            readline.add_history(line)
        if path is not None:
            with contextlib.suppress(OSError):
                readline.write_history_file(path)

    previous = readline.get_completer()
    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n\"'`()[]{},;=<>+-*/|:")
    is_libedit = getattr(readline, "backend", "readline") == "editline"
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    try:
        yield remember
    finally:
        readline.set_completer(previous)
        readline.set_auto_history(True)


def _history_path() -> Path | None:
    """Return the private file of the history, None where there can be none."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    path = Path(state).expanduser() / "tracker" / "sql_history"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return None
    return path


def _names(connection: "Connection") -> list[str]:
    """Return what can be completed: keywords, and the names of views, tables and columns."""
    from sqlalchemy import text

    query = text(
        "select distinct unnest([table_name, column_name]) as name "
        "from information_schema.columns where table_schema = 'main'"
    )
    stored = {str(name) for (name,) in connection.execute(query)}
    # Others would need quotes, and might hold control codes.
    plain = {name for name in stored if re.fullmatch(r"[a-z_][a-z0-9_]*", name)}
    return sorted({*plain, *_KEYWORDS})
