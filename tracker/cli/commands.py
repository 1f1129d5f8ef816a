"""The commands by name, each imported when needed: all of them together take a second.

They are entry points of the group `tracker.commands`, from tracker and from other packages.
"""

import functools
from collections.abc import Iterable, Iterator, MutableMapping
from importlib.metadata import EntryPoint

import click

from tracker import plugins
from tracker.errors import InputRefused

GROUP = "tracker.commands"

# In the order in which users need them.
SECTIONS = {
    "Start": ("demo", "init"),
    "Predict": ("load", "candidate", "slate", "round"),
    "Evidence": ("ingest", "release", "refresh", "outcome", "coverage"),
    "Report": ("report", "assess", "compare", "leaderboard", "due", "scoreboard"),
    "Retrospective": ("retrospective", "backtest", "benchmark"),
    "Publish": ("publish",),
    "Audit": ("verify", "check", "log", "timestamp", "replay"),
    "Advanced": ("sql", "view", "export", "spark"),
}
_OTHERS = "From other packages"


class Commands(MutableMapping[str, click.Command]):
    """The commands of a click group by name."""

    @functools.cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        return plugins.named(GROUP)

    def __getitem__(self, name: str) -> click.Command:
        """Import a command by its name; raises KeyError for an unknown one."""
        entry = self._entries[name]
        return entry.load() if plugins.is_own(entry) else _of_another_package(entry)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __setitem__(self, name: str, command: click.Command) -> None:
        raise TypeError("commands are entry points")

    def __delitem__(self, name: str) -> None:
        raise TypeError("commands are entry points")


def sections(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of commands by section; those of other packages come last."""
    left = {*names}
    found = {title: [name for name in own if name in left] for title, own in SECTIONS.items()}
    found[_OTHERS] = sorted(left.difference(*SECTIONS.values()))
    return {title: own for title, own in found.items() if own}


def _of_another_package(entry: EntryPoint) -> click.Command:
    """Return a command of another package, or one that prints why it cannot be imported.

    A faulty package must not hide the list of commands.
    """
    try:
        found = plugins.load(entry, "command")
        if not isinstance(found, click.Command):
            raise InputRefused(
                f"command '{entry.name}' ({plugins.origin(entry)}) is no click command"
            )
    except InputRefused as error:
        return _refusing(entry.name, error)
    return found


def _refusing(name: str, error: InputRefused) -> click.Command:
    def refuse(**_: object) -> None:
        raise error

    return click.Command(
        name,
        callback=refuse,
        params=[click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)],
        context_settings={"ignore_unknown_options": True},
        help=f"Not usable: {error}",
    )
