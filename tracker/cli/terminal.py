"""Prints text: with colour and a pager on a terminal, as it is elsewhere."""

import os
import re
import shutil
import sys

import click

# The verdicts of plans, checks and hashes, by their colour.
_COLOURS = {
    "green": ("works", "met", "sound", "as frozen"),
    "red": ("does not work", "not met", "falsified", "violated", "refused", "problem"),
    "yellow": ("explained by popularity", "warning"),
    "cyan": ("too early",),
}
_COLOUR_OF = {word: colour for colour, words in _COLOURS.items() for word in words}
# A whole cell of a table, so that no word of a sentence is coloured.
_VERDICT = re.compile(
    rf"(?<=  )({'|'.join(sorted(_COLOUR_OF, key=len, reverse=True))})(?=  |$)", re.M
)


def print_text(text: str) -> None:
    """Print text; on a terminal, verdicts have colour and what is longer than it a pager.

    NO_COLOR, where it is set, leaves colour out.
    """
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    if not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        text = _VERDICT.sub(lambda found: click.style(found[0], _COLOUR_OF[found[0]]), text)
    if text.count("\n") >= shutil.get_terminal_size().lines and sys.stdin.isatty():
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)
