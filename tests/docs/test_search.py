"""The search of the site finds every command and what a slate is; every page has its place."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import click
import pytest
from loopback import listening
from playwright.sync_api import Browser, expect
from support import ROOT

from tracker.cli import main

KINDS = [
    "First slate",
    "A running registry",
    "Case studies",
    "For experts",
    "Reference",
    "Explanation",
]


def _commands(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the words of a command and of all below it: tracker slate freeze."""
    yield context.command_path
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _commands(child, click.Context(child, parent=context, info_name=name))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a built site."""
    if importlib.util.find_spec("material") is None:
        pytest.skip("no mkdocs-material here")
    site = tmp_path_factory.mktemp("docs")
    build = ["mkdocs", "build", "-q", "-f", ".mkdocs.yml", "--strict", "-d", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([sys.executable, "-m", *build], cwd=ROOT, env=environment, check=True)
    return site


@pytest.fixture(scope="module")
def titles(site: Path) -> dict[str, str]:
    """Return what the search of the site has: the title of each section, by its address."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    return {
        one["location"]: unescape(re.sub(r"<[^>]+>", "", one["title"])) for one in index["docs"]
    }


@pytest.mark.slow
def test_every_command_is_found(titles: dict[str, str]) -> None:
    wanted = {*_commands(main, click.Context(main, info_name="tracker"))}
    assert {"tracker report", "tracker slate freeze"} <= wanted
    found = {title for place, title in titles.items() if place.startswith("reference/cli.html#")}
    assert wanted - found == set()


@pytest.mark.slow
def test_what_a_slate_is_is_found(titles: dict[str, str]) -> None:
    assert titles["index.html#slate"] == "What is a slate?"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "answer"),
    [("what is a slate", "What is a slate?"), ("slate freeze", "tracker slate freeze")],
)
def test_the_search_answers(question: str, answer: str, site: Path, chromium: Browser) -> None:
    """Among the first two pages that it shows, as a reader types the question."""
    answering = partial(SimpleHTTPRequestHandler, directory=str(site))
    with listening(answering) as address:
        page = chromium.new_page()
        page.goto(f"{address}/tutorial.html")
        page.click(".md-search__input")
        page.locator(".md-search__input").press_sequentially(question)
        first = page.locator(".md-search-result__item:nth-child(-n+2)")
        expect(first.get_by_text(answer, exact=True).first).to_be_attached(timeout=20_000)
        page.close()


def test_the_pages_are_in_groups_and_the_first_one_names_them() -> None:
    """Guides by who reads them, reference and explanation; a report is explained before all."""
    navigation = (ROOT / ".mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    assert re.findall(r"^  - ([\w -]+):", navigation, re.MULTILINE) == [
        "Home",
        "How to read a report",
        *KINDS,
    ]
    home = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (.+)$", home, re.MULTILINE) == KINDS
    listed = set(re.findall(r": ([\w/-]+\.md)$", navigation, re.MULTILINE))
    written = {
        path.relative_to(ROOT / "docs").as_posix()
        for path in Path(ROOT / "docs").rglob("*.md")
        if "template" not in path.parts
    }
    assert written - listed == set()
