"""What a command writes goes where -o says, in one spelling."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from support import Tracker, exited

from tracker.cli import main
from tracker.cli.groups import Branching

SLATE = "5c9f4a52"
# Commands that read a folder.
READING = ("import", "round check")


def _all(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        own = (*words, name)
        if not isinstance(command, click.Group) or isinstance(command, Branching):
            yield " ".join(own), command
        if isinstance(command, click.Group):
            yield from _all(command, own)


def _is_hidden(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and parameter.hidden


def _writing() -> Iterator[tuple[str, set[str]]]:
    """Each command that prints rows or writes a folder, and its options that the help shows."""
    for name, command in _all(main):
        names = {one.name for one in command.params}
        shown = {word for one in command.params if not _is_hidden(one) for word in one.opts}
        if "--format" in shown or ("folder" in names and not name.endswith(READING)):
            yield name, shown


WRITING = dict(_writing())


@pytest.mark.parametrize("name", WRITING)
def test_what_is_written_goes_where_output_says(name: str) -> None:
    assert {"--output", "-o"} <= WRITING[name]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["export", "register"])
def test_a_folder_is_named_once(command: str, on_demo: Tracker, tmp_path: Path) -> None:
    for number, words in enumerate((["{}"], ["-o", "{}"], ["--output", "{}"])):
        folder = tmp_path / str(number)
        done = on_demo("slate", command, SLATE, *(word.format(folder) for word in words))
        assert (done.exit_code, done.stdout.count(str(folder))) == (0, 1), done.output
    for given in ([], [tmp_path / "a", "-o", tmp_path / "b"]):
        refused = exited(2, on_demo("slate", command, SLATE, *given))
        assert "give the folder once, as FOLDER or as --output" in refused.output


@pytest.mark.slow
def test_the_folder_of_a_site_or_a_demo_is_an_option(on_demo: Tracker, tmp_path: Path) -> None:
    for option in ("-o", "--output"):
        assert on_demo("publish", option, tmp_path / option).exit_code == 0
        assert (tmp_path / option / "index.html").is_file()
    refused = on_demo("publish")
    assert (refused.exit_code, "Missing option '--output' / '-o'" in refused.output) == (2, True)
    (tmp_path / "tracker.toml").touch()
    taken = exited(3, on_demo("demo", "-o", tmp_path))
    assert "tracker.toml: is already there; choose another folder with --output" in taken.output
