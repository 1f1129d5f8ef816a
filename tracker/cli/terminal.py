"""Prints text: coloured, wrapped and paged on a terminal, unchanged elsewhere."""

import os
import re
import shutil
import sys
import textwrap

import click

from tracker import text_tables
from tracker.rows import shown

# A file may contain a name of several megabytes.
_LONGEST_LINE = 1_000
# The colours of verdicts of plans, checks and hashes.
_COLOURS = {
    "green": ("works", "met", "sound", "as frozen"),
    "red": ("does not work", "not met", "falsified", "violated", "refused", "problem"),
    "yellow": ("explained by popularity", "inconclusive", "warning"),
    "cyan": ("too early",),
}
_COLOUR_OF = {word: colour for colour, words in _COLOURS.items() for word in words}
# Matches a whole cell of a table, so that no word of a sentence is coloured.
_VERDICT = re.compile(
    rf"(?<=  )({'|'.join(sorted(_COLOUR_OF, key=len, reverse=True))})(?=  |$)", re.M
)

# Lines do not break inside these: a quoted command, an option with its value.
_NAMED = re.compile(r"'tracker [^']*'")
_OPTION = re.compile(r"(?<= )(-\S+) (?=[^-])")


def is_asked(option: str) -> bool:
    """Whether the running command was given an option of `tracker` itself, such as quiet."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get(option))


def say(*lines: str, err: bool = False) -> None:
    """Print lines of prose, without control codes; on a terminal, wrapped at its width.

    `--quiet` leaves only what goes to standard error.
    """
    if not err and is_asked("quiet"):
        return
    is_terminal = (sys.stderr if err else sys.stdout).isatty()
    for line in map(shown, lines):
        click.echo(wrapped(line) if is_terminal else line, err=err)


def say_error(*lines: str) -> None:
    """Print an error to stderr, without control codes, long lines cut."""
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} ..." for line in lines]
    say(f"error: {cut[0]}", *cut[1:], err=True)


def say_command(line: str, command: str) -> None:
    """Print prose that ends in a shell command, which a terminal shows below it, to be pasted."""
    if not sys.stdout.isatty():
        say(f"{line} {command}")
        return
    say(line)
    parts = _OPTION.sub("\\1\0", shown(command))
    broken = _filled(f"    {parts}", text_tables.terminal_width() - len(" \\"), " " * 4)
    click.echo(broken.replace("\n", " \\\n"))


def wrapped(line: str) -> str:
    """Return prose broken at spaces to fit the terminal, continuation lines indented.

    A longer word, such as a path or a hash, stays whole, so that it can be copied.
    """
    width = text_tables.terminal_width()
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    if len(line) <= width:
        return line
    named = _NAMED.sub(lambda found: found[0].replace(" ", "\0"), line)
    return _filled(named, width, indent)


def _filled(text: str, width: int, indent: str) -> str:
    """Return a text in lines; a NUL in it becomes a space where no line breaks."""
    return textwrap.fill(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\0", " ")


def print_text(text: str) -> None:
    """Print text; a terminal colours verdicts unless NO_COLOR is set, and pages long text."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    if not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        text = _VERDICT.sub(lambda found: click.style(found[0], _COLOUR_OF[found[0]]), text)
    if text.count("\n") >= shutil.get_terminal_size().lines and sys.stdin.isatty():
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)
