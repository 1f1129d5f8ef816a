"""The commands by name, each imported when it is asked for: together they take a second."""

import importlib
from collections import UserDict

import click

# The module of tracker.cli in which a command is a function of its own name.
_PLACES = {
    "assess": "uncertainty",
    "backtest": "backtest",
    "benchmark": "benchmark",
    "candidates": "candidates",
    "check": "query",
    "compare": "compare",
    "coverage": "coverage",
    "demo": "demo",
    "detect": "refresh",
    "doctor": "refresh",
    "due": "falsification",
    "estimate": "uncertainty",
    "fetch": "refresh",
    "ingest": "ingest",
    "init": "query",
    "leaderboard": "leaderboard",
    "load": "load",
    "log": "log",
    "outcome": "outcome",
    "publish": "publish",
    "refresh": "refresh",
    "release": "ingest",
    "replay": "replay",
    "report": "report",
    "retrospective": "retrospective",
    "scoreboard": "uncertainty",
    "slate": "slate",
    "spark": "spark",
    "sql": "query",
    "timestamps": "timestamps",
    "verify-site": "publish",
    "views": "query",
}


class Commands(UserDict[str, click.Command]):
    """The commands of a click group by name."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(_PLACES, click.Command(None)))

    def __getitem__(self, name: str) -> click.Command:
        """Import a command; KeyError if there is none of this name."""
        module = importlib.import_module(f"tracker.cli.{_PLACES[name]}")
        found: click.Command = getattr(module, name.replace("-", "_"))
        return found
